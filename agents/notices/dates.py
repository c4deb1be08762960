"""Times that a request for notices names: deadlines (이번 주 마감, 다음 달까지), a day within the application period, a year."""

from __future__ import annotations

import re
from calendar import monthrange
from dataclasses import dataclass
from datetime import date, timedelta

_DATE = re.compile(r"(?:(20\d\d)\s?[년./-]\s?)?(\d{1,2})\s?[월./-]\s?(\d{1,2})\s?일?(?!\d)")
_MONTH = re.compile(r"(?:(20\d\d)\s?년\s?)?(?<!\d)(\d{1,2})월(?:\s?(?:말|안에|내|중))?(\s?까지)?(?!\s?\d)")
_YEAR = re.compile(r"(?<!\d)(20\d\d)\s?년도?|(작년|지난해|재작년)")
_AHEAD = re.compile(
    r"(?P<day>오늘|내일|모레)(?P<day_until>\s?까지)?"
    r"|(?P<week>이번\s?주|금주|다음\s?주|차주|다다음\s?주)(?P<week_until>\s?까지|\s?안에|\s?내)?"
    r"|(?P<month>이번\s?달|이달|금월|다음\s?달|내달|다음달)\s?(?:말|중|안)?(?P<month_until>\s?까지)?"
    r"|(?P<number>\d{1,3})\s?일\s?(?:안에|이내|안|내에|남은|남았)"
    r"|(?P<span>일주일|한\s?주|보름|열흘|한\s?달|두\s?달|석\s?달|세\s?달)\s?(?:안에|이내|안|내에|남은|남았)"
    r"|(?P<soon>마감\s?임박|곧\s?마감|마감이?\s?(?:얼마|며칠)\s?(?:안|남지))"
)
_UNTIL = re.compile(r"\s?까지")
_SINCE = re.compile(r"\s?(?:이후|부터)")
_SPANS = {"일주일": 7, "한주": 7, "열흘": 10, "보름": 15, "한달": 30, "두달": 60, "석달": 90, "세달": 90}
_DAYS = {"오늘": 0, "내일": 1, "모레": 2}
_SOON = 14  # days that count as a deadline near
_OF_DEADLINE = re.compile(r"마감|까지|끝나|종료|접수|신청|모집|남은|남았|안에|이내|열")
_WITHIN = re.compile(r"들어가|포함|사이|걸쳐|신청할\s?수|접수\s?중")


@dataclass(frozen=True, slots=True)
class AskedTimes:
    """The times; ``spans`` are character offsets of what names them."""

    year: int | None = None
    ends_from: date | None = None
    ends_to: date | None = None
    open_on: date | None = None
    spans: tuple[tuple[int, int], ...] = ()


def times_in(text: str, today: date) -> AskedTimes:
    """Return the times that a request names, as seen on ``today``."""
    return _written_day(text, today) or _ahead(text, today) or _month(text, today) or _year(text, today)


def _written_day(text: str, today: date) -> AskedTimes | None:
    is_within, of_deadline = _WITHIN.search(text) is not None, _OF_DEADLINE.search(text) is not None
    for match in _DATE.finditer(text):
        day = _day(match[1], match[2], match[3], today)
        if day is None:
            continue
        spans = (match.span(),)
        if is_within:
            return AskedTimes(open_on=day, spans=spans)
        if _UNTIL.match(text, match.end()):
            return AskedTimes(ends_from=min(today, day), ends_to=day, spans=spans)
        if _SINCE.match(text, match.end()):
            return AskedTimes(ends_from=day, spans=spans)
        if of_deadline:
            return AskedTimes(ends_from=day, ends_to=day, spans=spans)
    return None


def _ahead(text: str, today: date) -> AskedTimes | None:
    match = _AHEAD.search(text)
    if match is None or not _OF_DEADLINE.search(text):
        return None
    first, last = _window(match, today)
    return AskedTimes(ends_from=first, ends_to=last, spans=(match.span(),))


def _window(match: re.Match[str], today: date) -> tuple[date, date]:
    if match["day"]:
        day = today + timedelta(days=_DAYS[match["day"]])
        return (today if match["day_until"] else day), day
    if match["week"]:
        name = "".join(match["week"].split())
        weeks = {"이번주": 0, "금주": 0, "다음주": 1, "차주": 1, "다다음주": 2}[name]
        monday = today - timedelta(days=today.weekday()) + timedelta(weeks=weeks)
        until = match["week_until"] and "까지" in match["week_until"]
        return (today if until or not weeks else monday), monday + timedelta(days=6)
    if match["month"]:
        name = "".join(match["month"].split())
        ahead = 0 if name in ("이번달", "이달", "금월") else 1
        year, month = divmod(today.year * 12 + today.month - 1 + ahead, 12)
        first = date(year, month + 1, 1)
        last = first.replace(day=monthrange(first.year, first.month)[1])
        return (today if match["month_until"] or not ahead else first), last
    days = _SOON
    if match["number"]:
        days = int(match["number"])
    elif match["span"]:
        days = _SPANS["".join(match["span"].split())]
    return today, today + timedelta(days=days)


def _month(text: str, today: date) -> AskedTimes | None:
    match = _MONTH.search(text)
    if match is None or not 1 <= int(match[2]) <= 12 or not _OF_DEADLINE.search(text):
        return None
    month = int(match[2])
    year = int(match[1]) if match[1] else today.year + (month < today.month)
    first = date(year, month, 1)
    last = first.replace(day=monthrange(year, month)[1])
    return AskedTimes(ends_from=min(today, last) if match[3] else first, ends_to=last, spans=(match.span(),))


def _year(text: str, today: date) -> AskedTimes:
    match = _YEAR.search(text)
    if match is None:
        return AskedTimes()
    year = int(match[1]) if match[1] else today.year - (2 if match[2] == "재작년" else 1)
    return AskedTimes(year=year, spans=(match.span(),))


def _day(year: str | None, month: str, day: str, today: date) -> date | None:
    try:
        return date(int(year) if year else today.year, int(month), int(day))
    except ValueError:
        return None
