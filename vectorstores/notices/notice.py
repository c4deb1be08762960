"""A notice, its state on a day, and what its text says of whom it is for."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import NamedTuple

from schemas.funding.notices import NoticeStatus
from utils.figures.figures import FigureKind, find_figures
from vectorstores.notices.pack import NoticePack

LONGEST_BODY = 60_000
"""Characters of a notice's text that are kept."""
_LAPSES = timedelta(days=92)
"""A notice without a deadline counts as closed so long after it was last listed: programmes are set up anew each year."""
_WON = re.compile(r"(\d+)원")
_MOST = 1e15
_AGE_SPAN = re.compile(r"(\d{1,2})년\s?(?:이상|초과)\s?[~,]?\s?(\d{1,2})년\s?(?:이내|이하|미만)")
_AGE_MOST = re.compile(r"(?:창업|업력|설립|개업)[^.\n\d]{0,12}(\d{1,2})년\s?(?:이내|이하|미만)")
_AGE_LEAST = re.compile(r"(?:창업|업력|설립|개업)[^.\n\d]{0,12}(\d{1,2})년\s?(?:이상|초과)")
_AGE_LIST = re.compile(r"(\d{1,2})년미만")
_STAFF = re.compile(r"(?:근로자|종업원|직원|피보험자)[^.\n\d]{0,10}(\d{1,4})\s?(?:인|명)\s?(이상|이하|미만|초과)")


class Span(NamedTuple):
    """Limits of a number; None: there is none on that side. Both ends belong to it."""

    low: float | None = None
    high: float | None = None

    @property
    def is_told(self) -> bool:
        return self.low is not None or self.high is not None

    def holds(self, value: float) -> bool:
        return (self.low is None or value >= self.low) and (self.high is None or value <= self.high)


@dataclass(frozen=True, slots=True)
class NoticeRecord:
    """A notice as an importer hands it over: text as it stands in the source, dates where they are told.

    ``listed`` is the day on which the source still had it. ``period`` is what the source says in place of dates, such as 예산
    소진시까지, or its own status.
    """

    pack: str
    id: str
    title: str
    source: str
    listed: date
    agency: str = ""
    region: str = ""
    field: str = ""
    target: str = ""
    apply_start: date | None = None
    apply_end: date | None = None
    period: str = ""
    posted: date | None = None
    year: int | None = None
    summary: str = ""
    body: str = ""
    url: str = ""


@dataclass(frozen=True, slots=True)
class Notice:
    """A notice ready for searching, without its body. ``years`` and ``staff`` are limits that its text names."""

    record: NoticeRecord
    regions: tuple[str, ...]
    cities: tuple[str, ...]
    fields: tuple[str, ...]
    targets: tuple[str, ...]
    title_terms: frozenset[str]
    terms: frozenset[str]
    amount: int | None
    years: Span
    staff: Span
    for_founders: bool
    """It names people who have not founded a company yet."""
    plain_title: str = field(default="", compare=False)

    @property
    def key(self) -> tuple[str, str]:
        return self.record.pack, self.record.id

    def status_on(self, day: date, pack: NoticePack) -> NoticeStatus:
        """Return the state on ``day``: by the dates, and where they say nothing by the wording of the source."""
        record = self.record
        stated = pack.status_of(record.period) if record.period else None
        if record.apply_end is not None and record.apply_end < day:
            return NoticeStatus.CLOSED
        if record.apply_start is not None and record.apply_start > day:
            return NoticeStatus.UPCOMING
        if record.apply_end is not None:
            announced = record.apply_start is None and stated is NoticeStatus.UPCOMING
            return NoticeStatus.UPCOMING if announced else NoticeStatus.OPEN
        if stated is NoticeStatus.CLOSED or day - record.listed > _LAPSES:
            return NoticeStatus.CLOSED
        return stated or (NoticeStatus.OPEN if record.apply_start is not None else NoticeStatus.UNKNOWN)


def highest_amount(text: str) -> int | None:
    """Return the highest amount in won that ``text`` names."""
    amounts = [
        int(match[1])
        for figure in find_figures(text)
        if figure.kind is FigureKind.MONEY and (match := _WON.fullmatch(figure.canonical))
    ]
    return max((amount for amount in amounts if amount < _MOST), default=None)


def age_limits(text: str) -> Span:
    """Return the limits of a company's age in years that ``text`` names; 이내, 이하 and 미만 count alike."""
    if match := _AGE_SPAN.search(text):
        return Span(float(match[1]), float(match[2]))
    listed = [int(match[1]) for match in _AGE_LIST.finditer(text)]
    if len(listed) > 1:
        return Span(None, float(max(listed)))
    most, least = _AGE_MOST.search(text), _AGE_LEAST.search(text)
    return Span(float(least[1]) if least else None, float(most[1]) if most else None)


def staff_limits(text: str) -> Span:
    """Return the limits of the number of employees that ``text`` names."""
    low = high = None
    for match in _STAFF.finditer(text):
        number = float(match[1])
        match match[2]:
            case "이상":
                low = number
            case "초과":
                low = number + 1
            case "이하":
                high = number
            case _:
                high = number - 1
    return Span(low, high)


def distinct(words: Iterable[str]) -> tuple[str, ...]:
    """Return the words once each, in order, without empty ones."""
    return tuple(dict.fromkeys(word for word in words if word))
