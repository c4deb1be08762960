"""Tax deadlines and the days they move to, computed by hand from the statutes.

국세기본법 제5조 ①: a deadline of a tax law on one of these days falls on the day after: 1. 토요일 및 일요일, 2. 「공휴일에 관한
법률」에 따른 공휴일 및 대체공휴일, 3. 「노동절 제정에 관한 법률」에 따른 노동절 (1 May).
"""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from utils.law.tax_calendar import DEADLINES, RecurringDeadline, deadlines_for, move_off_holidays, next_deadline
from vectorstores.tokenizer import KiwiTokenizer

VAT, VAT_PRELIMINARY, INCOME, CORPORATE, WITHHOLDING = DEADLINES
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
    assert (found.statutory.isoformat(), found.due.isoformat()) == (statutory, due)


def test_a_moved_deadline_is_the_next_one_until_its_day_is_over() -> None:
    """25 January 2026 is a Sunday: who asks on Monday is still in time."""
    monday = date(2026, 1, 26)
    assert next_deadline(VAT, monday).due == monday
    assert next_deadline(VAT, monday + timedelta(days=1)).due == date(2026, 7, 27)


def test_a_deadline_of_last_year_may_fall_due_in_this_one() -> None:
    year_end = RecurringDeadline("연말", (), ((12, 31),), "", "")
    found = next_deadline(year_end, date(2029, 1, 1))
    assert (found.statutory, found.due) == (date(2028, 12, 31), date(2029, 1, 2))


def test_a_monthly_deadline_comes_every_month() -> None:
    """By hand for 2026: the 10th is a weekend day in January, May and October, and 9 October is a holiday."""
    today, dates = date(2026, 1, 1), []
    while today.year == 2026:
        due = next_deadline(WITHHOLDING, today).due
        dates.append((due.month, due.day))
        today = due + timedelta(days=1)
    moved = {1: 12, 5: 11, 10: 12}
    assert dates == [*((month, moved.get(month, 10)) for month in range(1, 13)), (1, 11)][: len(dates)]
    assert len(dates) >= 12


@pytest.mark.parametrize(
    ("question", "called"),
    [
        ("부가가치세는 언제까지 신고해야 하나요?", [VAT]),
        ("부가세 신고 기한이 언제인가요?", [VAT]),
        ("부가가치세 예정신고는 언제인가요?", [VAT_PRELIMINARY, VAT]),
        ("법인의 부가가치세 신고 기한은요?", [VAT_PRELIMINARY, VAT]),
        ("부가세 예정신고는 언제까지인가요?", [VAT_PRELIMINARY, VAT]),
        ("우리 법인은 부가세를 언제 신고하나요?", [VAT_PRELIMINARY, VAT]),
        ("종합소득세 신고는 언제 하나요?", [INCOME]),
        ("종소세 신고 기간을 알려 주세요.", [INCOME]),
        ("법인세는 언제까지 내나요?", [CORPORATE]),
        ("원천징수한 세금은 언제 내나요?", [WITHHOLDING]),
        ("원천세 납부 기한은?", [WITHHOLDING]),
        ("퇴직금은 언제까지 지급하나요?", []),
        ("재산세는 언제 내나요?", []),
        ("양도소득세 신고 기한은요?", []),
    ],
)
def test_a_question_calls_for_its_deadlines_soonest_first(
    tokenizer: KiwiTokenizer, question: str, called: list[RecurringDeadline]
) -> None:
    found = deadlines_for(tokenizer.terms(question), date(2026, 9, 1))
    assert [deadline.deadline for deadline in found] == called
    assert [deadline.due for deadline in found] == sorted(deadline.due for deadline in found)


def test_soonest_means_the_day_it_falls_due() -> None:
    """In February the return for the half year (27 July) comes after the preliminary one (27 April)."""
    asked = ("부가", "가치세", "예정")
    assert [found.due for found in deadlines_for(asked, date(2026, 2, 1))] == [date(2026, 4, 27), date(2026, 7, 27)]
    assert [found.due for found in deadlines_for(asked, date(2026, 11, 1))] == [date(2027, 1, 25), date(2027, 4, 26)]


@pytest.mark.parametrize("deadline", DEADLINES, ids=lambda deadline: deadline.name)
def test_a_rule_names_the_article_it_follows(deadline: RecurringDeadline) -> None:
    assert f"({deadline.law})" in deadline.rule
