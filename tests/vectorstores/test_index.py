"""Reading a version: look-ups, degradation when a part is damaged, many threads."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from tests.support.small_index import SmallKnowledge, record, write_lines
from utils.config.settings import Settings
from vectorstores.build.verify import verify_index
from vectorstores.errors import IndexDamaged, IndexMissing, LexicalIndexUnavailable, VectorStoreUnavailable
from vectorstores.index import CollectionIndex, KnowledgeIndex

HR = "hr_labor_db"


@pytest.fixture
def knowledge(tmp_path: Path) -> SmallKnowledge:
    made = SmallKnowledge(Settings(data_dir=tmp_path / "data"))
    texts = [
        record(
            f"D{number}",
            f"임금 {'체불 ' * (number % 3)} 번호{number}",
            effective_date="2026-01-01",
            related_laws=["근로기준법 제43조"],
            metadata={"region": "서울"},
        )
        for number in range(40)
    ]
    made.add(write_lines(tmp_path / "a.jsonl", *texts))
    return made


@pytest.fixture
def index(knowledge: SmallKnowledge) -> Iterator[KnowledgeIndex]:
    opened = knowledge.store.open_current()
    yield opened
    opened.close()


def files(knowledge: SmallKnowledge) -> Path:
    manifest = knowledge.store.layout.manifest(knowledge.store.current_version() or "")
    return knowledge.store.layout.collection_dir(manifest.collections[HR])


def test_a_chunk_is_what_was_ingested(index: KnowledgeIndex) -> None:
    chunk = index.collections[HR].chunk_by_id("D7")
    assert chunk is not None
    assert (chunk.doc_id, chunk.title, chunk.domain, chunk.collection) == ("D7", "D7 안내", "hr_labor", HR)
    assert (chunk.effective_date, chunk.related_laws, chunk.metadata) == (
        "2026-01-01",
        ("근로기준법 제43조",),
        {"region": "서울"},
    )
    assert chunk.sentence_texts() == [chunk.text]
    assert index.collections[HR].chunk_by_id("X") is None
    assert index.collections[HR].by_document("D7") == [7]


def test_terms_and_frequencies(index: KnowledgeIndex) -> None:
    collection = index.collections[HR]
    assert collection.vocabulary.strings(collection.terms_of([1])[0]) == ["임금", "체불", "번호1"]
    of_chunk = collection.vocabulary.strings(collection.term_ids_of_chunk("D1"))
    assert sorted(of_chunk) == sorted({"임금", "체불", "번호1", "D1", "안내"})
    assert len(collection.term_ids_of_chunk("X")) == 0
    assert collection.vocabulary.strings(collection.terms_of([1], "heading")[0]) == ["D1", "안내"]
    assert collection.document_frequency("임금") == 40
    assert collection.document_frequency("번호3") == 1
    assert collection.document_frequency("없는말") == 0


def test_searches(knowledge: SmallKnowledge, index: KnowledgeIndex) -> None:
    collection = index.collections[HR]
    scores = collection.bm25_scores(["번호9", "없는말"])
    assert np.flatnonzero(scores).tolist() == [9]
    assert scores[9] > 0
    assert not collection.bm25_scores([]).any()
    assert scores[9] == collection.bm25_scores(["번호9"])[9]
    vectors = knowledge.vector("D9 안내 임금 번호9")
    ((near, cosines),) = collection.vector_search(vectors, 3)
    assert near[0] == 9
    np.testing.assert_allclose(collection.cosines(vectors, near)[0], cosines, atol=2e-3)
    assert collection.chunks(near)[0].id == "D9"
    with pytest.raises(IndexError):
        collection.chunks([40])


def test_empty_collections_answer_nothing(index: KnowledgeIndex, knowledge: SmallKnowledge) -> None:
    empty = index.collections["startup_funding_db"]
    assert empty.size == 0
    assert empty.bm25_scores(["임금"]).tolist() == []
    assert empty.vector_search(knowledge.vector("임금"), 5)[0][0].tolist() == []


def test_no_index_names_the_command(tmp_path: Path) -> None:
    with pytest.raises(IndexMissing, match="python -m vectorstores ingest"):
        SmallKnowledge(Settings(data_dir=tmp_path / "none")).store.open_current()


@pytest.mark.parametrize(
    "part", ["bm25/data.csc.index.npy", "vocabulary.bin", "body.ids.npy", "heading.offsets.npy", "starts.ids.npy"]
)
def test_without_bm25_vectors_still_serve(knowledge: SmallKnowledge, part: str) -> None:
    file = files(knowledge) / part
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    index = knowledge.store.open_current()
    collection = index.collections[HR]
    assert isinstance(collection.bm25_error, LexicalIndexUnavailable)
    with pytest.raises(LexicalIndexUnavailable):
        collection.bm25_scores(["임금"])
    assert len(collection.vector_search(knowledge.vector("임금"), 3)[0][0]) == 3
    assert collection.chunks([0])[0].load_terms() is None
    assert verify_index(index)
    index.close()


def test_without_vectors_bm25_still_serves(knowledge: SmallKnowledge) -> None:
    (files(knowledge) / "chroma" / "chroma.sqlite3").write_bytes(b"garbage")
    (files(knowledge) / "vectors.npy").write_bytes(b"garbage")
    index = knowledge.store.open_current()
    collection = index.collections[HR]
    assert isinstance(collection.vector_error, VectorStoreUnavailable)
    with pytest.raises(VectorStoreUnavailable):
        collection.cosines(knowledge.vector("임금"), [0])
    assert np.count_nonzero(collection.bm25_scores(["임금"])) == collection.size
    assert verify_index(index)
    index.close()


@pytest.mark.parametrize("damage", ["gone", "garbage"])
def test_without_texts_nothing_opens(knowledge: SmallKnowledge, damage: str) -> None:
    file = files(knowledge) / "chunks.sqlite"
    file.unlink() if damage == "gone" else file.write_bytes(b"garbage" * 100)
    with pytest.raises(IndexDamaged):
        knowledge.store.open_current()


@pytest.mark.parametrize("name", ["current.json", "manifest.json"])
def test_a_damaged_pointer_or_manifest_is_a_typed_error(knowledge: SmallKnowledge, name: str) -> None:
    root = knowledge.store.layout.root
    folder = root if name == "current.json" else root / (knowledge.store.current_version() or "")
    for path in (folder / name, (folder / name).with_suffix(".copy.json")):
        path.write_text('{"half', encoding="utf-8")
    with pytest.raises(IndexDamaged):
        knowledge.store.open_current()


def test_a_running_reader_adopts_the_next_version(knowledge: SmallKnowledge, tmp_path: Path) -> None:
    before = knowledge.store.open_current()
    assert knowledge.store.current_version() == before.version
    knowledge.add(write_lines(tmp_path / "b.jsonl", record("N", "새 문서")))
    assert knowledge.store.current_version() != before.version
    after = knowledge.store.open_current()
    assert before.collections[HR].chunk_by_id("N") is None
    assert after.collections[HR].chunk_by_id("N") is not None
    before.close()
    assert len(after.collections[HR].vector_search(knowledge.vector("새 문서"), 1)[0][0]) == 1
    after.close()


def test_many_threads_read_the_same_thing(knowledge: SmallKnowledge, index: KnowledgeIndex) -> None:
    collection: CollectionIndex = index.collections[HR]

    def look_up(number: int) -> tuple[str, list[int], list[int]]:
        ordinal = number % 40
        chunk = collection.chunks([ordinal])[0]
        ((near, _),) = collection.vector_search(knowledge.vector(f"D{ordinal} 안내 {chunk.text}"), 1)
        return chunk.id, np.flatnonzero(collection.bm25_scores([f"번호{ordinal}"])).tolist(), near.tolist()

    with ThreadPoolExecutor(8) as pool:
        for number, found in enumerate(pool.map(look_up, range(200))):
            assert found == (f"D{number % 40}", [number % 40], [number % 40])
