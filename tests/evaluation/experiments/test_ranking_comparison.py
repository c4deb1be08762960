"""The learned order beside the plain fusion."""

from __future__ import annotations

import pytest

from evaluation.experiments.ranking_comparison import RelevanceReader, compare_orders
from evaluation.measures.judged_candidates import ExampleCollector
from evaluation.questions import EvaluationQuestion
from evaluation.training.ranking import LEARNED
from tests.support.small_index import SmallKnowledge
from tests.support.small_searcher import WrittenReranker, open_searcher
from vectorstores.rerankers.base import RerankPassage
from vectorstores.search.hybrid import HybridSearcher


def for_the_signboard(passage: RerankPassage) -> float:
    return 1.0 if "간판" in passage.text else 0.0


@pytest.fixture
def reranker() -> WrittenReranker:
    return WrittenReranker(for_the_signboard, "local-written")


@pytest.fixture
def reader(shop_knowledge: SmallKnowledge, shops: HybridSearcher, reranker: WrittenReranker) -> RelevanceReader:
    return RelevanceReader(open_searcher(shop_knowledge, shops.index, reranker), pool=20)


def test_every_configuration_is_scored_on_the_same_questions(
    collector: ExampleCollector, shop_questions: list[EvaluationQuestion], reader: RelevanceReader
) -> None:
    examples = collector.collect(shop_questions)
    figures = compare_orders(examples, LEARNED, 0.0, reader, list)
    assert list(figures) == ["fusion", "fusion + reranker", "learned order", "learned order + reranker"]
    assert {row["questions"] for row in figures.values()} == {5.0}
    assert figures["fusion"]["any@1"] >= 0.8
    assert figures["fusion + reranker"]["any@1"] == 0.2, "a cross-encoder decides alone"
    assert figures["learned order + reranker"]["any@1"] == figures["learned order"]["any@1"], "it weighs nothing"
    decided = compare_orders(examples, LEARNED, 1000.0, reader, list)
    assert decided["learned order + reranker"]["any@1"] == 0.2, "one question asks for the signboard"


def test_no_candidate_is_judged_twice(
    collector: ExampleCollector,
    shop_questions: list[EvaluationQuestion],
    reader: RelevanceReader,
    reranker: WrittenReranker,
) -> None:
    compare_orders(collector.collect(shop_questions), LEARNED, 1.0, reader, list)
    asked = [(query.text, key) for query, key in reranker.judged]
    assert len(asked) == len(set(asked)) > 0
