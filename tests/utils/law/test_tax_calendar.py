"""Tax deadlines and the days they move to, computed by hand from the statutes.

국세기본법 제5조 ①: a deadline of a tax law on one of these days falls on the day after: 1. 토요일 및 일요일, 2. 「공휴일에 관한
법률」에 따른 공휴일 및 대체공휴일, 3. 「노동절 제정에 관한 법률」에 따른 노동절 (1 May).
"""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from schemas.tax_calendar import TaxpayerKind
from utils.law.tax_calendar import (
    RecurringDeadline,
    deadlines_between,
    deadlines_for,
    move_off_holidays,
    next_deadline,
    tax_deadlines,
)

BY_KEY = {deadline.key: deadline for deadline in tax_deadlines()}
VAT, VAT_PRELIMINARY, INCOME, CORPORATE, WITHHOLDING = (
    BY_KEY[key] for key in ("vat_final", "vat_preliminary", "income_final", "corporate_final", "withholding")
)
MOVED = {
    "a working day stays": ("2026-03-31", "2026-03-31"),
    "Saturday": ("2026-07-25", "2026-07-27"),
    "Sunday": ("2026-01-25", "2026-01-26"),
    "public holiday": ("2026-10-09", "2026-10-12"),
    "election day": ("2024-04-10", "2024-04-11"),
    "weekend and Lunar New Year with its substitute": ("2024-02-10", "2024-02-13"),
    "weekend, a holiday proclaimed for once, and Lunar New Year": ("2025-01-25", "2025-01-31"),
    "substitute holiday": ("2026-08-17", "2026-08-18"),
    "the working day after Chuseok": ("2025-10-10", "2025-10-10"),
    "the end of a year": ("2028-12-31", "2029-01-02"),
    "Labour Day 2023": ("2023-05-01", "2023-05-02"),
    "Labour Day 2024": ("2024-05-01", "2024-05-02"),
    "Labour Day 2025": ("2025-05-01", "2025-05-02"),
    "Labour Day 2026, then a weekend": ("2026-05-01", "2026-05-04"),
    "Labour Day 2027 on a Saturday, with a substitute": ("2027-05-01", "2027-05-04"),
}


def due_of(deadline: RecurringDeadline, today: date) -> date:
    found = next_deadline(deadline, today)
    assert found is not None
    return found.due


@pytest.mark.parametrize(("day", "due"), MOVED.values(), ids=MOVED)
def test_a_deadline_moves_to_the_next_working_day(day: str, due: str) -> None:
    assert move_off_holidays(date.fromisoformat(day)) == date.fromisoformat(due)


@pytest.mark.parametrize(
    ("deadline", "today", "statutory", "due"),
    [
        (VAT, "2024-12-01", "2025-01-25", "2025-01-31"),
        (VAT, "2026-02-01", "2026-07-25", "2026-07-27"),
        (VAT, "2025-12-31", "2026-01-25", "2026-01-26"),
        (VAT_PRELIMINARY, "2025-01-01", "2025-04-25", "2025-04-25"),
        (VAT_PRELIMINARY, "2025-04-26", "2025-10-25", "2025-10-27"),
        (INCOME, "2024-05-31", "2024-05-31", "2024-05-31"),
        (INCOME, "2024-06-01", "2025-05-31", "2025-06-02"),
        (INCOME, "2026-01-01", "2026-05-31", "2026-06-01"),
        (CORPORATE, "2024-01-01", "2024-03-31", "2024-04-01"),
        (CORPORATE, "2026-01-01", "2026-03-31", "2026-03-31"),
        (WITHHOLDING, "2024-04-01", "2024-04-10", "2024-04-11"),
        (WITHHOLDING, "2026-12-11", "2027-01-10", "2027-01-11"),
    ],
)
def test_the_next_deadline(deadline: RecurringDeadline, today: str, statutory: str, due: str) -> None:
    found = next_deadline(deadline, date.fromisoformat(today))
    assert found is not None
    assert (found.statutory.isoformat(), found.due.isoformat()) == (statutory, due)


def test_a_moved_deadline_is_the_next_one_until_its_day_is_over() -> None:
    """25 January 2026 is a Sunday: who asks on Monday is still in time."""
    monday = date(2026, 1, 26)
    assert due_of(VAT, monday) == monday
    assert due_of(VAT, monday + timedelta(days=1)) == date(2026, 7, 27)


