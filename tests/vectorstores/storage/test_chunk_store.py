"""A stored text comes back as it was, under the numbers that other files know it by, or not at all."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from vectorstores.errors import IndexDamaged
from vectorstores.storage.chunk_store import ChunkRow, ChunkStore, ChunkStoreWriter, DocumentRow
from vectorstores.storage.page_ids import file_document_id, page_chunk_id, page_document_id

COLLECTION = "hr_labor_db"
FILE_HASH = "0123456789abcdef0123"
PAGE = page_document_id(FILE_HASH, 3)
PAGE_CHUNK = page_chunk_id(FILE_HASH, 3, 1, "쪽")


def document(document_id: str, label: str | None = None, **values: object) -> DocumentRow:
    law, _, article = (label or "").partition("|")
    usual: dict[str, object] = {
        "hash": document_id.encode(),
        "origin": "a.jsonl",
        "type": "law" if label else "guide",
        "domain": "hr_labor",
        "title": f"{law} {article}" if label else f"{document_id} 안내",
        "heading": "안내",
        "name": law,
        "source_name": "고용노동부",
        "source_url": "https://www.moel.go.kr",
        "effective_date": None,
        "related_laws": (),
        "metadata": {},
    }
    return DocumentRow(id=document_id, label=label, **(usual | values))  # type: ignore[arg-type]


GUIDE = document(
    "G",
    effective_date="2026-01-01",
    related_laws=("근로기준법 제60조",),
    metadata={"page": 3, "checked": True, "x": "가"},
)
RECORDS = [
    (GUIDE, [ChunkRow("G#0", "연차는 15일입니다. 다음 해에도.", ((0, 11), (12, 19)), 4), ChunkRow("G#1", "끝", (), 9)]),
    (document("L1", "민법|제1조"), [ChunkRow("L1", "법원", ((0, 2),))]),
    (document("L2", "민법|제2조"), [ChunkRow("L2#0", "신의", ((0, 2),)), ChunkRow("L2#1", "성실", ((0, 2),))]),
    (document("L3", "민법시행령|제1조"), [ChunkRow("L3", "목적", ((0, 2),))]),
    (document(PAGE, metadata={"page": 3}), [ChunkRow(PAGE_CHUNK, "쪽", ((0, 1),))]),
    (document("EMPTY"), []),
]


def write(directory: Path, next_uid: int = 5) -> ChunkStoreWriter:
    directory.mkdir(exist_ok=True)
    writer = ChunkStoreWriter(directory, next_uid)
    for row, chunks in RECORDS:
        writer.add(row, chunks)
    return writer


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ChunkStore]:
    assert write(tmp_path).finish() == (6, 7)
    opened = ChunkStore.open(tmp_path, COLLECTION)
    yield opened
    opened.close()


def test_a_chunk_comes_back_with_all_that_is_known_of_its_document(store: ChunkStore) -> None:
    [chunk] = store.chunks([0])
    assert (chunk.id, chunk.doc_id, chunk.collection, chunk.domain, chunk.doc_type) == (
        "G#0", "G", COLLECTION, "hr_labor", "guide",
    )  # fmt: skip
    assert chunk.sentence_texts() == ["연차는 15일입니다.", "다음 해에도."]
    assert (chunk.title, chunk.source_name, chunk.source_url) == ("G 안내", "고용노동부", "https://www.moel.go.kr")
    assert (chunk.effective_date, chunk.related_laws) == ("2026-01-01", ("근로기준법 제60조",))
    assert chunk.metadata == {"page": 3, "checked": True, "x": "가"}
    assert (chunk.label, store.chunks([2])[0].label) == (None, "민법|제1조")


def test_chunks_come_in_the_order_they_are_asked_for(store: ChunkStore) -> None:
    assert [chunk.id for chunk in store.chunks([4, 0, 4, 2])] == ["L2#1", "G#0", "L2#1", "L1"]
    assert store.chunks([]) == []


@pytest.mark.parametrize("ordinal", [-1, 7])
def test_a_number_beyond_the_store_is_an_error_and_no_other_chunk(store: ChunkStore, ordinal: int) -> None:
    with pytest.raises(IndexError):
        store.chunks([0, ordinal])


def test_a_chunk_keeps_its_uid_and_a_new_one_gets_one_never_given(tmp_path: Path) -> None:
    writer = write(tmp_path)
    assert writer.uids.tolist() == [4, 9, 10, 11, 12, 13, 14]
    assert writer.next_uid == 15
    assert writer.add(document("N"), [ChunkRow("N#0", "가", ()), ChunkRow("N#1", "나", ())]) == [15, 16]
    writer.finish()
    store = ChunkStore.open(tmp_path, COLLECTION)
    assert store.uids.tolist() == [4, 9, 10, 11, 12, 13, 14, 15, 16]
    store.close()


def test_the_next_version_takes_over_what_this_one_holds(store: ChunkStore, tmp_path: Path) -> None:
    """A document that goes takes its chunks along; all others keep their uids under other ordinals."""
    (tmp_path / "next").mkdir()
    writer = ChunkStoreWriter(tmp_path / "next", next_uid=15)
    for row, chunks in store.records():
        if row.id != "L1":
            writer.add(row, chunks)
    writer.finish()
    following = ChunkStore.open(tmp_path / "next", COLLECTION)
    assert following.uids.tolist() == [4, 9, 11, 12, 13, 14]
    assert [chunk.id for chunk in following.chunks(range(6))] == ["G#0", "G#1", "L2#0", "L2#1", "L3", PAGE_CHUNK]
    kept = [(row, list(chunks)) for row, chunks in store.records() if row.id != "L1"]
    assert list(following.records()) == kept
    following.close()


def test_records_are_what_was_written(store: ChunkStore) -> None:
    found = list(store.records())
    assert [row for row, _ in found] == [row for row, _ in RECORDS]
    texts = [[(chunk.id, chunk.text, chunk.sentences) for chunk in chunks] for _, chunks in found]
    assert texts == [[(chunk.id, chunk.text, chunk.sentences) for chunk in chunks] for _, chunks in RECORDS]
    assert store.document_hashes()["L3"] == (b"L3", "a.jsonl")
    assert (store.documents, store.size) == (6, 7)


def test_what_is_found_by_id(store: ChunkStore) -> None:
    for _ in range(2):  # looked up, and remembered
        assert [store.ordinal_of_chunk(name) for name in ("G#1", "L3", "G", "nowhere")] == [1, 5, None, None]
        store.chunks(range(7))
    assert [store.ordinals_of_document(name) for name in ("G", "L2", "EMPTY", "nowhere")] == [[0, 1], [3, 4], [], []]


def test_a_file_is_there_when_one_of_its_pages_is(store: ChunkStore) -> None:
    assert [store.document_exists(name) for name in (PAGE, file_document_id(FILE_HASH), "G", "EMPTY")] == [True] * 4
    assert not any(store.document_exists(name) for name in ("PDF_", "PDF_0123", "L", "G#0", ""))


def test_the_articles_of_a_statute_are_not_those_of_its_decree(store: ChunkStore) -> None:
    assert sorted(store.articles_of("민법")) == ["제1조", "제2조"]
    assert store.articles_of("민") == store.articles_of("상법") == []
    assert store.ordinals_of_label("민법|제2조") == [3, 4]
    assert sorted(store.names()) == ["민법", "민법시행령"]


def test_a_passage_of_a_page_names_its_place(store: ChunkStore) -> None:
    assert store.page_documents() == [(6, {"page": 3})]
    assert store.chunks([6])[0].metadata == {"page": 3, "chunk_index": 1}


def test_many_threads_may_read(store: ChunkStore) -> None:
    asked = [[number % 7, (number * 3) % 7] for number in range(200)]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(store.chunks, asked))
    expected = store.chunks(range(7))
    assert found == [[expected[first], expected[second]] for first, second in asked]


def _changed(statement: str) -> Callable[[Path], None]:
    def change(directory: Path) -> None:
        connection = sqlite3.connect(directory / "chunks.sqlite")
        connection.executescript(statement)
        connection.close()

    return change


def _half(directory: Path) -> None:
    path = directory / "chunks.sqlite"
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def _zeros(directory: Path) -> None:
    (directory / "chunks.sqlite").write_bytes(bytes(8192))


DAMAGES: dict[str, Callable[[Path], None]] = {
    "no texts": lambda directory: (directory / "chunks.sqlite").unlink(),
    "no numbers": lambda directory: (directory / "uids.npy").unlink(),
    "half a file": _half,
    "no database": _zeros,
    "numbers of another build": lambda directory: np.save(directory / "uids.npy", np.arange(3)),
    "numbers that fall": lambda directory: np.save(directory / "uids.npy", np.arange(7)[::-1]),
    "a chunk is gone": _changed("DELETE FROM chunks WHERE ordinal = 3"),
    "a document is gone": _changed("DELETE FROM documents WHERE id = 'L1'"),
    "spans of half a number": _changed("UPDATE chunks SET sentences = x'000000'"),
    "no metadata": _changed("UPDATE documents SET metadata = '{'"),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_store_says_so_by_its_name(tmp_path: Path, damage: Callable[[Path], None]) -> None:
    write(tmp_path).finish()
    damage(tmp_path)
    with pytest.raises(IndexDamaged, match=COLLECTION):
        ChunkStore.open(tmp_path, COLLECTION).chunks(range(7))


def test_a_collection_that_has_nothing_yet(tmp_path: Path) -> None:
    empty = ChunkStore.empty(COLLECTION)
    assert (empty.size, empty.documents, empty.names(), list(empty.records())) == (0, 0, [], [])
    assert not empty.document_exists("G")
    empty.check()
    empty.close()
