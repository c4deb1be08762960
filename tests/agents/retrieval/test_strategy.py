"""The table of search modes, row by row, and what weighs in each."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.retrieval.strategy import (
    QuestionProfile,
    SearchMode,
    SearchStrategySelector,
    rare_term_count,
    vector_weight,
)
from utils.legal_reference import LawReference

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
        (profile(2, 0, sentences=2), SearchMode.MMR_DIVERSE),
        (profile(20, 5, sentences=3), SearchMode.VECTOR_HEAVY),
        (profile(18, 0), SearchMode.VECTOR_HEAVY),
        (profile(20, 6, sentences=3), SearchMode.HYBRID),
        (profile(17, 2, sentences=2), SearchMode.HYBRID),
        (profile(9, 1), SearchMode.HYBRID),
        (profile(4, 0), SearchMode.HYBRID),
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
    assert all(0.0 < vector_weight(mode, embedder, None) < 1.0 for embedder in (KIWI, NEURAL))


def test_neural_vectors_start_from_the_specified_weights() -> None:
    weights = {mode: vector_weight(mode, NEURAL, None) for mode in SearchMode}
    assert weights[SearchMode.BM25_HEAVY] == 0.2
    assert weights[SearchMode.VECTOR_HEAVY] == 0.9
    assert weights[SearchMode.HYBRID] == 0.7


@pytest.mark.parametrize("embedder_id", [KIWI, NEURAL])
def test_a_mode_weighs_the_side_it_is_named_after(embedder_id: str) -> None:
    words, both, vectors = (
        vector_weight(mode, embedder_id, None)
        for mode in (SearchMode.BM25_HEAVY, SearchMode.HYBRID, SearchMode.VECTOR_HEAVY)
    )
    assert words < both < vectors


def test_the_setting_replaces_the_weight_of_hybrid_alone() -> None:
    assert vector_weight(SearchMode.HYBRID, KIWI, 0.0) == 0.0
    assert vector_weight(SearchMode.HYBRID, NEURAL, 0.55) == 0.55
    assert vector_weight(SearchMode.VECTOR_HEAVY, NEURAL, 0.55) == 0.9


def test_a_specific_term_stands_in_few_documents_but_in_one_at_least() -> None:
    assert rare_term_count([0, 1, 10, 11, 50], 50) == 2
    assert rare_term_count([1_500, 1_600], 200_000) == 1
    assert rare_term_count([0], 0) == rare_term_count([], 50) == 0
