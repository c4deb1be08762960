"""The notices in force follow the database, and stay when it goes away."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from tests.support.notice_files import filled, sample_records
from vectorstores.notices.library import NoticeLibrary
from vectorstores.notices.pack import NoticeData
from vectorstores.notices.store import Changes, NoticeStore, store_url
from vectorstores.tokenizer import KiwiTokenizer

NOW = datetime(2026, 11, 24, 3, tzinfo=UTC)


def test_without_a_database_there_are_no_notices_and_none_is_made(tmp_path: Path, tokenizer: KiwiTokenizer) -> None:
    from utils.config.settings import Settings

    library = NoticeLibrary(NoticeData.load(), tokenizer, Settings(data_dir=tmp_path))
    library.refresh()
    assert library.shelf.is_empty
    assert list(tmp_path.iterdir()) == []


def test_what_another_process_takes_in_is_seen(tmp_path: Path, tokenizer: KiwiTokenizer) -> None:
    settings = filled(tmp_path, tokenizer)
    library = NoticeLibrary(NoticeData.load(), tokenizer, settings)
    library.refresh()
    before = library.version
    assert library.shelf.catalogues["support"].get("new") is None
    store = NoticeStore(store_url(settings), tokenizer)
    store.put([replace(sample_records()[0], id="new")], Changes())
    store.note_refresh("file:support", "support", NOW, failure="", is_api=False, changed=True)
    store.close()
    library.refresh()
    assert library.shelf.catalogues["support"].get("new") is not None
    assert library.version != before
    library.close()


def test_a_database_that_breaks_leaves_the_notices_and_their_age(tmp_path: Path, tokenizer: KiwiTokenizer) -> None:
    settings = filled(tmp_path, tokenizer)
    library = NoticeLibrary(NoticeData.load(), tokenizer, settings, clock=lambda: NOW)
    library.refresh()
    before = library.version
    (tmp_path / "notices.db").write_bytes(b"no database at all" * 100)
    library.refresh()
    assert len(library.shelf.catalogues["support"]) == 18
    assert library.version != before
    [lack] = library.degradations("support")
    assert "2026-11-24" in lack.reason
    library.close()