def test_a_deadline_of_last_year_may_fall_due_in_this_one() -> None:
    year_end = RecurringDeadline("end", "연말", (), "", ((12, 31),), "", "")
    found = next_deadline(year_end, date(2029, 1, 1))
    assert found is not None
    assert (found.statutory, found.due) == (date(2028, 12, 31), date(2029, 1, 2))


def test_a_monthly_deadline_comes_every_month() -> None:
    """By hand for 2026: the 10th is a weekend day in January, May and October, and 9 October is a holiday."""
    today, dates = date(2026, 1, 1), []
    while today.year == 2026:
        due = due_of(WITHHOLDING, today)
        dates.append((due.month, due.day))
        today = due + timedelta(days=1)
    moved = {1: 12, 5: 11, 10: 12}
    assert dates == [*((month, moved.get(month, 10)) for month in range(1, 13)), (1, 11)][: len(dates)]
    assert len(dates) >= 12


NAMED = [
    ("부가가치세는 언제까지 신고해야 하나요?", ["vat_final"]),
    ("부가세 신고 기한이 언제인가요?", ["vat_final"]),
    ("부가가치세 예정신고는 언제인가요?", ["vat_notice", "vat_preliminary"]),
    ("법인의 부가가치세 신고 기한은요?", ["vat_preliminary", "vat_final"]),
    ("개인사업자 부가세 예정신고", ["vat_notice"]),
    ("우리 법인은 부가세를 언제 신고하나요?", ["vat_preliminary", "vat_final"]),
    ("간이과세자 부가세 신고 언제", ["vat_simplified"]),
    ("간이과세자인데 부가세는 언제 내요?", ["vat_simplified"]),
    ("간이과세자 예정부과는 언제 내요?", ["vat_simplified_notice"]),
    ("면세사업자 신고 언제까지", ["business_status"]),
    ("사업장 현황신고 기한", ["business_status"]),
    ("종합소득세 신고는 언제 하나요?", ["income_final"]),
    ("종소세 신고 기간을 알려 주세요.", ["income_final"]),
    ("종합소득세 중간예납 언제", ["income_interim"]),
    ("종소세 중간 예납은 언제 내나요", ["income_interim"]),
    ("성실신고확인대상자는 종소세 언제까지예요?", ["income_diligent"]),
    ("법인세는 언제까지 내나요?", ["corporate_final"]),
    ("법인세 중간예납 언제", ["corporate_interim"]),
    ("중간예납은 언제 내나요?", ["income_interim", "corporate_interim"]),
    ("성실신고확인 법인은 언제까지 신고하나요?", ["corporate_diligent"]),
    ("지방소득세 언제까지 내요?", ["local_income"]),
    ("법인 지방소득세는요?", ["local_corporate"]),
    ("부가세랑 법인세는 언제 내나요?", ["vat_final", "corporate_final"]),
    ("원천징수한 세금은 언제 내나요?", ["withholding"]),
    ("원천세 납부 기한은?", ["withholding"]),
    ("원천세 반기납부는 언제예요?", ["withholding_half_year"]),
    ("4대보험료 납부일", ["insurance"]),
    ("보수총액 신고는 언제까지?", ["wage_total"]),
    ("지급명세서 언제 내나요", ["statement_others", "statement_wages"]),
    ("일용직 지급명세서 기한", ["statement_daily"]),
    ("프리랜서 간이지급명세서 언제", ["simple_statement_business"]),
    ("주민세 사업소분 언제", ["resident_business"]),
    ("재산세는 언제 내나요?", ["property_land", "property_building"]),
    ("장애인 고용부담금 신고 기한", ["disability_levy"]),
    ("비상장주식 양도소득세 신고는 언제", ["stock_transfer"]),
    ("퇴직금은 언제까지 지급하나요?", []),
    ("양도소득세 신고 기한은요?", []),
    ("세금계산서는 언제까지 발급하나요?", []),
    ("폐업 신고는 언제까지 하나요?", []),
    ("간이영수증은 언제까지 보관하나요?", []),
]


