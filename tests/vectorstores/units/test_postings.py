"""Which terms stand where: of several terms at once, and what a text has of what is asked."""

from __future__ import annotations

import numpy as np
import pytest

from vectorstores.units.letter_pairs import LetterPairs
from vectorstores.units.postings import Overlap, Postings, distinct

# Term 0 stands in places 0 and 2, term 1 nowhere, term 2 in place 2; the term after the last is any unknown one.
POSTINGS = Postings.of(np.array([0, 0, 2]), np.array([0, 2, 2]), 3, 4)
ASKED = POSTINGS.of_terms(np.array([2, 3, 0, 1]))


@pytest.mark.parametrize("numbers", [[], [7], [3, 1, 3, -2, 1], [5, 5, 5]])
def test_distinct_numbers_are_those_of_numpy(numbers: list[int]) -> None:
    values = np.asarray(numbers, dtype=np.int64)
    assert distinct(values).tolist() == np.unique(values).tolist()


def test_the_weights_of_the_terms_of_a_place_add_up() -> None:
    assert ASKED.sums(np.array([0.5, 8.0, 2.0, 9.0])).tolist() == [2.0, 0.0, 2.5, 0.0]


def test_a_place_has_the_terms_that_stand_there_and_no_place_an_unknown_one() -> None:
    assert np.argwhere(ASKED.flags()).tolist() == [[0, 2], [2, 0], [2, 2]]


def test_what_belongs_to_the_places_is_taken_in_the_order_of_the_terms() -> None:
    assert POSTINGS.joined(np.array([10.0, 20.0, 30.0]), np.array([2, 0])).tolist() == [30.0, 10.0, 20.0]


def test_of_no_terms_no_place_has_any() -> None:
    asked = POSTINGS.of_terms(np.zeros(0, dtype=np.int64))
    assert asked.sums(np.zeros(0)).tolist() == [0.0] * 4
    assert asked.flags().shape == (0, 4)


def test_the_overlap_of_two_is_twice_what_they_share_of_what_both_have() -> None:
    overlap = Overlap.of(np.array([2.0, 0.0]), 4.0, np.array([2.0, 6.0]))
    assert overlap.dice == pytest.approx([4 / 6, 0.0])
    assert overlap.share(np.array([0])) == pytest.approx([0.5])


def test_a_text_that_asks_nothing_overlaps_with_none() -> None:
    assert not LetterPairs(["부가세 신고", ""]).overlap("?!").dice.any()


def test_pairs_of_letters_bridge_blanks_and_a_pair_of_no_text_counts_against_all() -> None:
    pairs = LetterPairs(["부가세 신고", "퇴직금"])
    same, longer = pairs.overlap("부가 세신고"), pairs.overlap("부가세 신고하기")
    assert same.dice == pytest.approx([1.0, 0.0])
    assert 0.5 < longer.dice[0] < 1.0
