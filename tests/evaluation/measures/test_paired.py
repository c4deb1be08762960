"""The paired test, against values that can be counted by hand."""

from __future__ import annotations

import pytest

from evaluation.measures.paired import Paired


def test_ties_count_for_neither() -> None:
    assert Paired.of([1, 0, 1, 1], [1, 1, 0, 0]) == Paired(better=2, worse=1)


@pytest.mark.parametrize(
    ("better", "worse", "p"), [(0, 0, 1.0), (1, 0, 1.0), (5, 0, 2 / 32), (0, 5, 2 / 32), (3, 1, 10 / 16), (60, 60, 1.0)]
)
def test_the_sign_test_is_exact(better: int, worse: int, p: float) -> None:
    assert Paired(better, worse).p == pytest.approx(p)


def test_a_hundred_to_sixty_is_no_chance() -> None:
    assert Paired(100, 60).p < 0.01
    assert str(Paired(3, 1)) == "+3 −1, p 0.62"
