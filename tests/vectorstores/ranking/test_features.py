"""The features of candidates: by hand on a few, and what holds of any."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from vectorstores.ranking.features import (
    FEATURES,
    QUESTION_FEATURES,
    CandidateEvidence,
    Gathered,
    QuestionTerms,
    candidate_features,
    column_numbers,
)
from vectorstores.ranking.passages import PASSAGE_FEATURES

# The vocabulary, and how rare each of its terms is.
LEAVE, PAY, NOTICE, SHOP, ACT, RENT = range(6)
IDF = np.asarray([1.0, 2.0, 5.0, 3.0, 0.5, 4.0], dtype=np.float32)
NAME_IDF = np.where(np.arange(6) == ACT, 0.0, IDF).astype(np.float32)
Lists = Sequence[Sequence[int]]
SHARES = tuple(name for name in QUESTION_FEATURES if name not in ("lexical_mass", "context_mass", "cosine"))


def column(*values: float) -> NDArray[np.float32]:
    return np.asarray(values, dtype=np.float32)


def gathered(lists: Lists) -> Gathered:
    flat = np.asarray([term for row in lists for term in row], dtype=np.int32)
    return Gathered(flat, np.repeat(np.arange(len(lists)), [len(row) for row in lists]), len(lists))


def features(
    asked: Sequence[int],
    body: Lists,
    heading: Lists = (),
    name: Lists = (),
    scores: Sequence[float] = (),
    cosines: Sequence[float] = (),
) -> dict[str, list[float]]:
    """Columns by name of as many candidates as there are bodies; ``scores`` serve as every score."""
    count = len(body)
    scored = column(*(scores or [0.0] * count))
    ids = np.asarray(asked, dtype=np.int64)
    evidence = CandidateEvidence(
        lexical=scored,
        group=scored,
        context=scored,
        cosine=column(*(cosines or [0.0] * count)),
        body=gathered(body),
        heading=gathered(heading or [[] for _ in body]),
        name=gathered(name or [[] for _ in body]),
        idf=IDF,
        name_idf=NAME_IDF,
        passages=np.full((count, len(PASSAGE_FEATURES)), 0.25, dtype=np.float32),
    )
    matrix = candidate_features(QuestionTerms(ids, IDF[ids]), evidence)
    assert matrix.shape == (count, len(FEATURES))
    assert matrix.dtype == np.float32
    return {name: matrix[:, number].tolist() for number, name in enumerate(FEATURES)}


def test_coverage_is_the_share_of_the_questions_weight_in_text_or_heading() -> None:
    made = features([LEAVE, PAY, NOTICE], [[PAY, PAY, SHOP], [SHOP], [LEAVE, PAY, NOTICE]], [[], [NOTICE], []])
    assert made["coverage"] == pytest.approx([2 / 8, 5 / 8, 1.0])
    assert made["heading"] == pytest.approx([0.0, 5 / 8, 0.0])


def test_adjacency_is_the_weight_of_neighbours_that_are_neighbours() -> None:
    made = features([LEAVE, PAY, NOTICE], [[LEAVE, PAY, SHOP, NOTICE], [PAY, LEAVE], [SHOP, LEAVE, PAY, NOTICE]])
    assert made["adjacency"] == pytest.approx([(1 + 2) / 16, 0.0, (1 + 2 + 2 + 5) / 16])


def test_neighbours_do_not_reach_across_candidates() -> None:
    assert features([LEAVE, PAY], [[SHOP, LEAVE], [PAY, SHOP]])["adjacency"] == [0.0, 0.0]


def test_what_a_heading_and_a_name_ask_for() -> None:
    made = features([NOTICE, RENT], [[], [], []], [[NOTICE], [NOTICE, SHOP], []], [[RENT, ACT], [ACT], [SHOP, ACT]])
    assert made["heading_asked"] == pytest.approx([1.0, 5 / 8, 0.0])
    assert made["name_asked"] == pytest.approx([1.0, 0.0, 0.0]), "the word of every statute's name counts for nothing"
    assert made["name"] == pytest.approx([4 / 9, 0.0, 0.0])


def test_scores_are_taken_against_the_best_and_against_what_was_asked() -> None:
    made = features(
        [LEAVE, PAY], [[LEAVE], [PAY], []], [[PAY], [], []], scores=[1.5, 3.0, 0.0], cosines=[0.4, -0.2, 0.1]
    )
    for name in ("lexical", "group", "context"):
        assert made[name] == pytest.approx([0.5, 1.0, 0.0])
    for name in ("lexical_mass", "context_mass"):
        assert made[name] == pytest.approx([0.5, 1.0, 0.0])
    assert made["cosine"] == pytest.approx([0.4, -0.2, 0.1])
    assert made["cosine_share"] == pytest.approx([1.0, 0.0, 0.25])
    assert made["heading_in_group"] == pytest.approx([0.5, 0.0, 0.0])
    assert made["lexical_in_group"] == pytest.approx([0.25, 1.0, 0.0])


def test_what_is_known_before_the_question_comes_last_and_unchanged() -> None:
    made = features([LEAVE], [[LEAVE]])
    assert FEATURES[len(QUESTION_FEATURES) :] == PASSAGE_FEATURES
    assert {made[name][0] for name in PASSAGE_FEATURES} == {0.25}


def test_a_question_of_unknown_words_and_a_search_without_candidates() -> None:
    made = features([], [[LEAVE], [PAY]], [[SHOP], []])
    assert {value for name in QUESTION_FEATURES for value in made[name]} == {0.0}
    assert features([LEAVE], [])["coverage"] == []


term_lists = st.lists(st.integers(0, len(IDF) - 1), max_size=8)


@st.composite
def candidate_sets(draw: st.DrawFn) -> dict[str, list[float]]:
    count = draw(st.integers(1, 5))
    lists = st.lists(term_lists, min_size=count, max_size=count)
    numbers = st.lists(st.floats(0, 1e4, width=32), min_size=count, max_size=count)
    cosines = st.lists(st.floats(-1, 1, width=32), min_size=count, max_size=count)
    asked = draw(st.lists(st.integers(0, len(IDF) - 1), unique=True))
    return features(asked, draw(lists), draw(lists), draw(lists), draw(numbers), draw(cosines))


@given(candidate_sets())
def test_every_value_is_finite_and_every_share_a_share(made: dict[str, list[float]]) -> None:
    assert all(np.isfinite(value) for values in made.values() for value in values)
    for name in SHARES:
        assert all(0.0 <= value <= 1.0 + 1e-5 for value in made[name]), name
    for number in range(len(made["coverage"])):
        assert made["heading"][number] <= made["coverage"][number] + 1e-5
        assert made["adjacency"][number] <= made["coverage"][number] + 1e-5


def test_columns_by_name() -> None:
    assert column_numbers(["coverage", FEATURES[-1]]) == [FEATURES.index("coverage"), len(FEATURES) - 1]
    with pytest.raises(ValueError):
        column_numbers(["coverage", "luck"])
