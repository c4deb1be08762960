from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import create_engine, inspect, text

from schemas.chat import Component
from tests.support.routing import DOMAINS_DIR, TAX, write_pack
from tests.support.services import require_service
from utils.routing.domain_pack import DomainDataError, load_pack_files
from utils.routing.domain_store import DomainStore, DomainStoreError

SHIPPED = load_pack_files(DOMAINS_DIR)


@pytest.fixture(
    params=[
        "sqlite",
        pytest.param("mysql", marks=pytest.mark.services),
        pytest.param("postgresql", marks=pytest.mark.services),
    ]
)
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[str, str]]:
    """The URL of a database and a table prefix of this test alone; its tables are dropped afterwards."""
    url = f"sqlite:///{tmp_path}/new/domains.sqlite" if request.param == "sqlite" else require_service(request.param)
    prefix = f"t{uuid4().hex[:8]}_"
    yield url, prefix
    engine = create_engine(url)
    with engine.begin() as connection:
        for table in inspect(connection).get_table_names():
            if table.startswith(prefix):
                connection.execute(text(f"DROP TABLE {table}"))
    engine.dispose()


@pytest.fixture
def store(database: tuple[str, str]) -> Iterator[DomainStore]:
    url, prefix = database
    store = DomainStore(url, DOMAINS_DIR, table_prefix=prefix)
    yield store
    store.close()


def test_an_empty_database_is_seeded_and_gives_the_files_back(store: DomainStore) -> None:
    data = store.load()
    assert data.origin == "database"
    assert data.degradation is None
    assert data.packs == SHIPPED


def test_what_an_operator_changed_survives_a_restart(store: DomainStore, database: tuple[str, str]) -> None:
    store.load()
    store.save(SHIPPED.get(TAX).model_copy(update={"label": "세금"}))
    again = DomainStore(database[0], DOMAINS_DIR, table_prefix=database[1])
    assert again.load().packs.get(TAX).label == "세금"
    again.close()


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO {p}entry (pack_key, field, value) VALUES ('finance_tax', 'keyword_core', '새키워드')",
        "UPDATE {p}entry SET value = '부가셰' WHERE pack_key = 'finance_tax' AND value = '부가세'",
        "DELETE FROM {p}entry WHERE pack_key = 'finance_tax' AND value = '부가세'",
        "UPDATE {p}pack SET description = '다른 설명' WHERE pack.key = 'finance_tax'",
    ],
)
def test_an_edit_by_hand_is_noticed(store: DomainStore, database: tuple[str, str], statement: str) -> None:
    url, prefix = database
    before = store.load()
    assert store.refresh(before) is before
    engine = create_engine(url)
    with engine.begin() as connection:
        quoted = engine.dialect.identifier_preparer.quote("key")
        connection.execute(text(statement.format(p=prefix).replace("pack.key", quoted)))
    engine.dispose()
    after = store.refresh(before)
    assert after.packs != before.packs
    assert store.refresh(after) is after


def test_a_domain_is_added_replaced_and_removed(store: DomainStore, tmp_path: Path) -> None:
    before = store.load()
    write_pack(tmp_path / "packs", "quotes", 'examples = ["견적은 어떻게 내나요?", "M&A", "m&a"]')
    pack = load_pack_files(tmp_path / "packs").get("quotes")
    store.save(pack)
    added = store.refresh(before)
    assert added.packs.get("quotes") == pack
    assert added.packs.keys()[-1] == "quotes"
    store.save(pack.model_copy(update={"examples": ("하나만",)}))
    assert store.refresh(added).packs.get("quotes").examples == ("하나만",)
    assert store.delete("quotes")
    assert not store.delete("quotes")
    assert store.refresh(added).packs == before.packs


def test_an_edit_that_makes_no_sense_is_not_stored(store: DomainStore) -> None:
    before = store.load()
    with pytest.raises(DomainDataError, match="neighbours"):
        store.delete(TAX)  # a neighbour of others
    with pytest.raises(DomainDataError, match="nowhere"):
        store.save(SHIPPED.get(TAX).model_copy(update={"neighbours": ("nowhere",)}))
    assert store.refresh(before) is before


