"""The input of the reranker: readings of the question by rarity, and passages with their indexed terms."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.support.small_index import SmallKnowledge, record, write_lines
from tests.support.small_searcher import BrokenReranker, WrittenReranker, copied, cut, open_searcher
from utils.config.settings import Settings
from utils.documents import Hit
from vectorstores.index import KnowledgeIndex
from vectorstores.rerankers.base import RerankerUnavailable

HR, TAX = "hr_labor_db", "finance_tax_db"


@pytest.fixture(scope="module")
def knowledge(tmp_path_factory: pytest.TempPathFactory) -> SmallKnowledge:
    folder = tmp_path_factory.mktemp("relevance")
    made = SmallKnowledge(Settings(data_dir=folder / "data"))
    labour = [record(f"L{number}", f"임금 번호{number}") for number in range(9)]
    tax = [record(f"T{number}", f"세금 번호{number}", "finance_tax") for number in range(3)]
    made.add(write_lines(folder / "a.jsonl", *labour, *tax))
    return made


@pytest.fixture(scope="module")
def index(knowledge: SmallKnowledge) -> Iterator[KnowledgeIndex]:
    opened = knowledge.store.open_current()
    yield opened
    opened.close()


def by_number(reranker_id: str = "kiwi-written") -> WrittenReranker:
    return WrittenReranker(lambda passage: int(passage.text[-1]) / 10, reranker_id)


def test_relevances_come_in_the_order_asked(knowledge: SmallKnowledge, index: KnowledgeIndex) -> None:
    searcher = open_searcher(knowledge, index, by_number())
    target = index.collections[HR]
    ordinals = [target.by_document(name)[0] for name in ("L7", "L2", "L5")]
    assert searcher.relevance_of(HR, ["임금"], np.asarray(ordinals)) == [0.7, 0.2, 0.5]


def test_hits_of_several_collections_are_judged_as_one(knowledge: SmallKnowledge, index: KnowledgeIndex) -> None:
    reranker = by_number()
    searcher = open_searcher(knowledge, index, reranker)
    chunks = [index.collections[TAX].chunk_by_id("T1"), index.collections[HR].chunk_by_id("L1")]
    hits = [Hit(chunk, 0.0) for chunk in chunks if chunk is not None]
    assert searcher.relevance(["임금 세금 번호1"], hits) == [0.1, 0.1]
    wages, taxes, mark = reranker.queries[0].readings[0].weights
    assert mark > taxes > wages > 0, "by how many chunks of all collections hold the term: 2, 3, 9"
    assert len({passage.key for passage in reranker.passages}) == 2


def test_the_rarity_of_a_term_is_that_of_the_collection(knowledge: SmallKnowledge, index: KnowledgeIndex) -> None:
    reranker = by_number()
    open_searcher(knowledge, index, reranker).relevance_of(HR, ["임금 세금"], np.asarray([0]))
    wages, unknown = reranker.queries[0].readings[0].weights
    assert unknown > 10 * wages


def test_a_reading_that_says_less_counts_less(knowledge: SmallKnowledge, index: KnowledgeIndex) -> None:
    reranker = by_number()
    readings = ["임금 번호1 번호2", "임금", "번호1", "임금"]
    open_searcher(knowledge, index, reranker).relevance_of(HR, readings, np.asarray([0]))
    query = reranker.queries[0]
    assert query.text == readings[0]
    full, common, rare = query.readings
    assert [reading.terms for reading in query.readings] == [("임금", "번호1", "번호2"), ("임금",), ("번호1",)]
    assert full.scale == 1.0 > rare.scale > common.scale >= 0.6


def test_a_passage_brings_its_indexed_terms(knowledge: SmallKnowledge, index: KnowledgeIndex) -> None:
    reranker = by_number()
    searcher = open_searcher(knowledge, index, reranker)
    analyzed = knowledge.analyzer.analyzed
    searcher.relevance_of(HR, ["임금"], np.asarray([3]))
    (passage,) = reranker.passages
    assert (passage.title, passage.text) == ("L3 안내", "임금 번호3")
    assert set(passage.load_terms()) == {"임금", "번호3", "L3", "안내"}
    assert knowledge.analyzer.analyzed == analyzed + 1, "only the question is analysed"


def test_terms_of_a_damaged_index_are_analysed_anew(knowledge: SmallKnowledge, tmp_path: Path) -> None:
    damaged = copied(knowledge, tmp_path / "var")
    cut(damaged, "body.ids.npy", collection=HR)
    index = damaged.store.open_current()
    reranker = by_number()
    open_searcher(damaged, index, reranker).relevance_of(HR, ["임금 번호3"], np.asarray([3]))
    assert set(reranker.passages[0].load_terms()) == {"임금", "번호3", "L3", "안내"}
    assert len(set(reranker.queries[0].readings[0].weights)) == 1, "no term is known to be rarer than another"
    index.close()


def test_a_provider_that_is_away_is_the_callers_to_handle(knowledge: SmallKnowledge, index: KnowledgeIndex) -> None:
    with pytest.raises(RerankerUnavailable):
        open_searcher(knowledge, index, BrokenReranker()).relevance_of(HR, ["임금"], np.asarray([0]))
