"""Documents by what is known of them: listed, and searched alone, by either side."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from typing import Any, get_args

import pytest

from schemas.vectordb import DocumentFilter, DocumentKind
from tests.support.small_index import SmallKnowledge, record, write_lines
from utils.config.settings import Settings
from utils.documents import DocumentType
from utils.law.question_references import LawNameFinder
from vectorstores.index import CollectionIndex, KnowledgeIndex
from vectorstores.integrity.checksums import Part
from vectorstores.search.documents import count_of, listed, ordinals_of
from vectorstores.search.hybrid import HybridSearcher
from vectorstores.search.request import SearchRequest

QUERY = "퇴직금 지급 기한"
NOISE = 120


@pytest.fixture(scope="module")
def knowledge(tmp_path_factory: pytest.TempPathFactory) -> SmallKnowledge:
    """Documents that the query fits best, and few others that it fits little, which the filters ask for."""
    folder = tmp_path_factory.mktemp("filtered")
    best = [record(f"N{number}", f"{QUERY} {QUERY} 번호{number}") for number in range(NOISE)]
    rare = [
        record(
            f"R{number}",
            "퇴직금" if number % 2 else "다른 이야기",
            title=f"드문 글 {number}",
            source={"name": "대법원"},
            type="court_case",
            effective_date=f"2026-0{number + 1}-15",
            metadata={"topic": "퇴직", "page": number, "checked": "예", "deleted": number == 6, "category": "1"},
        )
        for number in range(8)
    ]
    law = [
        record("근로기준법|제36조", "금품 청산", type="law", title="근로기준법 제36조", metadata={"law": "근로기준법"}),
    ]
    knowledge = SmallKnowledge(Settings(data_dir=folder / "data"))
    assert knowledge.add(write_lines(folder / "a.jsonl", *best, *rare, *law)).problems == []
    return knowledge


@pytest.fixture
def index(knowledge: SmallKnowledge) -> Iterator[KnowledgeIndex]:
    index = knowledge.store.open_current()
    yield index
    index.close()


@pytest.fixture
def collection(index: KnowledgeIndex) -> CollectionIndex:
    return index.collections["hr_labor_db"]


def found_ids(collection: CollectionIndex, **wanted: Any) -> set[str]:
    ordinals = ordinals_of(collection, DocumentFilter(**wanted))
    assert list(ordinals) == sorted(ordinals)
    return {chunk.doc_id for chunk in collection.chunks(ordinals)}


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ({"source": "대법원"}, {f"R{n}" for n in range(8)}),
        ({"source": "대법"}, set()),
        ({"doc_type": ["court_case", "law"]}, {"근로기준법|제36조", *(f"R{n}" for n in range(8))}),
        ({"effective_from": "2026-03-15", "effective_to": "2026-05-15"}, {"R2", "R3", "R4"}),
        ({"effective_to": "2026-01-31"}, {"R0"}),
        ({"document": "R5"}, {"R5"}),
        ({"metadata": {"topic": "퇴직", "page": 4}}, {"R4"}),
        ({"metadata": {"page": 4.0}}, {"R4"}),
        ({"metadata": {"page": "4"}}, set()),
        ({"metadata": {"page": True}}, set()),
        ({"metadata": {"deleted": True}}, {"R6"}),
        ({"metadata": {"category": 1}}, set()),
        ({"source": "대법원", "effective_from": "2027-01-01"}, set()),
    ],
)
def test_all_that_is_asked_for_holds_together(
    collection: CollectionIndex, wanted: dict[str, Any], expected: set[str]
) -> None:
    assert found_ids(collection, **wanted) == expected
    assert count_of(collection, DocumentFilter(**wanted)) == len(expected)


def test_a_statute_is_named_with_or_without_spaces(statute_index: KnowledgeIndex) -> None:
    law = statute_index.collections["law_common_db"]
    spaced, plain = found_ids(law, law="가게 보호법"), found_ids(law, law="가게보호법")
    assert spaced == plain
    assert {label.partition("|")[0] for label in plain} == {"가게보호법"}, "not its decree"


def test_lists_come_in_pages_and_by_a_word_of_the_title(collection: CollectionIndex) -> None:
    every = DocumentFilter()
    assert count_of(collection, every) == collection.documents
    assert [found.id for found in listed(collection, every, "드문 글", 2, 3)] == ["R2", "R3", "R4"]
    page = listed(collection, every, "드문 글 7", 0, 10)
    assert [(found.source, found.effective_date, found.passages) for found in page] == [("대법원", "2026-08-15", 1)]
    assert listed(collection, every, "%", 0, 10) == [], "no pattern, a word"


@pytest.mark.parametrize("side", ["both", "bm25", "vector"])
def test_as_many_hits_come_back_as_are_asked_for_from_what_fits_alone(
    knowledge: SmallKnowledge, index: KnowledgeIndex, collection: CollectionIndex, side: str
) -> None:
    """120 documents fit the query better than any that the filter lets through: a filter after ranking would give none."""
    searcher = HybridSearcher(
        index, knowledge.analyzer, knowledge.embedder, NoReranker(), LawNameFinder([], {}), combiner=None
    )
    if side == "bm25":
        collection.take_out([Part.VECTOR])
    request = SearchRequest(
        (QUERY,), (QUERY,), k=3, pool=20, vector_pool=10, vector_weight=0.5, fusion="score", rerank=False,
        lexical=side != "vector",
    )  # fmt: skip
    unfiltered = searcher.search("hr_labor_db", request)
    assert {hit.chunk.doc_id[0] for hit in unfiltered.hits} == {"N"}
    within = ordinals_of(collection, DocumentFilter(source="대법원", effective_from=date(2026, 2, 1)))
    hits = searcher.search("hr_labor_db", replace(request, within=within)).hits
    assert len(hits) == 3
    assert {hit.chunk.source_name for hit in hits} == {"대법원"}
    assert all("퇴직금" in hit.chunk.text for hit in hits), "the best of them"
    ways = {way for hit in hits for way in hit.found_by}
    assert ways == {"both": {"bm25", "vector"}, "bm25": {"bm25"}, "vector": {"vector"}}[side]


class NoReranker:
    id = "kiwi-none"

    def rerank(self, query: object, passages: object) -> list[float]:
        raise NotImplementedError


def test_the_wire_knows_every_type_of_document() -> None:
    assert set(get_args(DocumentKind)) == set(get_args(DocumentType))
