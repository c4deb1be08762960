"""Measuring fusions: pure choices, and the table over a small index."""

from __future__ import annotations

import pytest

from agents.retrieval.plan import SearchPlanner
from agents.retrieval.search_mode import SearchMode
from evaluation.experiments.fusion_sweep import (
    KINDS,
    WEIGHTS,
    FusionTrial,
    best_fusion,
    held_out_mean_reciprocal_rank,
    markdown,
    mean_reciprocal_rank,
    run_trials,
)
from evaluation.measures.judged_candidates import ExampleCollector
from evaluation.questions import EvaluationQuestion
from vectorstores.ranking.combiner import MeasuredFusion
from vectorstores.ranking.fusion import Fusion
from vectorstores.search.hybrid import HybridSearcher

SHORT, LONG = SearchMode.BM25_HEAVY, SearchMode.VECTOR_HEAVY


def trial(mode: SearchMode, kind: Fusion, best: float) -> FusionTrial:
    """A question for which ``kind`` with the weight ``best`` ranks its answer first, and others the worse the farther."""
    ranks = {
        (candidate, weight): 1 / (1 + abs(weight - best) + (candidate != kind))
        for candidate in KINDS
        for weight in WEIGHTS
    }
    return FusionTrial(mode, 0.25, ranks)


def test_each_mode_has_its_own_weight_where_enough_questions_say_so() -> None:
    trials = (
        [trial(SHORT, "score", 0.2)] * 60 + [trial(LONG, "score", 0.8)] * 100 + [trial(SearchMode.HYBRID, "score", 0)]
    )
    best = best_fusion(trials)
    assert best.kind == "score"
    assert best.vector_weights[SHORT] == 0.2
    assert best.vector_weights[LONG] == 0.8
    assert best.vector_weights[SearchMode.HYBRID] == 0.8, "one question is not enough: the best of all"
    assert set(best.vector_weights) == {mode.value for mode in SearchMode}


def test_the_kind_that_ranks_best_is_chosen() -> None:
    trials = [trial(LONG, "rrf", 0.5)] * 3 + [trial(LONG, "score", 0.5)] * 2
    assert best_fusion(trials).kind == "rrf"
    assert mean_reciprocal_rank(trials, best_fusion(trials)) == pytest.approx((3 * 1 + 2 * 0.5) / 5)
    assert mean_reciprocal_rank(trials, None) == 0.25


def test_what_is_held_out_is_not_chosen_on() -> None:
    """Each half wants another weight, so that each is judged by what the other wants."""
    trials = [trial(LONG, "rrf", 0.0), trial(LONG, "rrf", 1.0)] * 5
    assert held_out_mean_reciprocal_rank(trials) == pytest.approx(0.5)
    assert mean_reciprocal_rank(trials, best_fusion(trials)) > 0.6


def test_without_a_question_nothing_is_chosen() -> None:
    with pytest.raises(ValueError, match="gold"):
        best_fusion([])


def test_the_table_over_an_index(
    shops: HybridSearcher, planner: SearchPlanner, shop_questions: list[EvaluationQuestion]
) -> None:
    configured = MeasuredFusion(kind="rrf", vector_weights={mode.value: 0.3 for mode in SearchMode})
    trials = run_trials(shops, ExampleCollector(shops, planner, configured).planned(shop_questions))
    assert len(trials) == len(shop_questions)
    assert [trial.configured for trial in trials] == [trial.reciprocal_ranks["rrf", 0.3] for trial in trials]
    assert trials[0].configured == 1.0
    text = markdown(trials, "hash-1")
    assert text.count("| rrf |") == text.count("| score |") == len(WEIGHTS)
    assert f"all ({len(shop_questions)})" in text
    assert "best: " in text