@pytest.mark.parametrize(("question", "called"), NAMED)
def test_a_question_calls_for_its_deadlines_soonest_first(question: str, called: list[str]) -> None:
    found = deadlines_for(question, date(2026, 9, 1))
    assert sorted(upcoming.deadline.key for upcoming in found) == sorted(called)
    assert [upcoming.due for upcoming in found] == sorted(upcoming.due for upcoming in found)


# By hand: 30 November 2026 is a Monday, 31 August 2027 a Tuesday, 25 January 2027 a Monday, 10 February 2027 a Wednesday;
# 30 April 2027 is a Friday, 31 January 2027 a Sunday, 28 February 2027 a Sunday with 1 March a holiday.
DATES = [
    ("종합소득세 중간예납 언제", "2026-11-22", "2026-11-30"),
    ("법인세 중간예납 언제", "2027-06-01", "2027-08-31"),
    ("간이과세자 부가세 신고 언제", "2027-03-01", "2028-01-25"),
    ("면세사업자 신고 언제", "2026-11-22", "2027-02-10"),
    ("법인지방소득세 신고", "2026-11-22", "2027-04-30"),
    ("장애인 고용부담금", "2026-11-22", "2027-02-01"),
    ("일용직 지급명세서", "2027-02-10", "2027-03-02"),
    ("원천세 반기납부", "2026-11-22", "2027-01-11"),
]


@pytest.mark.parametrize(("question", "today", "due"), DATES)
def test_the_date_is_the_one_asked_for(question: str, today: str, due: str) -> None:
    assert deadlines_for(question, date.fromisoformat(today))[0].due == date.fromisoformat(due)


def test_a_question_without_a_tax_gets_the_next_ones_of_its_kind() -> None:
    today = date(2026, 11, 22)
    assert [found.due for found in deadlines_for("세금 신고 마감", today)][:2] == [
        date(2026, 11, 30),
        date(2026, 11, 30),
    ]
    assert deadlines_for("이번 달에 내야 하는 세금 뭐 있어요?", today)
    of_companies = {found.deadline.key for found in deadlines_for("법인 세금 신고 일정 알려 주세요", today)}
    assert {"corporate_final", "corporate_interim", "local_corporate", "vat_final"} <= of_companies
    assert "income_final" not in of_companies
    assert not deadlines_for("세금계산서 발급 기한", today)


def test_a_deadline_that_has_ended_is_offered_no_more() -> None:
    """부칙: wages paid until 2026 are reported by half-years for the last time on 31 January 2027, which is a Sunday."""
    half_year = BY_KEY["simple_statement_wages_half_year"]
    assert due_of(half_year, date(2026, 11, 22)) == date(2027, 2, 1)
    assert next_deadline(half_year, date(2027, 2, 2)) is None
    assert due_of(BY_KEY["simple_statement_wages"], date(2026, 11, 22)) == date(2027, 3, 2)


def test_the_year_of_a_simplified_taxpayer() -> None:
    found = deadlines_between(date(2027, 1, 1), date(2028, 1, 1), [TaxpayerKind.SIMPLIFIED])
    assert [(upcoming.deadline.key, upcoming.due.isoformat()) for upcoming in found] == [
        ("vat_simplified", "2027-01-25"),
        ("income_final", "2027-05-31"),
        ("local_income", "2027-05-31"),
        ("vat_simplified_notice", "2027-07-26"),
        ("resident_business", "2027-08-31"),
        ("income_interim", "2027-11-30"),
    ]


def test_a_day_moved_out_of_its_year_is_found_in_the_next() -> None:
    found = deadlines_between(date(2029, 1, 1), date(2029, 1, 3), [TaxpayerKind.EMPLOYER])
    assert {(upcoming.statutory, upcoming.due) for upcoming in found} == {(date(2028, 12, 31), date(2029, 1, 2))}


@pytest.mark.parametrize("deadline", tax_deadlines(), ids=lambda deadline: deadline.key)
def test_a_rule_names_the_article_it_follows_and_whom_it_binds(deadline: RecurringDeadline) -> None:
    assert deadline.law in deadline.rule
    assert deadline.rule.endswith(").")
    assert deadline.binds
    assert f"({deadline.moved_by})" in deadline.moving_rule
    assert deadline.words


def test_keys_are_distinct() -> None:
    assert len(BY_KEY) == len(tax_deadlines())
