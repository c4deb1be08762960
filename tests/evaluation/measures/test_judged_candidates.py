"""Questions with the candidates that the search brings up for them."""

from __future__ import annotations

import numpy as np
import pytest

from agents.retrieval.plan import SearchPlanner
from agents.retrieval.search_mode import SearchMode
from evaluation.measures.judged_candidates import ExampleCollector, RankingExample
from evaluation.questions import EvaluationQuestion
from evaluation.training.ranking import learn_weights
from utils.config.settings import Settings
from vectorstores.ranking.combiner import MeasuredFusion
from vectorstores.ranking.features import FEATURES
from vectorstores.search.hybrid import HybridSearcher


def ask(question: str, *gold: str) -> EvaluationQuestion:
    return EvaluationQuestion(id="q", question=question, gold=gold)


def unjudged(example: RankingExample) -> list[str]:
    return [name for name, judged in zip(example.ids, example.judged, strict=True) if not judged]


def test_a_guide_that_rests_on_the_answering_article_may_answer_too(collector: ExampleCollector) -> None:
    (example,) = collector.collect([ask("가게를 쉬려면 휴업 신고를 하나요?", "가게보호법|제3조")])
    assert example.collection == "law_common_db"
    assert example.found
    assert [name for name, gold in zip(example.ids, example.gold, strict=True) if gold] == ["가게보호법|제3조"]
    assert unjudged(example) == ["G1"]
    assert example.features.shape == (len(example.ids), len(FEATURES))
    assert example.ordinals.tolist() == sorted(example.ordinals.tolist())


def test_so_may_the_article_that_the_answering_guide_rests_on(collector: ExampleCollector) -> None:
    (example,) = collector.collect([ask("가게를 쉬려면 무엇을 붙이나요?", "G1")])
    assert unjudged(example) == ["가게보호법|제3조"]


def test_a_guide_on_something_else_does_not_answer(collector: ExampleCollector) -> None:
    (example,) = collector.collect([ask("가게를 닫으면 폐업 신고를 하나요?", "가게보호법|제4조")])
    assert "G1" in example.ids
    assert unjudged(example) == []


def test_a_question_whose_answer_is_not_in_the_index_teaches_nothing(collector: ExampleCollector) -> None:
    assert collector.collect([ask("가게를 쉬려면?", "나라법|제1조"), ask("가게를 쉬려면?")]) == []


def test_a_question_that_finds_nothing_is_no_hindrance(
    collector: ExampleCollector, shop_questions: list[EvaluationQuestion]
) -> None:
    (empty,) = collector.collect([ask("???", "G1")])
    assert (empty.ids, empty.found) == ((), False)
    examples = collector.collect(shop_questions)
    columns = range(len(FEATURES))
    np.testing.assert_array_equal(learn_weights([empty, *examples], columns), learn_weights(examples, columns))


def test_candidates_without_features_teach_no_order(shops: HybridSearcher, planner: SearchPlanner) -> None:
    lexical_off = SearchPlanner(Settings(enable_hybrid_search=False), planner.expander)
    with pytest.raises(ValueError, match="hybrid search"):
        ExampleCollector(shops, lexical_off).collect([ask("가게를 쉬려면?", "G1")])


def test_candidates_are_fused_as_measured(shops: HybridSearcher, planner: SearchPlanner) -> None:
    question = ask("가게를 쉬려면 휴업 신고를 하나요?", "가게보호법|제3조")
    measured = MeasuredFusion(kind="rrf", vector_weights={mode.value: 0.9 for mode in SearchMode})
    (planned,) = ExampleCollector(shops, planner, measured).planned([question])
    assert (planned.request.fusion, planned.request.vector_weight) == ("rrf", 0.9)
    (usual,) = ExampleCollector(shops, planner).planned([question])
    assert usual.request.fusion == "score"
