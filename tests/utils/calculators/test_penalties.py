"""Penalties by hand from 국세기본법 제47조의2 to 제48조: 1,000,000 won of tax."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.calculations import amounts, computed, first
from utils.calculators.result import YearUnknown

CASES = [
    ({}, 200_000),
    ({"fraud": True}, 400_000),
    ({"days_late": 100}, 222_000),  # + 1,000,000 × 100 × 22/100,000
    ({"months_late": 1}, 100_000),
    ({"months_late": 3}, 140_000),
    ({"months_late": 6}, 160_000),
    ({"months_late": 7}, 200_000),
    ({"revenue": 1_000_000_000}, 700_000),
    ({"revenue": 100_000_000}, 200_000),
    ({"revenue": 1_000_000_000, "fraud": True}, 1_400_000),
    ({"kind": "under_return"}, 100_000),
    ({"kind": "under_return", "fraud": True}, 400_000),
    ({"kind": "under_return", "months_late": 1}, 10_000),
    ({"kind": "under_return", "months_late": 3}, 25_000),
    ({"kind": "under_return", "months_late": 6}, 50_000),
    ({"kind": "under_return", "months_late": 12}, 70_000),
    ({"kind": "under_return", "months_late": 18}, 80_000),
    ({"kind": "under_return", "months_late": 24}, 90_000),
    ({"kind": "under_return", "months_late": 25}, 100_000),
    ({"kind": "late_payment", "days_late": 365}, 80_300),
]


@pytest.mark.parametrize(("figures", "penalty"), CASES)
def test_filing_penalty(figures: dict[str, Any], penalty: int) -> None:
    assert first("filing_penalty", tax=1_000_000, **figures) == penalty


def test_both_penalties_are_told_apart() -> None:
    found = computed("filing_penalty", tax=1_000_000, days_late=100)
    assert (
        found.conclusion
        == "세액 1,000,000원의 무신고 가산세는 모두 222,000원(무신고 200,000원, 납부지연 22,000원)입니다."
    )
    assert amounts(found)["late"] == 22_000


def test_another_year_is_refused() -> None:
    with pytest.raises(YearUnknown):
        computed("filing_penalty", tax=1_000_000, on="2027-01-01")


@given(tax=st.integers(1, 10**12), days=st.integers(0, 3_000), month=st.integers(1, 30))
def test_later_never_costs_less(tax: int, days: int, month: int) -> None:
    figures = {"tax": tax, "days_late": days}
    assert first("filing_penalty", months_late=month, **figures) <= first(
        "filing_penalty", months_late=month + 1, **figures
    )
    assert first("filing_penalty", **figures) <= first("filing_penalty", tax=tax, days_late=days + 1)


def test_sales_before_the_registration() -> None:
    """부가가치세법 제60조제1항제1호: 1 %."""
    assert computed("unregistered_penalty", sales=30_000_000).values[0].amount == 300_000


@pytest.mark.parametrize(("voluntary", "penalty"), [(False, 100_000), (True, 50_000)])
def test_a_cash_receipt_that_was_not_issued(voluntary: bool, penalty: int) -> None:
    """소득세법 제81조의9제2항제3호: 20 %, 10 % where it is issued within ten days."""
    assert computed("cash_receipt_penalty", amount=500_000, voluntary=voluntary).values[0].amount == penalty


@given(amount=st.integers(1, 10**12))
def test_who_reports_pays_no_more(amount: int) -> None:
    own, found_out = (
        computed("cash_receipt_penalty", amount=amount, voluntary=voluntary).values[0].amount
        for voluntary in (True, False)
    )
    assert own <= found_out <= amount
