"""The store on the databases there are: rows come back as they were, changes are counted, and several may begin at once."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from tests.support.notice_files import sample_records
from tests.support.services import ServiceName, require_service
from vectorstores.notices.errors import NoticeDataError, NoticesUnavailable
from vectorstores.notices.store import Changes, NoticeStore
from vectorstores.tokenizer import KiwiTokenizer

NOW = datetime(2026, 11, 24, 1, tzinfo=UTC)
_NAME = "notices_test"


def _made(service: ServiceName) -> Iterator[str]:
    """A database of the tests' own on a server."""
    server = require_service(service).rpartition("/")[0]
    whole = server + ("/postgres" if service == "postgresql" else "/")
    engine = create_engine(whole, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(f"DROP DATABASE IF EXISTS {_NAME}"))
        connection.execute(text(f"CREATE DATABASE {_NAME}"))
    try:
        yield f"{server}/{_NAME}"
    finally:
        with engine.connect() as connection:
            connection.execute(text(f"DROP DATABASE {_NAME}"))
        engine.dispose()


@pytest.fixture(
    params=[
        "sqlite",
        pytest.param("postgresql", marks=pytest.mark.services),
        pytest.param("mysql", marks=pytest.mark.services),
    ]
)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'notices.db'}"
    else:
        yield from _made(request.param)


def test_notices_come_back_and_changes_are_counted(url: str, tokenizer: KiwiTokenizer) -> None:
    store = NoticeStore(url, tokenizer)
    assert store.version() == ""
    store.prepare()
    records = sample_records()
    long = replace(records[0], body="가" * 50_000 + "끝", title="나" * 400)
    changes = Changes()
    store.put([long, *records[1:]], changes)
    assert (changes.added, changes.updated) == (len(records), 0)
    store.put([*records[:1], *records[1:]], changes)
    assert (changes.added, changes.updated, changes.unchanged) == (len(records), 1, len(records) - 1)
    kept = {stored.record.id: stored for stored in store.all()}
    assert kept["sp-04"].record.apply_end == date(2026, 11, 26)
    assert "실증" in kept["sp-04"].title_terms
    assert store.body("support", "sp-01") == records[0].body
    assert store.body("support", "none") == ""
    store.put([long], changes)
    assert store.body("support", "sp-01") == long.body
    assert len(next(each for each in store.all() if each.record.id == "sp-01").record.title) == 300
    assert store.remove_ended("sample", date(2026, 11, 14)) == 2
    store.close()


def test_the_version_changes_with_every_refresh_that_changes_something(url: str, tokenizer: KiwiTokenizer) -> None:
    store = NoticeStore(url, tokenizer)
    store.prepare()
    store.note_refresh("bizinfo", "support", NOW, failure="", is_api=True, changed=True)
    first = store.version()
    store.note_refresh("bizinfo", "support", NOW, failure="", is_api=True, changed=False)
    assert store.version() == first
    store.note_refresh("bizinfo", "support", NOW, failure="HTTP 500", is_api=True, changed=True)
    assert store.version() != first
    [state] = store.sources()
    assert (state.failure, state.refreshed, state.tried) == ("HTTP 500", NOW, NOW)
    store.close()


def test_processes_may_make_the_tables_at_once(url: str) -> None:
    stores = [NoticeStore(url) for _ in range(4)]
    failures: list[Exception] = []

    def prepare(store: NoticeStore) -> None:
        try:
            store.prepare()
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=prepare, args=(store,)) for store in stores]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert stores[0].all() == []
    for store in stores:
        store.close()


def test_wrong_addresses_and_servers_that_are_away() -> None:
    with pytest.raises(NoticeDataError, match="NOTICE_DATABASE_URL"):
        NoticeStore("oracle://somewhere/x")
    store = NoticeStore("postgresql://nobody:secret@127.0.0.1:1/x")
    with pytest.raises(NoticesUnavailable) as told:
        store.version()
    assert "secret" not in str(told.value)
