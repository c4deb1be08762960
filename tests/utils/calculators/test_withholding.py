"""Withholding by hand: 3 % and a tenth; 20 % of the 40 % that expenses leave and a tenth (소득세법 제84조, 제86조, 제129조)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.calculations import amounts, computed, first
from utils.calculators.result import YearUnknown

CASES = [
    ("business", 3_000_000, 99_000),
    ("business", 1_000_000, 33_000),
    ("business", 30_000, 990),  # no small-amount rule for 인적용역 사업소득 (소득세법 제86조, 시행령 제149조의3)
    ("other", 1_000_000, 88_000),
    ("other", 125_000, 0),  # 기타소득금액 50,000: 제84조
    ("other", 126_000, 11_080),  # 50,400 × 20 % = 10,080; local 1,008 → 1,000
    ("other_without_expense", 1_000_000, 220_000),
    ("other_without_expense", 50_000, 0),
]


@pytest.mark.parametrize(("kind", "payment", "withheld"), CASES)
def test_withholding(kind: str, payment: int, withheld: int) -> None:
    found = amounts(computed("freelancer_withholding", kind=kind, payment=payment))
    assert found["withheld"] == withheld
    assert found["paid"] == payment - withheld


def test_the_conclusion_says_what_is_paid() -> None:
    assert computed("freelancer_withholding", payment=3_000_000).conclusion == (
        "3,000,000원을 지급할 때 3.3% 원천징수세액은 99,000원이고, 실제로 지급할 금액은 2,901,000원입니다."
    )
    assert "세금을 떼지 않고" in computed("freelancer_withholding", payment=100_000, kind="other").conclusion


def test_another_year_is_refused() -> None:
    with pytest.raises(YearUnknown):
        computed("freelancer_withholding", payment=1_000, on="2027-01-01")


@given(payment=st.integers(1, 10**12), kind=st.sampled_from(["business", "other", "other_without_expense"]))
def test_nobody_gets_less_than_78_percent(payment: int, kind: str) -> None:
    assert 0 <= first("freelancer_withholding", kind=kind, payment=payment) <= payment * 0.22


@pytest.mark.parametrize(
    ("daily_pay", "days", "income_tax", "local_tax"),
    [
        (150_000, 1, 0, 0),
        (180_000, 1, 0, 0),  # 810 won: not withheld below 1,000
        (187_037, 1, 0, 0),  # 999.999 won
        (200_000, 1, 1_350, 130),
        (180_000, 2, 1_620, 160),
        (250_000, 4, 10_800, 1_080),
        (300_000, 10, 40_500, 4_050),
    ],
)
def test_day_labour(daily_pay: int, days: int, income_tax: int, local_tax: int) -> None:
    """(일당 - 150,000) × 6 % × 45 %: 소득세법 제47조제2항, 제129조제1항제4호, 제59조제3항, 제86조."""
    found = amounts(computed("day_labour_withholding", daily_pay=daily_pay, days=days))
    assert (found["income_tax"], found["local_tax"]) == (income_tax, local_tax)
    assert found["paid"] == daily_pay * days - income_tax - local_tax


@given(daily_pay=st.integers(1, 10**8), days=st.integers(1, 92))
def test_a_day_labourer_pays_less_than_three_percent(daily_pay: int, days: int) -> None:
    assert 0 <= first("day_labour_withholding", daily_pay=daily_pay, days=days) * 100 < 3 * daily_pay * days + 1
