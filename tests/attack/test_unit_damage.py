"""M7: damage of the files that answer units are read from is named, and no unit is said of a document that is not its own."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from agents.retrieval.inquiry import RetrievalInquiry
from agents.retrieval.unit_search import UnitSearch
from schemas.chat import Component
from tests.attack.test_index_damage import HR, TAX, deleted, flipped, halved, zeroed
from tests.support.small_index import SmallKnowledge, WordEmbedder, record, write_lines
from tests.support.small_searcher import MorphemeAnalyzer, open_searcher, request_for
from tests.support.unit_files import HEAD, UNIT_FILES, unit_text, write_document
from utils.conclusions.verdict_model import VerdictModel
from utils.config.settings import Settings
from utils.protocols import FloatMatrix
from utils.question_decomposer import SubQuery
from vectorstores.build.verify import verify_index
from vectorstores.errors import EmbeddingUnavailable
from vectorstores.index import KnowledgeIndex
from vectorstores.integrity.checksums import Part, part_of
from vectorstores.integrity.damage_messages import REPAIR_COMMAND
from vectorstores.live.background_check import BackgroundCheck
from vectorstores.search.hybrid import HybridSearcher
from vectorstores.storage.unit_table import UNITS_FOLDER
from vectorstores.tokenizer import KiwiTokenizer
from vectorstores.units.match import Context

pytestmark = pytest.mark.finding("M7")

CONTRACT, REFUND = HEAD["id"], "FT_VAT_010"
QUESTION = "계약서 안 쓰면 벌금 얼마예요?"
FOUND = [("근로계약서를 안 쓰면", CONTRACT), ("부가세 환급", REFUND)]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, tokenizer: KiwiTokenizer) -> SmallKnowledge:
    """A document with a unit in each of two collections, behind one without."""
    folder = tmp_path_factory.mktemp("made")
    knowledge = SmallKnowledge(Settings(data_dir=folder / "data"), MorphemeAnalyzer(tokenizer))
    write_document(folder / "base" / "hr_labor")
    refund = unit_text("부가세 환급", asks=("환급 언제?",), sentences=("결론: 환급은 30일 안에 됩니다.",))
    write_document(
        folder / "base" / "finance_tax", refund, head={"id": REFUND, "title": "부가세 환급", "topic": "환급"}
    )
    knowledge.add(write_lines(folder / "first.jsonl", record("FIRST", "연차 휴가")))
    knowledge.add(folder / "base")
    return knowledge


@pytest.fixture
def knowledge(made: SmallKnowledge, tmp_path: Path) -> SmallKnowledge:
    """The same in a folder of its own, to be damaged."""
    shutil.copytree(made.settings.data_dir, tmp_path / "data")
    return SmallKnowledge(Settings(data_dir=tmp_path / "data"), made.analyzer)


@pytest.fixture
def opened(knowledge: SmallKnowledge) -> Iterator[KnowledgeIndex]:
    index = knowledge.store.open_current()
    index.connect()
    yield index
    index.close()


def folder_of(knowledge: SmallKnowledge, name: str = HR) -> Path:
    manifest = knowledge.store.layout.manifest(knowledge.store.current_version() or "")
    return knowledge.store.layout.collection_dir(manifest.collections[name])


def found_by(searcher: HybridSearcher) -> list[tuple[str, str]]:
    """The units that are found and the documents they are said of, by name."""
    units = searcher.units
    found = units.find(units.asked(QUESTION), Context((), ()), 5)
    return sorted((unit.unit.name, unit.chunk.doc_id) for unit in found)


def test_every_file_of_the_units_is_recorded_as_needed_for_a_search_by_words(made: SmallKnowledge) -> None:
    manifest = made.store.layout.manifest(made.store.current_version() or "")
    for name in (HR, TAX):
        recorded = {file for file in manifest.collections[name].files if file.startswith(f"{UNITS_FOLDER}/")}
        assert recorded == {f"{UNITS_FOLDER}/{file}" for file in UNIT_FILES}
        assert {part_of(file) for file in recorded} == {Part.BM25}


@pytest.mark.parametrize("damage", [deleted, halved, flipped, zeroed])
@pytest.mark.parametrize("file", UNIT_FILES)
def test_a_damaged_file_is_named_and_the_other_units_are_found(
    knowledge: SmallKnowledge, file: str, damage: Callable[[Path], None]
) -> None:
    damage(folder_of(knowledge) / UNITS_FOLDER / file)
    assert_named(knowledge, file)


def test_units_that_are_all_gone_are_named(knowledge: SmallKnowledge) -> None:
    """A collection whose documents have no units has no such folder either."""
    shutil.rmtree(folder_of(knowledge) / UNITS_FOLDER)
    assert_named(knowledge, UNIT_FILES[0])


def assert_named(knowledge: SmallKnowledge, file: str) -> None:
    index = knowledge.store.open_current()
    try:
        assert list(index.damages) == [HR]
        assert REPAIR_COMMAND in index.damages[HR]
        searcher = open_searcher(knowledge, index)
        assert found_by(searcher) == [FOUND[1]]
        outcome = searcher.search(HR, request_for(QUESTION, k=1))
        assert [missing.component for missing in outcome.degraded] == [Component.BM25]
        assert [hit.chunk.doc_id for hit in outcome.hits] == [CONTRACT]
        assert any(f"{UNITS_FOLDER}/{file}" in problem for problem in verify_index(index))
    finally:
        index.close()


def test_repair_brings_the_units_back(knowledge: SmallKnowledge) -> None:
    for file in UNIT_FILES:
        zeroed(folder_of(knowledge) / UNITS_FOLDER / file)
    assert knowledge.ingest.repair(lambda key, record: None).changed
    index = knowledge.store.open_current()
    assert (verify_index(index), index.damages) == ([], {})
    assert found_by(open_searcher(knowledge, index)) == FOUND
    index.close()


@pytest.mark.parametrize("file", UNIT_FILES)
def test_what_breaks_before_the_first_question_changes_no_unit(
    knowledge: SmallKnowledge, opened: KnowledgeIndex, file: str
) -> None:
    """The units are asked for hours after the index was opened, if nobody asks before."""
    flipped(folder_of(knowledge) / UNITS_FOLDER / file)
    assert found_by(open_searcher(knowledge, opened)) == FOUND


def test_units_that_break_later_are_found_in_the_background(knowledge: SmallKnowledge, opened: KnowledgeIndex) -> None:
    searcher = open_searcher(knowledge, opened)
    assert found_by(searcher) == FOUND
    flipped(folder_of(knowledge) / UNITS_FOLDER / UNIT_FILES[0])
    BackgroundCheck(knowledge.store, lambda: opened).check()
    assert list(opened.damages) == [HR]
    assert found_by(searcher) == [FOUND[1]]


def test_a_unit_whose_document_cannot_be_read_is_left_out(knowledge: SmallKnowledge, opened: KnowledgeIndex) -> None:
    searcher = open_searcher(knowledge, opened)
    overwrite_texts(folder_of(knowledge))
    assert found_by(searcher) == [FOUND[1]]
    assert [missing.component for missing in searcher.search(HR, request_for(QUESTION)).degraded] == [Component.INDEX]


def test_with_no_document_of_a_unit_readable_a_question_has_none(
    knowledge: SmallKnowledge, opened: KnowledgeIndex
) -> None:
    searcher = open_searcher(knowledge, opened)
    for name in (HR, TAX):
        overwrite_texts(folder_of(knowledge, name))
    inquiry = RetrievalInquiry(QUESTION, (SubQuery("hr_labor", QUESTION),))
    (asked,) = UnitSearch(knowledge.analyzer, VerdictModel.plain()).run(searcher, inquiry, ())
    assert (asked.units, asked.is_answered, asked.verdict) == ((), False, None)


def overwrite_texts(folder: Path) -> None:
    """In place, all but the head, as under an open file."""
    path = folder / "chunks.sqlite"
    with path.open("r+b") as file:
        file.seek(128)
        file.write(b"\x7f" * (path.stat().st_size - 128))


def test_no_unit_is_said_of_a_document_of_the_build_that_stands_in(knowledge: SmallKnowledge, tmp_path: Path) -> None:
    """Chunks of another build have other numbers, or there are none of the numbers."""
    write_document(tmp_path / "late" / "hr_labor", unit_text("퇴직금을 주는 때"), head={"id": "HR_LATE_001"})
    knowledge.add(tmp_path / "late")
    index = knowledge.store.open_current()
    searcher = open_searcher(knowledge, index)
    assert found_by(searcher) == sorted([*FOUND, ("퇴직금을 주는 때", "HR_LATE_001")])
    zeroed(folder_of(knowledge) / "chunks.sqlite")
    BackgroundCheck(knowledge.store, lambda: index).check()
    assert "이전 버전" in index.damages[HR]
    assert found_by(searcher) == FOUND
    index.close()


class _Away(WordEmbedder):
    def embed(self, items: object) -> FloatMatrix:
        raise EmbeddingUnavailable("away")

    embed_passages = embed


@pytest.mark.finding("H8")
def test_without_vectors_of_a_question_units_are_found_by_their_words(
    knowledge: SmallKnowledge, opened: KnowledgeIndex
) -> None:
    searcher = open_searcher(knowledge, opened)
    searcher._embedder = _Away()
    units = searcher.units
    best = units.find(units.asked("계약서 안 쓰면 벌금 얼마예요?"), Context((), ()), 1)
    assert [unit.unit.name for unit in best] == [FOUND[0][0]]
