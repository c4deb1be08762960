"""The table of search modes, row by row, and what weighs in each."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.retrieval.search_mode import (
    QuestionProfile,
    SearchMode,
    SearchStrategySelector,
    balance,
    rare_term_count,
)
from utils.law.question_references import LawReference

KIWI, NEURAL = "kiwi-words", "openai-text-embedding-3-small"
CITED = (LawReference("근로기준법", "제60조"),)


def profile(terms: int, rare: int, sentences: int = 1, text: str = "질문") -> QuestionProfile:
    return QuestionProfile(text, tuple(f"용어{number}" for number in range(terms)), (), rare, sentences)


@pytest.mark.parametrize(
    ("asked", "mode"),
    [
        (profile(3, 1), SearchMode.BM25_HEAVY),
        (profile(8, 1), SearchMode.BM25_HEAVY),
        (profile(6, 0, text="신고 기한은 언제인가요?"), SearchMode.BM25_HEAVY),
        (profile(2, 0, text="얼마인가요?"), SearchMode.BM25_HEAVY),
        (profile(3, 0), SearchMode.MMR_DIVERSE),
        (profile(0, 0), SearchMode.MMR_DIVERSE),
        (profile(5, 0, sentences=2), SearchMode.MMR_DIVERSE),
        (profile(20, 8, sentences=3), SearchMode.VECTOR_HEAVY),
        (profile(10, 0), SearchMode.VECTOR_HEAVY),
        (profile(20, 9, sentences=3), SearchMode.HYBRID),
        (profile(9, 2, sentences=2), SearchMode.HYBRID),
        (profile(9, 1), SearchMode.HYBRID),
        (profile(6, 0), SearchMode.HYBRID),
        (profile(4, 1, sentences=2), SearchMode.HYBRID),
    ],
)
def test_the_first_row_that_matches_wins(asked: QuestionProfile, mode: SearchMode) -> None:
    selector = SearchStrategySelector(adaptive=True)
    assert selector.select(asked) is mode
    assert selector.select(replace(asked, references=CITED)) is SearchMode.EXACT_PLUS_VECTOR
    assert SearchStrategySelector(adaptive=False).select(replace(asked, references=CITED)) is SearchMode.HYBRID


@given(st.integers(0, 60), st.integers(0, 60), st.integers(1, 9))
def test_every_question_has_a_mode_and_a_share_of_the_vectors(terms: int, rare: int, sentences: int) -> None:
    mode = SearchStrategySelector(adaptive=True).select(profile(terms, min(rare, terms), sentences))
    for embedder in (KIWI, NEURAL):
        sides = balance(mode, embedder)
        assert 0.0 < sides.weight < 1.0
        assert 0.0 < sides.pool < 1.0


@pytest.mark.parametrize("mode", SearchMode)
def test_an_evaluation_searches_in_the_mode_it_names(mode: SearchMode) -> None:
    assert SearchStrategySelector(adaptive=True, forced=mode).select(profile(3, 1)) is mode


def test_neural_vectors_start_from_the_specified_weights() -> None:
    weights = {mode: balance(mode, NEURAL).weight for mode in SearchMode}
    assert weights[SearchMode.BM25_HEAVY] == 0.2
    assert weights[SearchMode.VECTOR_HEAVY] == 0.9
    assert weights[SearchMode.HYBRID] == 0.7


@pytest.mark.parametrize("embedder_id", [KIWI, NEURAL])
def test_a_mode_weighs_the_side_it_is_named_after(embedder_id: str) -> None:
    words, both, vectors = (
        balance(mode, embedder_id) for mode in (SearchMode.BM25_HEAVY, SearchMode.HYBRID, SearchMode.VECTOR_HEAVY)
    )
    assert words.weight < both.weight < vectors.weight
    assert words.pool < both.pool < vectors.pool


def test_the_learned_order_leans_to_the_side_of_the_mode() -> None:
    tilts = {mode: balance(mode, KIWI).tilt for mode in SearchMode}
    assert tilts[SearchMode.BM25_HEAVY] < tilts[SearchMode.HYBRID] == 0.0 < tilts[SearchMode.VECTOR_HEAVY]


def test_the_setting_replaces_the_weight_of_hybrid_alone() -> None:
    assert balance(SearchMode.HYBRID, KIWI, 0.0).weight == 0.0
    assert balance(SearchMode.HYBRID, NEURAL, 0.55).weight == 0.55
    assert balance(SearchMode.VECTOR_HEAVY, NEURAL, 0.55).weight == 0.9


def test_a_specific_term_stands_in_few_documents_but_in_one_at_least() -> None:
    assert rare_term_count([0, 1, 10, 11, 50], 50) == 2
    assert rare_term_count([1_500, 1_600], 200_000) == 1
    assert rare_term_count([0], 0) == rare_term_count([], 50) == 0
