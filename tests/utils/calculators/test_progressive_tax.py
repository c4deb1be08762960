"""Progressive taxes against the sums that 소득세법 제55조 and 법인세법 제55조 themselves give at their brackets' ends."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.calculations import amounts, computed, first
from utils.calculators.result import CalculationRefused, YearUnknown

INCOME = [
    (0, 0), (14_000_000, 840_000), (40_000_000, 4_740_000), (50_000_000, 6_240_000), (88_000_000, 15_360_000),
    (150_000_000, 37_060_000), (300_000_000, 94_060_000), (500_000_000, 174_060_000), (1_000_000_000, 384_060_000),
    (2_000_000_000, 834_060_000),
]  # fmt: skip


@pytest.mark.parametrize(("base", "tax"), INCOME)
def test_income_tax(base: int, tax: int) -> None:
    found = amounts(computed("income_tax", taxable_income=base))
    assert (found["income_tax"], found["local_tax"]) == (tax, tax // 10)


def test_a_salary_of_40_million() -> None:
    """By hand.

    근로소득공제 7,500,000 + 25,000,000 × 15 % = 11,250,000; 기본공제 1,500,000: base 27,250,000; tax 840,000 + 13,250,000 × 15 % =
    2,827,500; 근로소득세액공제 at most 740,000 - 7,000,000 × 0.8 % = 684,000; 표준세액공제 130,000: 2,013,500.
    """
    found = amounts(computed("income_tax", salary=40_000_000))
    assert found == {"income_tax": 2_013_500, "local_tax": 201_350, "total": 2_214_850, "taxable_income": 27_250_000}


@pytest.mark.parametrize(
    ("salary", "tax"),
    [
        # 70 %: 3,500,000 off 5,000,000, base 0
        (5_000_000, 0),
        # 9,750,000 off: net 20,250,000, base 18,750,000, tax 1,552,500, credit 715,000 + 75,750 → 740,000
        (30_000_000, 682_500),
        # 14,750,000 off: net 85,250,000, base 83,750,000, tax 14,340,000, credit 660,000 - 15,000,000 → 500,000
        (100_000_000, 13_710_000),
    ],
)
def test_other_salaries(salary: int, tax: int) -> None:
    assert first("income_tax", salary=salary) == tax


def test_net_income_of_a_sole_trader() -> None:
    """50,000,000 - 3 × 1,500,000 - 2,000,000 = 43,500,000; 840,000 + 29,500,000 × 15 %."""
    found = computed("income_tax", net_income=50_000_000, dependants=2, other_deductions=2_000_000)
    assert found.values[0].amount == 5_265_000


@pytest.mark.parametrize("figures", [{}, {"taxable_income": 1, "salary": 1}])
def test_income_is_given_once(figures: dict[str, Any]) -> None:
    with pytest.raises(CalculationRefused, match="하나만"):
        computed("income_tax", **figures)


CORPORATE = [
    ("2026-01-01", {"taxable_income": 200_000_000}, 20_000_000),
    ("2026-01-01", {"taxable_income": 300_000_000}, 40_000_000),
    ("2026-01-01", {"taxable_income": 20_000_000_000}, 3_980_000_000),
    ("2026-01-01", {"taxable_income": 300_000_000_000}, 65_580_000_000),
    ("2026-01-01", {"taxable_income": 400_000_000_000}, 90_580_000_000),
    ("2026-01-01", {"taxable_income": 200_000_000, "small_family": True}, 40_000_000),
    ("2026-01-01", {"taxable_income": 300_000_000_000, "small_family": True}, 65_600_000_000),
    ("2026-01-01", {"taxable_income": 100_000_000, "months": 6}, 10_000_000),
    ("2025-01-01", {"taxable_income": 300_000_000}, 37_000_000),
]


@pytest.mark.parametrize(("today", "figures", "tax"), CORPORATE)
def test_corporate_tax(today: str, figures: dict[str, Any], tax: int) -> None:
    found = amounts(computed("corporate_tax", date.fromisoformat(today), **figures))
    assert (found["corporate_tax"], found["local_tax"]) == (tax, tax // 10)


@pytest.mark.parametrize("key", ["income_tax", "corporate_tax"])
def test_the_rates_of_next_year_are_not_guessed(key: str) -> None:
    with pytest.raises(YearUnknown, match="2027년"):
        computed(key, taxable_income=1_000_000, on="2027-01-01")


@pytest.mark.parametrize("key", ["income_tax", "corporate_tax"])
@given(base=st.integers(1, 10**12), more=st.integers(1, 10**9))
def test_more_income_is_more_tax_and_never_all_of_it(key: str, base: int, more: int) -> None:
    tax, of_more = (first(key, taxable_income=value) for value in (base, base + more))
    assert 0 <= tax <= base * 0.45
    assert 0 <= of_more - tax <= more * 0.45 + 10
