"""Founding by hand from 지방세법 제28조제1항제6호, 제2항 and 제151조제1항제2호."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.calculations import amounts, computed


@pytest.mark.parametrize(
    ("capital", "metropolitan", "tax", "total"),
    [
        (100_000_000, True, 1_200_000, 1_440_000),
        (100_000_000, False, 400_000, 480_000),
        (10_000_000, False, 112_500, 135_000),
        (10_000_000, True, 337_500, 405_000),
        (28_125_000, False, 112_500, 135_000),
        (50_000_000, False, 200_000, 240_000),
    ],
)
def test_the_tax_of_founding(capital: int, metropolitan: bool, tax: int, total: int) -> None:
    found = amounts(computed("incorporation_tax", capital=capital, metropolitan=metropolitan))
    assert (found["tax"], found["total"]) == (tax, total)


@given(capital=st.integers(1, 10**13))
def test_the_crowded_area_costs_threefold(capital: int) -> None:
    outside = amounts(computed("incorporation_tax", capital=capital, metropolitan=False))
    inside = amounts(computed("incorporation_tax", capital=capital, metropolitan=True))
    assert inside["tax"] == 3 * outside["tax"] >= 337_500
