"""Deadlines of taxes and insurance out of ``data/calendar``: whom each binds, when it falls due, and which a question means."""

from __future__ import annotations

import calendar
import re
import tomllib
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from schemas.tax_calendar import TaxpayerKind
from utils.config.settings import PROJECT_ROOT

DEADLINES_FILE = PROJECT_ROOT / "data" / "calendar" / "tax_deadlines.toml"
NATIONAL_TAX_RULE = "국세기본법 제5조"
MOVING_RULE = f"기한이 토요일·일요일·공휴일·노동절이면 그 다음 날이 기한입니다({NATIONAL_TAX_RULE})."

_LABOUR_DAY = (5, 1)  # named apart from the public holidays by the article, and none of them before 2026
_EVERY = 0  # month
_END = 0  # day
_TAXES = ("세금", "세무", "납세", "국세")
_WHEN = ("언제", "마감", "기한", "일정", "며칠", "달력", "캘린더", "이번달", "다음달", "이번주")
_OTHER_MATTERS = (
    "환급",
    "체납",
    "세무조사",
    "세무사",
    "세금계산서",
    "계산서",
    "현금영수증",
    "소멸시효",
    "불복",
    "심판",
    "증명",
)
_KINDS_BY_WORD = {
    "간이": TaxpayerKind.SIMPLIFIED,
    "면세": TaxpayerKind.EXEMPT,
    "법인": TaxpayerKind.CORPORATION,
    "개인사업": TaxpayerKind.GENERAL,
    "일반과세": TaxpayerKind.GENERAL,
}


@dataclass(frozen=True, slots=True)
class RecurringDeadline:
    """``days`` are the statutory (month, day) of each year; month 0 stands for every one, day 0 for the month's last.

    ``words`` are patterns of a question without its blanks that call for it, all of one entry at once, unless one of ``excluded``
    is there too (법인(?!세) is a company and not its tax). ``rule`` is a Korean sentence that names the article; ``binds`` says whom.
    """

    key: str
    name: str
    kinds: tuple[TaxpayerKind, ...]
    binds: str
    days: tuple[tuple[int, int], ...]
    rule: str
    law: str
    words: tuple[tuple[re.Pattern[str], ...], ...] = ()
    excluded: tuple[re.Pattern[str], ...] = ()
    moved_by: str = NATIONAL_TAX_RULE
    since: date = date.min
    until: date = date.max

    @property
    def moving_rule(self) -> str:
        """The sentence that says why a day is moved."""
        return MOVING_RULE.replace(NATIONAL_TAX_RULE, self.moved_by)

    def is_called_by(self, squeezed: str) -> bool:
        """Return True if a question, given without blanks, names this deadline."""
        if any(word.search(squeezed) for word in self.excluded):
            return False
        return any(all(word.search(squeezed) for word in words) for words in self.words)

    def statutory_days(self, year: int) -> Iterator[date]:
        """The days of a year that the law names."""
        for month_or_every, day_or_end in self.days:
            for month in [month_or_every] if month_or_every != _EVERY else range(1, 13):
                day = date(year, month, day_or_end or calendar.monthrange(year, month)[1])
                if self.since <= day <= self.until:
                    yield day


@dataclass(frozen=True, slots=True)
class TaxDeadline:
    """A time that a deadline falls due; ``due`` is after moving off weekends and holidays, ``statutory`` before."""

    deadline: RecurringDeadline
    statutory: date
    due: date


@cache
def tax_deadlines(path: Path = DEADLINES_FILE) -> tuple[RecurringDeadline, ...]:
    """All deadlines of a data file, in its order."""
    return tuple(_read(entry) for entry in tomllib.loads(path.read_text(encoding="utf-8"))["deadline"])


def _read(entry: dict[str, Any]) -> RecurringDeadline:
    return RecurringDeadline(
        **{
            **entry,
            "kinds": tuple(map(TaxpayerKind, entry["kinds"])),
            "days": tuple(map(_read_day, entry["days"])),
            "words": tuple(tuple(map(re.compile, words.split("+"))) for words in entry["words"]),
            "excluded": tuple(map(re.compile, entry["excluded"])),
        }
    )


def _read_day(text: str) -> tuple[int, int]:
    month, day = text.split("-")
    return (_EVERY if month == "*" else int(month)), (_END if day == "end" else int(day))


def deadlines_for(question: str, today: date) -> list[TaxDeadline]:
    """The next date of each deadline that a question names, soonest first; of every main one where it asks for dates of no tax.

    Only the asked: 중간예납 is not the final return, and a simplified taxpayer's day is not a general one's.
    """
    squeezed = "".join(question.split())
    called = [deadline for deadline in tax_deadlines() if deadline.is_called_by(squeezed)]
    if not called and asks_for_any(squeezed):
        kinds = {kind for word, kind in _KINDS_BY_WORD.items() if word in squeezed} or set(TaxpayerKind)
        called = [deadline for deadline in tax_deadlines() if kinds.intersection(deadline.kinds)]
    found = (next_deadline(deadline, today) for deadline in called)
    return sorted((upcoming for upcoming in found if upcoming is not None), key=lambda upcoming: upcoming.due)


def asks_for_any(squeezed: str) -> bool:
    """Return True if a question, given without blanks, asks when taxes fall due and names none: 세금 신고 마감."""
    return (
        any(word in squeezed for word in _TAXES)
        and any(word in squeezed for word in _WHEN)
        and not any(word in squeezed for word in _OTHER_MATTERS)
    )


def next_deadline(deadline: RecurringDeadline, today: date) -> TaxDeadline | None:
    """The first time at or after ``today`` that a deadline, moved off weekends and holidays, falls due; None if it has ended."""
    days = (day for year in (today.year - 1, today.year, today.year + 1) for day in deadline.statutory_days(year))
    upcoming = ((move_off_holidays(day), day) for day in days)
    found = min((pair for pair in upcoming if pair[0] >= today), default=None)
    return TaxDeadline(deadline, found[1], found[0]) if found is not None else None


def deadlines_between(since: date, until: date, kinds: Collection[TaxpayerKind]) -> list[TaxDeadline]:
    """Every time from ``since`` to the day before ``until`` that a deadline of the kinds falls due, soonest first."""
    found = [
        TaxDeadline(deadline, day, due)
        for deadline in tax_deadlines()
        if any(kind in kinds for kind in deadline.kinds)
        for year in range(since.year - 1, until.year + 1)
        for day in deadline.statutory_days(year)
        if since <= (due := move_off_holidays(day)) < until
    ]
    return sorted(found, key=lambda upcoming: (upcoming.due, upcoming.deadline.key))


def move_off_holidays(day: date) -> date:
    """The day itself, or the next one that is no Saturday, Sunday, public holiday or Labour Day (국세기본법 제5조)."""
    while day.weekday() >= 5 or (day.month, day.day) == _LABOUR_DAY or day in _holidays(day.year):
        day += timedelta(days=1)
    return day


@lru_cache(maxsize=16)
def _holidays(year: int) -> frozenset[date]:
    import holidays  # not at the top: a tenth of a second, which a start does not wait for

    return frozenset(holidays.country_holidays("KR", years=year))
