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
