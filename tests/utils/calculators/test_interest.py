"""Late interest by hand: 민법 제379조 5 %, 상법 제54조 6 %, 소송촉진법 제3조 12 %, 근로기준법 시행령 제17조 20 %;
loans by the annuity formula."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.calculations import amounts, computed, first
from utils.calculators.result import CalculationRefused

CASES = [
    ({"kind": "commercial", "days": 365}, 600_000),
    ({"kind": "civil", "days": 73}, 100_000),
    ({"kind": "lawsuit", "days": 365}, 1_200_000),
    ({"kind": "wage", "days": 73}, 400_000),
    ({"kind": "commercial", "days": 365, "agreed_percent": 10}, 1_000_000),
    ({"kind": "wage", "days": 365, "agreed_percent": 5}, 2_000_000),
    ({"kind": "commercial", "days": 0}, 0),
]


@pytest.mark.parametrize(("figures", "interest"), CASES)
def test_late_interest_of_ten_million_won(figures: dict[str, Any], interest: int) -> None:
    assert first("late_interest", principal=10_000_000, **figures) == interest


def test_the_article_of_the_kind_is_named() -> None:
    assert "근로기준법 시행령 제17조" in computed("late_interest", principal=1_000_000, days=10, kind="wage").laws
    assert "상법 제54조" in computed("late_interest", principal=1_000_000, days=10).laws


@given(principal=st.integers(1, 10**12), days=st.integers(0, 30_000))
def test_interest_grows_by_the_day_and_by_the_kind(principal: int, days: int) -> None:
    rates = [
        first("late_interest", principal=principal, days=days, kind=kind)
        for kind in ("civil", "commercial", "lawsuit", "wage")
    ]
    assert rates == sorted(rates)
    assert rates[0] <= first("late_interest", principal=principal, days=days + 1, kind="civil")


LOANS = [
    ({"principal": 50_000_000, "annual_percent": 3.5}, 145_833),
    ({"principal": 12_000_000, "annual_percent": 0}, 0),
    ({"principal": 12_000_000, "annual_percent": 0, "method": "equal_payment", "months": 12}, 1_000_000),
    ({"principal": 10_000_000, "annual_percent": 12, "method": "equal_payment", "months": 12}, 888_488),
    ({"principal": 12_000_000, "annual_percent": 12, "method": "equal_principal", "months": 12}, 1_120_000),
]


@pytest.mark.parametrize(("figures", "amount"), LOANS)
def test_what_a_month_of_a_loan_costs(figures: dict[str, Any], amount: int) -> None:
    assert first("loan_payment", **figures) == amount


def test_interest_of_equal_parts_falls_month_by_month() -> None:
    found = amounts(
        computed("loan_payment", principal=12_000_000, annual_percent=12, method="equal_principal", months=12)
    )
    assert found["total_interest"] == 120_000 * 13 // 2


@given(
    principal=st.integers(1_000, 10**12),
    annual_percent=st.integers(0, 2_000).map(lambda hundredths: hundredths / 100),
    months=st.integers(1, 480),
)
def test_instalments_pay_the_loan_back(principal: int, annual_percent: float, months: int) -> None:
    figures = {"principal": principal, "annual_percent": annual_percent, "months": months}
    annuity = amounts(computed("loan_payment", method="equal_payment", **figures))
    falling = amounts(computed("loan_payment", method="equal_principal", **figures))
    assert annuity["payment"] * months + months >= principal
    assert falling["total_interest"] <= annuity["total_interest"] + months  # less is owed, sooner


def test_instalments_need_their_months() -> None:
    with pytest.raises(CalculationRefused) as refused:
        computed("loan_payment", principal=1_000_000, annual_percent=5, method="equal_payment")
    assert refused.value.field == "months"


GUARANTEES = [
    ({"guaranteed": 30_000_000, "annual_percent": 1, "months": 60}, 1_500_000),
    ({"guaranteed": 20_000_000, "annual_percent": 0.8}, 160_000),
    ({"guaranteed": 10_000_000, "annual_percent": 1.2, "months": 6}, 60_000),
]


@pytest.mark.parametrize(("figures", "fee"), GUARANTEES)
def test_guarantee_fee(figures: dict[str, Any], fee: int) -> None:
    assert first("guarantee_fee", **figures) == fee
