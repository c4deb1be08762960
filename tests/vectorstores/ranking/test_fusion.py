"""Fusion of ranked lists against sums by hand, and what holds of any lists."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vectorstores.ranking.fusion import maximal_marginal_relevance, reciprocal_rank_fusion, score_fusion

rankings = st.lists(st.tuples(st.lists(st.integers(0, 9), unique=True), st.floats(0.01, 1)), max_size=4)
scored = st.dictionaries(st.integers(0, 9), st.floats(0.01, 100))


def test_reciprocal_ranks_by_hand() -> None:
    fused = reciprocal_rank_fusion([(["a", "b"], 0.7), (["b", "c", "a"], 0.3)])
    assert fused == pytest.approx({"a": 0.7 / 61 + 0.3 / 63, "b": 0.7 / 62 + 0.3 / 61, "c": 0.3 / 62})
    assert reciprocal_rank_fusion([(["a"], 1.0)], k=1) == {"a": 0.5}
    assert reciprocal_rank_fusion([]) == {}


@given(rankings)
def test_ranks_decide_and_nothing_is_lost(lists: list[tuple[list[int], float]]) -> None:
    fused = reciprocal_rank_fusion(lists)
    assert fused.keys() == {key for ranking, _ in lists for key in ranking}
    for first, second in ((a, b) for a in fused for b in fused if a != b):
        if all(
            first in ranks and (second not in ranks or ranks.index(first) < ranks.index(second)) for ranks, _ in lists
        ):
            assert fused[first] > fused[second]


def test_scores_by_hand() -> None:
    fused = score_fusion({"a": 4.0, "b": 2.0}, {"b": 0.5, "c": 0.8, "d": -0.3}, dense_weight=0.25)
    assert fused == pytest.approx({"a": 0.75, "b": 0.75 * 0.5 + 0.25 * 0.5, "c": 0.25 * 0.8, "d": 0.0})
    assert score_fusion({}, {"a": 0.5}, 0.4) == pytest.approx({"a": 0.2})
    assert score_fusion({"a": 3.0}, {}, 0.4) == pytest.approx({"a": 0.6})
    assert score_fusion({}, {}, 0.4) == {}


@given(scored, st.dictionaries(st.integers(0, 9), st.floats(-1, 1)), st.floats(0, 1), st.floats(0.1, 10))
def test_a_scale_of_bm25_changes_nothing(
    lexical: dict[int, float], cosines: dict[int, float], weight: float, factor: float
) -> None:
    fused = score_fusion(lexical, cosines, weight)
    assert fused == pytest.approx(
        score_fusion({key: factor * score for key, score in lexical.items()}, cosines, weight)
    )
    assert all(0.0 <= value <= 1.0 + 1e-9 for value in fused.values())


def test_a_copy_gives_way_to_something_else() -> None:
    vectors = np.asarray([[1, 0], [1, 0], [0, 1]], dtype=np.float32)
    assert maximal_marginal_relevance([1.0, 0.9, 0.5], vectors, 3, 0.6) == [0, 2, 1]
    assert maximal_marginal_relevance([1.0, 0.9, 0.5], vectors, 2, 1.0) == [0, 1], "λ 1 is relevance alone"
    assert maximal_marginal_relevance([0.2, 0.9, 0.5], vectors, 1, 0.6) == [1]
    assert maximal_marginal_relevance([], vectors[:0], 3, 0.6) == []


@given(st.lists(st.sampled_from([0.0, 0.1, 0.5, 0.9, 1.0]), max_size=8), st.integers(0, 10), st.floats(0.01, 1))
def test_each_item_is_chosen_once_and_the_best_first(relevance: list[float], k: int, trade: float) -> None:
    vectors = np.random.default_rng(1).standard_normal((len(relevance), 4)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True) + 1e-9
    chosen = maximal_marginal_relevance(relevance, vectors, k, trade)
    assert len(chosen) == len(set(chosen)) == min(k, len(relevance))
    if chosen:
        assert relevance[chosen[0]] == max(relevance)
