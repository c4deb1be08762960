"""A document that was deleted stays deleted until somebody asks for it again."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.pdf_files import make_pdf
from tests.support.small_index import SmallKnowledge, WordAnalyzer, record, write_lines
from utils.config.settings import Settings
from vectorstores.build.draft import IngestResult
from vectorstores.build.staging import Source
from vectorstores.jobs.uploads import source_of, upload_key
from vectorstores.loaders.registry import loader_for


@pytest.fixture
def knowledge(tmp_path: Path) -> SmallKnowledge:
    return SmallKnowledge(Settings(data_dir=tmp_path / "data"))


def held(knowledge: SmallKnowledge) -> set[str]:
    index = knowledge.store.open_current()
    try:
        return {
            chunk.doc_id
            for collection in index.collections.values()
            for chunk in collection.chunks(range(collection.size))
        }
    finally:
        index.close()


def restore(knowledge: SmallKnowledge, path: Path) -> IngestResult:
    return knowledge.ingest.run([Source(path, loader_for(path), str(path))], restore=True)


def test_neither_the_same_file_nor_another_nor_a_new_analyser_brings_it_back(
    knowledge: SmallKnowledge, tmp_path: Path
) -> None:
    path = write_lines(tmp_path / "a.jsonl", record("A", "임금"), record("B", "연차"), "{bad")
    knowledge.add(path)
    assert knowledge.ingest.delete(["A", "unknown"]).removed == 1
    again = knowledge.add(path)  # read anew each time, for its bad line
    assert (again.added, again.withheld) == (0, 1)
    knowledge.add(write_lines(tmp_path / "b.jsonl", record("C", "해고")))
    assert held(knowledge) == {"B", "C"}
    other = SmallKnowledge(knowledge.settings, WordAnalyzer("words-2"))
    other.add(path)
    assert held(other) == {"B", "C"}
    copied = write_lines(tmp_path / "copy.jsonl", record("A", "임금"), record("B", "연차"), "{bad")
    other.add(copied)
    assert held(other) == {"B", "C"}, "the same content under another name is the same file"


def test_other_content_or_a_wish_brings_it_back(knowledge: SmallKnowledge, tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", record("A", "임금"), record("B", "연차"))
    knowledge.add(path)
    knowledge.ingest.delete(["A", "B"])
    assert held(knowledge) == set()
    result = restore(knowledge, path)
    assert (result.added, result.withheld) == (2, 0)
    knowledge.ingest.delete(["A"])
    assert knowledge.add(write_lines(path, record("A", "고친 임금"), record("B", "연차"))).added == 1
    assert held(knowledge) == {"A", "B"}
    assert not knowledge.add(path).withheld


def test_updates_of_the_starter_bring_nothing_back(knowledge: SmallKnowledge, tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", record("A", "임금"), record("B", "연차"))
    knowledge.add(path, mirror=True)
    knowledge.ingest.delete(["A"])
    write_lines(path, record("A", "고친 임금"), record("B", "고친 연차"))
    result = knowledge.add(path, mirror=True)
    assert (result.added, result.updated) == (0, 1)
    assert held(knowledge) == {"B"}


def test_a_file_is_deleted_with_all_its_pages(knowledge: SmallKnowledge, tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(make_pdf(["첫 쪽", "둘째 쪽"]))
    (tmp_path / "b.pdf").write_bytes(make_pdf(["다른 파일"]))
    knowledge.add(tmp_path / "a.pdf", tmp_path / "b.pdf", domain="finance_tax")
    first = min(document_id for document_id in held(knowledge) if document_id.endswith("#2"))
    assert knowledge.ingest.delete([first.removesuffix("#2")]).removed == 2
    assert len(held(knowledge)) == 1


def test_rebuilding_begins_anew(knowledge: SmallKnowledge, tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", record("A", "임금"), record("B", "연차"))
    knowledge.add(path)
    knowledge.ingest.delete(["A"])
    knowledge.add(path, rebuild=True)
    assert held(knowledge) == {"A", "B"}


def test_an_upload_is_named_by_its_place_below_the_data_directory(tmp_path: Path) -> None:
    folder = tmp_path / "data" / "uploads" / "abc"
    folder.mkdir(parents=True)
    path = write_lines(folder / "a.jsonl", record("A", "임금"))
    assert source_of(path, tmp_path / "data").key == "uploads/abc/a.jsonl"
    assert upload_key(tmp_path / "a.jsonl", tmp_path / "data") is None
    assert upload_key(folder / ".." / ".." / "x", tmp_path / "data") is None
