"""Pay for hours, worked by hand from 근로기준법 제18조, 제55조, 제56조 and 최저임금법 시행령 제3조, 제5조."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.calculations import amounts, computed, first
from utils.calculators.result import CalculationRefused, YearUnknown

# 시급 × (주 소정근로시간 ÷ 40 × 8), at most eight hours; nothing below 15 hours a week (제18조제3항)
WEEKLY = [
    ({"hourly_wage": 11_000, "days_per_week": 5, "hours_per_day": 5}, 55_000),
    ({"hourly_wage": 10_320, "weekly_hours": 40}, 82_560),
    ({"hourly_wage": 10_320, "weekly_hours": 20}, 41_280),
    ({"hourly_wage": 10_320, "weekly_hours": 15}, 30_960),
    ({"hourly_wage": 10_320, "weekly_hours": 14.9}, 0),
    ({"hourly_wage": 12_000, "weekly_hours": 52}, 96_000),
    ({"hourly_wage": 12_000, "weekly_hours": 40, "attended": False}, 0),
]


@pytest.mark.parametrize(("figures", "expected"), WEEKLY)
def test_weekly_holiday_pay(figures: dict[str, Any], expected: int) -> None:
    assert first("weekly_holiday_pay", **figures) == expected


def test_the_steps_show_the_askers_figures() -> None:
    found = computed("weekly_holiday_pay", hourly_wage=11_000, days_per_week=5, hours_per_day=5)
    assert found.steps == [
        "하루 5시간 × 주 5일 = 주 25시간",
        "25시간 ÷ 40시간 × 8시간 = 5시간",
        "11,000원 × 5시간 = 55,000원",
    ]
    assert found.conclusion == "시급 11,000원으로 주 25시간 일하면 1주 주휴수당은 55,000원입니다."
    assert amounts(found)["monthly"] == 238_988  # 55,000 × 365 ÷ 7 ÷ 12 = 238,988.1
    assert "근로기준법 제55조" in found.laws


def test_hours_that_are_missing_are_named() -> None:
    with pytest.raises(CalculationRefused, match="1주 소정근로시간") as refused:
        computed("weekly_holiday_pay", hourly_wage=11_000, days_per_week=5)
    assert refused.value.field == "weekly_hours"


# 시급 × 반올림((주 + 주 ÷ 40 × 8) × 365 ÷ 7 ÷ 12); no paid holiday below 15 hours
MONTHLY = [
    ({"hourly_wage": 10_320, "weekly_hours": 40}, 2_156_880),  # 48 × 4.345 = 209 hours
    ({"hourly_wage": 12_000, "weekly_hours": 20}, 1_248_000),  # 24 × 4.345 = 104 hours
    ({"hourly_wage": 11_000, "days_per_week": 3, "hours_per_day": 5}, 858_000),  # 18 × 4.345 = 78 hours
    ({"hourly_wage": 12_000, "weekly_hours": 14}, 732_000),  # 14 × 4.345 = 61 hours
]


@pytest.mark.parametrize(("figures", "expected"), MONTHLY)
def test_monthly_pay(figures: dict[str, Any], expected: int) -> None:
    assert first("monthly_pay", **figures) == expected


def test_an_hourly_wage_below_the_minimum_is_told_so() -> None:
    assert (
        "최저임금(시급 10,320원)보다 적습니다" in computed("monthly_pay", hourly_wage=9_000, weekly_hours=40).conclusion
    )


@pytest.mark.parametrize("week", [{"weekly_hours": 48}, {"days_per_week": 4, "hours_per_day": 10}])
def test_overtime_is_no_part_of_regular_monthly_pay(week: dict[str, Any]) -> None:
    with pytest.raises(CalculationRefused, match="연장근로수당"):
        computed("monthly_pay", hourly_wage=12_000, **week)


# 제56조: overtime 1.5, night + 0.5, holiday 1.5 to eight hours and 2 beyond; under five workers the hours alone (제11조)
OVERTIME = [
    ({"overtime_hours": 1}, 22_500, 7_500),
    ({"overtime_hours": 1, "night_hours": 1}, 30_000, 15_000),
    ({"holiday_hours": 8}, 180_000, 60_000),
    ({"holiday_hours": 8, "long_holiday_hours": 2}, 240_000, 90_000),
    ({"night_hours": 4}, 30_000, 30_000),
    ({"overtime_hours": 10, "headcount": 4}, 150_000, 0),
    ({"overtime_hours": 10, "night_hours": 5, "headcount": 4}, 150_000, 0),
]


@pytest.mark.parametrize(("figures", "total", "premium"), OVERTIME)
def test_overtime(figures: dict[str, Any], total: int, premium: int) -> None:
    found = computed("overtime_pay", **({"hourly_wage": 15_000, "headcount": 5} | figures))
    assert (amounts(found)["total"], amounts(found)["premium"]) == (total, premium)


def test_under_five_workers_the_answer_says_so() -> None:
    found = computed("overtime_pay", hourly_wage=10_320, headcount=3, overtime_hours=2)
    assert "5명 미만이라 가산수당은 없고" in found.conclusion
    assert "근로기준법 제11조" in found.laws


def test_overtime_without_hours_is_refused() -> None:
    with pytest.raises(CalculationRefused):
        computed("overtime_pay", hourly_wage=15_000, headcount=5)


# (40 + 8) × 365 ÷ 7 ÷ 12 = 208.57 → 209 hours; (20 + 4) × 4.345 = 104.3 → 104
MINIMUM = [
    ("2026-11-22", {"monthly_pay": 2_156_880}, 2_156_880, 0),
    ("2026-11-22", {"monthly_pay": 2_000_000}, 2_156_880, 751),  # 2,000,000 ÷ 209 = 9,569.4
    ("2026-11-22", {"hourly_wage": 10_320}, 2_156_880, 0),
    ("2026-11-22", {"hourly_wage": 10_000}, 2_156_880, 320),
    ("2026-11-22", {"hourly_wage": 9_288, "probation": True}, 1_941_192, 0),  # 10,320 × 90 % = 9,288
    ("2026-11-22", {"hourly_wage": 10_320, "weekly_hours": 20}, 1_073_280, 0),
    ("2026-11-22", {"hourly_wage": 10_320, "weekly_hours": 14}, 629_520, 0),  # 14 × 4.345 = 60.8 → 61, no holiday
    ("2025-06-01", {"monthly_pay": 2_096_270}, 2_096_270, 0),
]


@pytest.mark.parametrize(("today", "figures", "monthly", "short"), MINIMUM)
def test_minimum_wage(today: str, figures: dict[str, Any], monthly: int, short: int) -> None:
    found = amounts(computed("minimum_wage", date.fromisoformat(today), **figures))
    assert (found["least_monthly"], found["shortfall_hourly"]) == (monthly, short)


def test_the_minimum_wage_of_a_year_to_come_is_not_guessed() -> None:
    with pytest.raises(YearUnknown, match="2027년 1월 1일에 적용할 최저임금"):
        computed("minimum_wage", on="2027-01-01", hourly_wage=11_000)


def test_the_verdict_is_a_sentence() -> None:
    assert computed("minimum_wage", hourly_wage=10_000).conclusion == (
        "시급 10,000원은 2026년 최저임금(시급 10,320원)보다 적어 최저임금법 위반입니다."
    )
    assert computed("minimum_wage", monthly_pay=2_200_000).conclusion == (
        "월급 2,200,000원은 2026년 최저임금(월 2,156,880원) 이상입니다."
    )


@given(wage=st.integers(1, 10**7), hours=st.floats(0, 168), more=st.integers(0, 10**5))
def test_weekly_holiday_pay_is_at_most_a_day_and_grows_with_the_wage(wage: int, hours: float, more: int) -> None:
    paid = first("weekly_holiday_pay", hourly_wage=wage, weekly_hours=hours)
    assert 0 <= paid <= wage * 8
    assert paid <= first("weekly_holiday_pay", hourly_wage=wage + more, weekly_hours=hours)


@given(wage=st.integers(1, 10**6), hours=st.floats(0.5, 100), night=st.floats(0, 50))
def test_who_has_five_workers_never_pays_less(wage: int, hours: float, night: float) -> None:
    figures = {"hourly_wage": wage, "overtime_hours": hours, "night_hours": night}
    assert first("overtime_pay", headcount=4, **figures) <= first("overtime_pay", headcount=5, **figures)


def test_the_minimum_wage_of_a_month_needs_no_wage() -> None:
    found = computed("minimum_wage")
    assert found.values[0].amount == 2_156_880
    assert (
        found.conclusion == "2026년 최저임금은 시급 10,320원이고, 주 40시간 일하면 주휴를 포함해 월 2,156,880원입니다."
    )
    assert "주휴를" not in computed("minimum_wage", weekly_hours=14).conclusion
    assert amounts(computed("minimum_wage", probation=True))["least_hourly"] == 9_288


@pytest.mark.parametrize(
    ("figures", "pay"),
    [
        ({"daily_average_wage": 100_000, "days": 5}, 350_000),
        ({"daily_average_wage": 100_000, "days": 5, "daily_ordinary_wage": 60_000}, 300_000),
        ({"daily_average_wage": 100_000, "days": 5, "daily_ordinary_wage": 90_000}, 350_000),
        ({"daily_average_wage": 100_000, "days": 5, "headcount": 4}, 0),
    ],
)
def test_shutdown_pay(figures: dict[str, int], pay: int) -> None:
    """근로기준법 제46조: 70 % of the average wage, or the ordinary one where that is less; not under five workers."""
    assert computed("shutdown_pay", **figures).values[0].amount == pay


def test_the_limit_of_wage_cuts() -> None:
    """근로기준법 제95조: 2,800,000 × 3 ÷ 92 ÷ 2 = 45,652 at once, 280,000 in a month."""
    assert amounts(computed("wage_cut_limit", monthly_pay=2_800_000)) == {"once": 45_652, "in_all": 280_000}
    assert amounts(computed("wage_cut_limit", monthly_pay=2_800_000, daily_average_wage=100_000))["once"] == 50_000


@given(wage=st.integers(1, 10**9), days=st.integers(0, 365))
def test_shutdown_pay_is_less_than_the_wage(wage: int, days: int) -> None:
    assert 0 <= computed("shutdown_pay", daily_average_wage=wage, days=days).values[0].amount <= wage * days
