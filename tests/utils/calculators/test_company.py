"""A company's books by hand from 법인세법 제25조, 시행규칙 제43조 (4.6 %) and 시행령 제26조."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.calculations import amounts, computed, first
from utils.calculators.result import YearUnknown

ENTERTAINMENT = [
    ({"revenue": 1_000_000_000}, 39_000_000),
    ({"revenue": 0, "small_company": False}, 12_000_000),
    ({"revenue": 10_000_000_000}, 66_000_000),
    ({"revenue": 50_000_000_000}, 146_000_000),  # 36,000,000 + 110,000,000
    ({"revenue": 60_000_000_000}, 149_000_000),
    ({"revenue": 1_000_000_000, "months": 6}, 21_000_000),
    ({"revenue": 1_000_000_000, "small_family": True}, 19_500_000),
    ({"revenue": 1_000_000_000, "related_revenue": 1_000_000_000}, 36_300_000),
]


@pytest.mark.parametrize(("figures", "limit"), ENTERTAINMENT)
def test_entertainment_limit(figures: dict[str, Any], limit: int) -> None:
    assert first("entertainment_limit", **figures) == limit


def test_what_is_beyond_the_limit() -> None:
    found = computed("entertainment_limit", revenue=1_000_000_000, spent=50_000_000)
    assert amounts(found)["over"] == 11_000_000
    assert found.conclusion.endswith("11,000,000원은 비용으로 인정되지 않습니다.")
    assert computed("entertainment_limit", revenue=1_000_000_000, spent=1).conclusion.endswith("한도 안에 있습니다.")


DEEMED = [
    ({"amount": 100_000_000}, 4_600_000, 4_600_000),
    ({"amount": 100_000_000, "days": 73}, 920_000, 920_000),
    ({"amount": 100_000_000, "rate_percent": 5.5}, 5_500_000, 5_500_000),
    ({"amount": 100_000_000, "interest_received": 5_000_000}, 4_600_000, 0),
]


@pytest.mark.parametrize(("figures", "interest", "to_add"), DEEMED)
def test_deemed_interest(figures: dict[str, Any], interest: int, to_add: int) -> None:
    found = amounts(computed("deemed_interest", **figures))
    assert (found["interest"], found["to_add"]) == (interest, to_add)


# 상각률 of 정액법: 5 years 0.2, 3 years 0.333, 6 years 0.166, 40 years 0.025 (법인세법 시행규칙 별표 4)
DEPRECIATION = [
    ({"cost": 10_000_000, "years": 5}, 2_000_000),
    ({"cost": 10_000_000, "years": 5, "months": 6}, 1_000_000),
    ({"cost": 10_000_000, "years": 3}, 3_330_000),
    ({"cost": 10_000_000, "years": 6}, 1_660_000),
    ({"cost": 10_000_000, "years": 40}, 250_000),
]


@pytest.mark.parametrize(("figures", "amount"), DEPRECIATION)
def test_depreciation(figures: dict[str, Any], amount: int) -> None:
    found = computed("depreciation", **figures)
    assert found.values[0].amount == amount
    assert found.notices


@pytest.mark.parametrize(
    ("key", "figures"), [("entertainment_limit", {"revenue": 1}), ("deemed_interest", {"amount": 1_000})]
)
def test_another_year_is_refused(key: str, figures: dict[str, Any]) -> None:
    with pytest.raises(YearUnknown):
        computed(key, on="2027-01-01", **figures)


@given(revenue=st.integers(0, 10**12), more=st.integers(0, 10**12))
def test_the_limit_grows_with_revenue(revenue: int, more: int) -> None:
    assert first("entertainment_limit", revenue=revenue) <= first("entertainment_limit", revenue=revenue + more)


@given(cost=st.integers(1, 10**12), years=st.integers(2, 60))
def test_never_more_than_the_cost_is_written_off(cost: int, years: int) -> None:
    assert first("depreciation", cost=cost, years=years) * years <= cost + years


@pytest.mark.parametrize(
    ("pay", "months", "limit"),
    [(80_000_000, 84, 56_000_000), (60_000_000, 60, 30_000_000), (60_000_000, 6, 3_000_000), (60_000_000, 0, 0)],
)
def test_an_executives_severance(pay: int, months: int, limit: int) -> None:
    """법인세법 시행령 제44조제4항제2호: a tenth of the year's pay for each year, months of a year by the month."""
    found = computed("executive_severance_limit", yearly_pay=pay, months_of_service=months)
    assert found.values[0].amount == limit
    assert any("정관" in assumption for assumption in found.assumptions)


@given(pay=st.integers(1, 10**11), months=st.integers(0, 600))
def test_the_limit_of_severance_grows_with_service(pay: int, months: int) -> None:
    key = "executive_severance_limit"
    assert first(key, yearly_pay=pay, months_of_service=months) <= first(
        key, yearly_pay=pay, months_of_service=months + 1
    )
