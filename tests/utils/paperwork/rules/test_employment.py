"""The law of employment contracts: what is refused, what is told, and what passes."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from tests.support.paperwork import errors, sample, text_of, warnings

TYPE = "employment_contract"
FULL_TIME = {
    "kind": "open_ended",
    "headcount": 7,
    "end_date": None,
    "start_time": "09:00",
    "end_time": "18:00",
    "break_minutes": 60,
    "daily_hours": 8,
    "weekly_hours": 40,
    "schedule": None,
    "wage_type": "monthly",
    "wage": 2_500_000,
    "allowances": None,
}
MINOR = {
    "kind": "minor",
    "worker_birth": "2009-06-01",
    "guardian_name": "한소라",
    "guardian_relation": "어머니",
    "guardian_consent": True,
    "family_certificate": True,
}


def full_time(**changes: Any) -> dict[str, Any]:
    return sample(TYPE, **(FULL_TIME | changes))


def test_a_lawful_contract_passes() -> None:
    assert errors(TYPE, sample(TYPE)) == {}
    assert errors(TYPE, full_time()) == {}
    assert warnings(TYPE, full_time()) == {}
    assert errors(TYPE, sample(TYPE, **MINOR, schedule=None)) == {}


@pytest.mark.parametrize(
    ("changes", "path", "article"),
    [
        ({"kind": "fixed_term", "end_date": "2026-11-30"}, "end_date", "근로기준법 제17조"),
        ({"end_date": "2027-11-30"}, "end_date", "기간제"),
        ({"break_minutes": 30, "end_time": "17:30"}, "break_minutes", "근로기준법 제54조"),
        ({"break_minutes": 0, "end_time": "13:00", "daily_hours": 4, "weekly_hours": 20}, "break_minutes", "제54조"),
        ({"break_minutes": 540}, "break_minutes", "제54조"),
        ({"start_time": None, "end_time": None, "break_minutes": 50}, "break_minutes", "제54조"),
        ({"end_time": "09:00"}, "end_time", "제17조"),
        ({"daily_hours": 7}, "daily_hours", "제17조"),
        ({"end_time": "19:00", "daily_hours": 9, "weekly_hours": 40}, "daily_hours", "제50조제2항"),
        ({"weekly_hours": 45}, "weekly_hours", "제50조제1항, 제53조제1항"),
        ({"weekly_hours": 5}, "weekly_hours", "제17조"),
        ({"work_days_per_week": 7}, "work_days_per_week", "제55조제1항"),
        ({"wage": 2_100_000}, "wage", "최저임금법 제6조제3항"),
        ({"wage_type": "hourly", "wage": 10_319}, "wage", "최저임금법 제6조제3항"),
        ({"wage_type": "daily", "wage": 82_000}, "wage", "최저임금법 제6조제3항"),
        ({"pay_cycle": "other"}, "pay_cycle", "제43조제2항"),
        ({"annual_leave_days": 10}, "annual_leave_days", "제60조제1항"),
        ({"worker_birth": "2009-01-01"}, "kind", "제67조제3항"),
        ({"special_terms": "6개월 안에 퇴사하면 위약금 100만원을 낸다."}, "special_terms", "제20조"),
    ],
)
def test_what_the_law_forbids_is_refused_with_its_article(changes: dict[str, Any], path: str, article: str) -> None:
    found = errors(TYPE, full_time(**changes))
    assert article in found.get(path, ""), found


@pytest.mark.parametrize(
    ("changes", "passes"),
    [
        # 최저임금법 제5조제2항, 시행령 제3조: 90 % of 10,320 is 9,288
        ({"wage": 10_320, "probation_months": 3, "probation_percent": 90}, True),
        ({"wage": 10_320, "probation_months": 3, "probation_percent": 89}, False),
        ({"wage": 10_320, "probation_months": 4, "probation_percent": 90}, False),
        ({"wage": 10_320, "probation_months": 3, "probation_percent": 90, "simple_labour": True}, False),
        (
            {
                "wage": 10_320,
                "probation_months": 3,
                "probation_percent": 90,
                "kind": "fixed_term",
                "end_date": "2027-11-29",
            },
            False,
        ),
        (
            {
                "wage": 10_320,
                "probation_months": 3,
                "probation_percent": 90,
                "kind": "fixed_term",
                "end_date": "2027-11-30",
            },
            True,
        ),
        ({"wage": 12_000, "probation_months": 6, "probation_percent": 90}, True),  # 10,800 is above the minimum
    ],
)
def test_pay_in_probation_is_cut_only_as_the_law_allows(changes: dict[str, Any], passes: bool) -> None:
    assert (errors(TYPE, full_time(wage_type="hourly", **changes)) == {}) is passes


def test_cash_allowances_of_each_month_count_towards_the_minimum_wage() -> None:
    meal = {"name": "식대", "amount": 200_000, "monthly": True}
    assert errors(TYPE, full_time(wage=2_000_000))
    assert errors(TYPE, full_time(wage=2_000_000, allowances=[meal])) == {}
    assert errors(TYPE, full_time(wage=2_000_000, allowances=[meal | {"monthly": False}]))


@pytest.mark.parametrize(
    ("changes", "path", "article"),
    [
        ({"worker_birth": "2000-01-01"}, "worker_birth", "제66조"),
        ({"worker_birth": "2012-01-01"}, "work_permit_number", "제64조제1항"),
        ({"in_school": True}, "work_permit_number", "제64조제1항"),
        ({"weekly_hours": 36, "daily_hours": None}, "weekly_hours", "제69조"),
        ({"daily_hours": 7.5, "end_time": "17:00"}, "daily_hours", "제69조"),
    ],
)
def test_minors_are_protected(changes: dict[str, Any], path: str, article: str) -> None:
    found = errors(TYPE, sample(TYPE, **(MINOR | {"schedule": None} | changes)))
    assert article in found.get(path, ""), found


def test_what_a_minor_lacks_is_told() -> None:
    lacking = sample(TYPE, **(MINOR | {"guardian_consent": None, "family_certificate": None}), schedule=None)
    assert {"guardian_consent", "family_certificate"} <= set(warnings(TYPE, lacking))
    late = sample(TYPE, **MINOR, schedule=None, start_time="18:00", end_time="22:30", break_minutes=30, break_time=None)
    assert warnings(TYPE, late)["end_time"] == "근로기준법 제70조제2항"


def test_headcounts_under_five_are_told_what_does_not_bind_them() -> None:
    long_week = full_time(headcount=3, end_time="19:00", daily_hours=9, weekly_hours=45, wage=3_000_000)
    assert errors(TYPE, long_week) == {}
    assert {"headcount", "daily_hours", "weekly_hours"} <= set(warnings(TYPE, long_week))
    assert errors(TYPE, full_time(headcount=3, break_minutes=30, end_time="17:30"))  # 제54조 binds all
    assert "가산수당" not in text_of(TYPE, long_week)
    assert "통상임금의 50%" in text_of(TYPE, full_time())


def test_fixed_terms_over_two_years_are_told() -> None:
    long_term = full_time(kind="fixed_term", end_date="2028-12-01")
    assert "제4조" in warnings(TYPE, long_term)["end_date"]
    assert "end_date" not in warnings(TYPE, full_time(kind="fixed_term", end_date="2028-11-30"))
    assert "제3조" in warnings(TYPE, long_term | {"headcount": 4})["end_date"]
    assert "fixed_term_reason" in warnings(TYPE, long_term | {"fixed_term_reason": "육아휴직자 대체"})


def test_a_year_without_a_known_minimum_wage_is_checked_by_the_last_one_and_told() -> None:
    next_year = full_time(start_date="2027-01-04")
    assert "최저임금법 제10조" in warnings(TYPE, next_year)["start_date"]
    assert errors(TYPE, next_year | {"wage": 2_000_000})


def test_each_day_of_a_part_timer_is_checked() -> None:
    days = [
        {"day": "mon", "start": "09:00", "end": "14:00", "break_minutes": 10},
        {"day": "mon", "start": "09:00", "end": "09:00"},
    ]
    found = errors(TYPE, sample(TYPE, schedule=days))
    assert set(found) == {"schedule.0.break_minutes", "schedule.1.day", "schedule.1.end", "weekly_hours"}


def test_the_day_decides_which_minimum_wage_holds() -> None:
    old = full_time(wage_type="hourly", wage=10_030, start_date="2025-06-02", contract_date="2025-06-01")
    assert errors(TYPE, old, date(2025, 6, 1)) == {}
    assert "wage" in errors(TYPE, old | {"start_date": "2026-06-01"}, date(2025, 6, 1))