def test_invalid_rows_leave_the_last_good_data_in_force(
    store: DomainStore, database: tuple[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    before = store.load()
    engine = create_engine(database[0])
    with engine.begin() as connection:
        connection.execute(
            text(f"INSERT INTO {database[1]}entry (pack_key, field, value) VALUES ('finance_tax', 'rule', '하나뿐')")
        )
    engine.dispose()
    after = store.refresh(before)
    assert after.packs == before.packs
    assert after.degradation is not None
    assert "finance_tax" not in after.degradation.reason
    assert "finance_tax" in caplog.text


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE {p}pack SET prompt = '다른 프롬프트' WHERE pack.key = 'finance_tax'",
        "UPDATE {p}pack SET agent_label = NULL WHERE pack.key = 'finance_tax'",
        "UPDATE {p}pack SET is_law = 0 WHERE pack.key = 'law_common'",
        "UPDATE {p}action SET keywords = '소송' WHERE pack_key = 'law_common' AND type = 'legal_consultation'",
        "INSERT INTO {p}entry (pack_key, field, value) VALUES ('finance_tax', 'chunking', 'faq = 900/800')",
    ],
)
def test_all_that_a_pack_says_can_be_edited(store: DomainStore, database: tuple[str, str], statement: str) -> None:
    test_an_edit_by_hand_is_noticed(store, database, statement)


def test_tables_of_before_get_the_columns_they_lack(store: DomainStore, database: tuple[str, str]) -> None:
    url, prefix = database
    store.load()
    engine = create_engine(url)
    with engine.begin() as connection:
        for column in ("agent_label", "is_law", "prompt"):
            connection.execute(text(f"ALTER TABLE {prefix}pack DROP COLUMN {column}"))
        for table in ("action", "origin"):
            connection.execute(text(f"DROP TABLE {prefix}{table}"))
        connection.execute(text(f"DELETE FROM {prefix}entry WHERE field IN ('alias', 'chunking', 'search_hint')"))
    engine.dispose()
    again = DomainStore(url, DOMAINS_DIR, table_prefix=prefix)
    data = again.load()
    assert (data.origin, data.reason) == ("database", None)
    assert data.packs == SHIPPED
    again.close()


def test_two_processes_may_start_at_once(database: tuple[str, str]) -> None:
    from concurrent.futures import ThreadPoolExecutor

    stores = [DomainStore(database[0], DOMAINS_DIR, table_prefix=database[1], timeout_seconds=20) for _ in range(3)]
    with ThreadPoolExecutor(3) as pool:
        loaded = list(pool.map(DomainStore.load, stores))
    assert [(data.origin, data.packs == SHIPPED) for data in loaded] == [("database", True)] * 3
    for store in stores:
        store.close()


@pytest.mark.parametrize("scheme", ["mysql", "postgresql"])
def test_while_the_database_is_away_the_files_serve(scheme: str) -> None:
    away = DomainStore(f"{scheme}://user:secret@127.0.0.1:9/none", DOMAINS_DIR, timeout_seconds=1)
    data = away.load()
    assert data.packs == SHIPPED
    assert data.origin == "files"
    assert data.degradation is not None
    assert data.degradation.component is Component.DOMAIN_DB
    assert "secret" not in data.degradation.reason
    assert away.refresh(data) is data
    with pytest.raises(DomainStoreError):
        away.save(SHIPPED.get(TAX))
    away.close()


def test_it_comes_back_when_the_database_does(tmp_path: Path) -> None:
    blocked = tmp_path / "domains.sqlite"
    blocked.mkdir()  # SQLite cannot open a directory
    store = DomainStore(f"sqlite:///{blocked}", DOMAINS_DIR)
    data = store.load()
    assert data.origin == "files"
    blocked.rmdir()
    back = store.refresh(data)
    assert back.origin == "database"
    assert back.degradation is None
    store.close()


def test_a_server_that_does_not_answer_costs_no_more_than_the_limit() -> None:
    import socket
    import time

    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        store = DomainStore(f"mysql://u@127.0.0.1:{silent.getsockname()[1]}/x", DOMAINS_DIR, timeout_seconds=1)
        started = time.monotonic()
        assert store.load().origin == "files"
        assert time.monotonic() - started < 5
        store.close()


@pytest.mark.parametrize(
    "url", ["mysql://u:secret@127.0.0.1:9/x?no_such_option=1", "sqlite:////proc/no/such/folder.db"]
)
def test_what_is_wrong_when_connecting_is_an_outage(url: str) -> None:
    store = DomainStore(url, DOMAINS_DIR, timeout_seconds=1)
    assert store.load().origin == "files"
    store.close()


@pytest.mark.parametrize(
    "url",
    [
        "not a url",
        "oracle://host/name",
        "redis://127.0.0.1",
        "mysql://u:secret@host:port/x",
        "mysql://u:secret@[::1/x",
        "mysql://u:secret@host:99999/x",
    ],
)
def test_a_wrong_url_is_refused_by_name(url: str) -> None:
    with pytest.raises(DomainDataError, match="DATABASE_URL") as caught:
        DomainStore(url, DOMAINS_DIR)
    assert "secret" not in str(caught.value)
