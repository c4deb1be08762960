"""Recurring tax deadlines, computed: each with the rule it follows and the article that says so."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache

import holidays


@dataclass(frozen=True, slots=True)
class RecurringDeadline:
    """``days`` are the statutory (month, day) of each year; a month of 0 stands for every month.

    ``keywords`` are terms of a question that call for it, all of one entry at once; ``rule`` is a Korean sentence that
    names the article.
    """

    name: str
    keywords: tuple[frozenset[str], ...]
    days: tuple[tuple[int, int], ...]
    rule: str
    law: str


@dataclass(frozen=True, slots=True)
class TaxDeadline:
    """The next time a deadline falls due; ``due`` is after moving off weekends and holidays, ``statutory`` before."""

    deadline: RecurringDeadline
    statutory: date
    due: date


_VAT = (frozenset({"부가", "가치세"}), frozenset({"부가세"}), frozenset({"부가", "세"}))
"""The terms of 부가가치세 and of its short name."""

DEADLINES = (
    RecurringDeadline(
        "부가가치세 확정신고·납부",
        _VAT,
        ((1, 25), (7, 25)),
        "부가가치세 확정신고는 과세기간이 끝난 후 25일 이내에 해야 합니다(부가가치세법 제49조).",
        "부가가치세법 제49조",
    ),
    RecurringDeadline(
        "부가가치세 예정신고·납부",
        tuple(name | {asked} for name in _VAT for asked in ("예정", "법인")),
        ((4, 25), (10, 25)),
        "부가가치세 예정신고는 예정신고기간이 끝난 후 25일 이내에 해야 합니다(부가가치세법 제48조).",
        "부가가치세법 제48조",
    ),
    RecurringDeadline(
        "종합소득세 확정신고·납부",
        (frozenset({"종합", "소득세"}), frozenset({"종소세"})),
        ((5, 31),),
        "종합소득세 확정신고는 다음 연도 5월 1일부터 5월 31일까지 해야 합니다(소득세법 제70조).",
        "소득세법 제70조",
    ),
    RecurringDeadline(
        "법인세 신고·납부(12월 말 결산 법인)",
        (frozenset({"법인세"}), frozenset({"법인", "세"})),
        ((3, 31),),
        "법인세는 사업연도 종료일이 속하는 달의 말일부터 3개월 이내에 신고해야 합니다(법인세법 제60조).",
        "법인세법 제60조",
    ),
    RecurringDeadline(
        "원천징수세액 납부",
        (frozenset({"원천", "징수"}), frozenset({"원천세"}), frozenset({"원천", "세"})),
        ((0, 10),),
        "원천징수한 소득세는 징수일이 속하는 달의 다음 달 10일까지 납부해야 합니다(소득세법 제128조).",
        "소득세법 제128조",
    ),
)
_LABOUR_DAY = (5, 1)  # named apart from the public holidays by the article, and none of them before 2026
MOVING_RULE = "기한이 토요일·일요일·공휴일·노동절이면 그 다음 날이 기한입니다(국세기본법 제5조)."


def deadlines_for(terms: Iterable[str], today: date) -> list[TaxDeadline]:
    """The next date of each deadline that the terms of a question call for, soonest first."""
    present = set(terms)
    called = [deadline for deadline in DEADLINES if any(keywords <= present for keywords in deadline.keywords)]
    return sorted((next_deadline(deadline, today) for deadline in called), key=lambda upcoming: upcoming.due)


def next_deadline(deadline: RecurringDeadline, today: date) -> TaxDeadline:
    """The first time at or after ``today`` that the deadline, moved off weekends and holidays, falls due."""
    statutory = (
        date(year, month, day)
        for year in (today.year - 1, today.year, today.year + 1)
        for month_or_every, day in deadline.days
        for month in ([month_or_every] if month_or_every else range(1, 13))
    )
    upcoming = ((move_off_holidays(day), day) for day in statutory)
    due, day = min(pair for pair in upcoming if pair[0] >= today)
    return TaxDeadline(deadline, day, due)


def move_off_holidays(day: date) -> date:
    """The day itself, or the next one that is no Saturday, Sunday, public holiday or Labour Day (국세기본법 제5조)."""
    while day.weekday() >= 5 or (day.month, day.day) == _LABOUR_DAY or day in _holidays(day.year):
        day += timedelta(days=1)
    return day


@lru_cache(maxsize=8)
def _holidays(year: int) -> frozenset[date]:
    return frozenset(holidays.country_holidays("KR", years=year))
