"""Leave, leaving and heads, worked by hand from 근로기준법 제2조, 제26조, 제60조, 시행령 제7조의2 and 퇴직급여법 제8조."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.calculations import amounts, computed, first
from utils.calculators.result import CalculationRefused

# 제60조: one day a full month in the first year, 15 days, one more each two years after the first, 25 at most
LEAVE = [
    (0, 0), (5, 5), (11, 11), (12, 15), (24, 15), (35, 15), (36, 16), (59, 16), (60, 17), (21 * 12, 25), (40 * 12, 25),
]  # fmt: skip


@pytest.mark.parametrize(("months", "days"), LEAVE)
def test_annual_leave(months: int, days: int) -> None:
    assert first("annual_leave", months_of_service=months) == days


@pytest.mark.parametrize(
    ("figures", "days"),
    [
        ({"headcount": 4}, 0),
        ({"weekly_hours": 14}, 0),
        ({"attended_80_percent": False, "full_months": 7}, 7),
        ({"attended_80_percent": False}, 12),
    ],
)
def test_who_gets_no_or_monthly_leave(figures: dict[str, Any], days: int) -> None:
    found = computed("annual_leave", months_of_service=36, **figures)
    assert found.values[0].amount == days
    assert found.conclusion.endswith("니다.")


# 30 days' average wage a year, the ordinary wage being its floor (근로기준법 제2조제2항)
SEVERANCE = [
    ({"wages_of_3_months": 9_000_000, "days_of_service": 365}, 2_934_783),  # ÷ 92 × 30
    ({"wages_of_3_months": 9_000_000, "days_of_service": 365, "days_of_3_months": 90}, 3_000_000),
    ({"wages_of_3_months": 7_500_000, "days_of_service": 1_095}, 7_336_957),
    # 2,500,000 ÷ 209 × 8 = 95,693.78 a day, more than 7,500,000 ÷ 92 = 81,521.74
    ({"wages_of_3_months": 7_500_000, "days_of_service": 1_095, "monthly_ordinary_wage": 2_500_000}, 8_612_440),
    ({"wages_of_3_months": 7_500_000, "days_of_service": 1_095, "daily_ordinary_wage": 100_000}, 9_000_000),
    ({"wages_of_3_months": 9_000_000, "days_of_service": 365, "yearly_bonus": 4_000_000}, 3_260_870),
    ({"wages_of_3_months": 9_000_000, "days_of_service": 364}, 0),
    ({"wages_of_3_months": 1_500_000, "days_of_service": 800, "weekly_hours": 14}, 0),
]


@pytest.mark.parametrize(("figures", "expected"), SEVERANCE)
def test_severance(figures: dict[str, Any], expected: int) -> None:
    assert first("severance_pay", **figures) == expected


def test_the_floor_is_told_with_its_article() -> None:
    found = computed(
        "severance_pay", wages_of_3_months=7_500_000, days_of_service=1_095, monthly_ordinary_wage=2_500_000
    )
    assert any("통상임금을 평균임금으로 합니다(근로기준법 제2조제2항)" in step for step in found.steps)
    assert amounts(found)["by_average_wage"] == 7_336_957


NOTICE = [
    ({"daily_ordinary_wage": 100_000}, 3_000_000),
    ({"hourly_wage": 10_320}, 2_476_800),  # × 8 × 30
    ({"hourly_wage": 10_320, "hours_per_day": 5}, 1_548_000),
    ({"monthly_ordinary_wage": 2_090_000}, 2_400_000),  # ÷ 209 × 8 × 30
    ({"daily_ordinary_wage": 100_000, "months_of_service": 2}, 0),
    ({"daily_ordinary_wage": 100_000, "months_of_service": 3}, 3_000_000),
    ({"daily_ordinary_wage": 100_000, "notice_days": 20}, 3_000_000),
    ({"daily_ordinary_wage": 100_000, "notice_days": 30}, 0),
]


@pytest.mark.parametrize(("figures", "expected"), NOTICE)
def test_pay_instead_of_notice(figures: dict[str, Any], expected: int) -> None:
    assert first("dismissal_notice_pay", **({"months_of_service": 12} | figures)) == expected


def test_pay_instead_of_notice_needs_a_wage() -> None:
    with pytest.raises(CalculationRefused, match="통상임금"):
        computed("dismissal_notice_pay", months_of_service=12)


# 제7조의2제2항: the half of the days decides, both ways
HEADS = [
    ({"person_days": 100, "working_days": 20}, 5.0, 1),
    ({"person_days": 99, "working_days": 20}, 4.95, 0),
    ({"daily_workers": [5] * 11 + [4] * 9}, 4.55, 1),
    ({"daily_workers": [10] * 10 + [4] * 10}, 7.0, 0),
    ({"person_days": 91, "working_days": 20, "days_below": 9}, 4.55, 1),
    ({"person_days": 91, "working_days": 20, "days_below": 10}, 4.55, 0),
    ({"daily_workers": [12] * 20, "threshold": 10}, 12.0, 1),
]


@pytest.mark.parametrize(("figures", "mean", "applies"), HEADS)
def test_headcount(figures: dict[str, Any], mean: float, applies: int) -> None:
    found = computed("headcount", **figures)
    assert (amounts(found)["headcount"], amounts(found)["applies"]) == (mean, applies)
    assert ("이상 사업장으로 봅니다." in found.conclusion) == bool(applies)


@pytest.mark.parametrize(
    ("figures", "field"),
    [
        ({}, "person_days"),
        ({"person_days": 10}, "working_days"),
        ({"person_days": 10, "working_days": 2, "days_below": 3}, "days_below"),
    ],
)
def test_headcount_names_what_it_lacks(figures: dict[str, Any], field: str) -> None:
    with pytest.raises(CalculationRefused) as refused:
        computed("headcount", **figures)
    assert refused.value.field == field


@given(months=st.integers(0, 1_199))
def test_leave_never_shrinks_with_service_after_the_first_year(months: int) -> None:
    days = first("annual_leave", months_of_service=months)
    assert days <= first("annual_leave", months_of_service=months + 1) <= 25


@given(wages=st.integers(1, 10**9), days=st.integers(365, 20_000), ordinary=st.integers(0, 10**7))
def test_severance_is_never_below_the_average_wage(wages: int, days: int, ordinary: int) -> None:
    figures = {"wages_of_3_months": wages, "days_of_service": days}
    with_floor = first("severance_pay", daily_ordinary_wage=ordinary, **figures)
    assert with_floor >= first("severance_pay", **figures)
    assert with_floor <= first(
        "severance_pay", daily_ordinary_wage=ordinary, wages_of_3_months=wages, days_of_service=days + 1
    )


@given(daily=st.lists(st.integers(0, 50), min_size=1, max_size=31))
def test_headcount_lies_between_the_fewest_and_the_most(daily: list[int]) -> None:
    mean = first("headcount", daily_workers=daily)
    assert min(daily) - 0.01 <= mean <= max(daily) + 0.01


@pytest.mark.parametrize(
    ("daily", "days", "total"), [(80_000, 5, 400_000), (104_000, 7, 728_000), (90_000, 1.5, 135_000)]
)
def test_leave_that_was_not_taken(daily: int, days: float, total: int) -> None:
    """근로기준법 제60조제5항: a day's wage for a day."""
    assert computed("unused_leave_pay", daily_wage=daily, days=days).values[0].amount == total


def test_severance_says_why_the_ordinary_wage_counts() -> None:
    figures = {"wages_of_3_months": 7_500_000, "days_of_service": 1_095}
    above = computed("severance_pay", monthly_ordinary_wage=2_500_000, **figures)
    assert "1일 통상임금(95,694원)이 평균임금(81,522원)보다 많아 통상임금으로 계산해" in above.conclusion
    assert "통상임금" not in computed("severance_pay", monthly_ordinary_wage=2_000_000, **figures).conclusion
