"""Deadlines as an iCalendar file (RFC 5545): all-day events that a phone or a mail program takes in."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from utils.law.tax_calendar import TaxDeadline

CALENDAR_MEDIA_TYPE = "text/calendar; charset=utf-8"
_LINE_OCTETS = 75
_ESCAPED = re.compile(r"[\\;,]")


@dataclass(frozen=True, slots=True)
class CalendarEvent:
    """An all-day event. It keeps its ``uid``, so that taking a file in again adds nothing twice."""

    uid: str
    day: date
    summary: str
    description: str


def calendar_file(deadlines: Iterable[TaxDeadline], stamped: datetime) -> str:
    """The file of tax deadlines; ``stamped`` is a moment in UTC."""
    return event_file("세금 일정", map(_of_deadline, deadlines), stamped)


def event_file(name: str, events: Iterable[CalendarEvent], stamped: datetime) -> str:
    """The file of a calendar of this name; ``stamped`` is a moment in UTC."""
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Bizi RAG//Tax calendar//KO", "CALSCALE:GREGORIAN"]
    lines.append(f"X-WR-CALNAME:{_text(name)}")
    for event in events:
        lines += _event(event, stamped)
    lines.append("END:VCALENDAR")
    return "".join(f"{_folded(line)}\r\n" for line in lines)


def _of_deadline(upcoming: TaxDeadline) -> CalendarEvent:
    deadline = upcoming.deadline
    notes = [deadline.rule, f"대상: {deadline.binds}"]
    if upcoming.due != upcoming.statutory:
        notes.append(deadline.moving_rule)
    uid = f"{deadline.key}-{upcoming.statutory:%Y%m%d}"
    return CalendarEvent(uid, upcoming.due, deadline.name, "\n".join(notes))


def _event(event: CalendarEvent, stamped: datetime) -> list[str]:
    return [
        "BEGIN:VEVENT",
        f"UID:{event.uid}@bizi-rag",
        f"DTSTAMP:{stamped:%Y%m%dT%H%M%SZ}",
        f"DTSTART;VALUE=DATE:{event.day:%Y%m%d}",
        f"DTEND;VALUE=DATE:{event.day + timedelta(days=1):%Y%m%d}",
        f"SUMMARY:{_text(event.summary)}",
        f"DESCRIPTION:{_text(event.description)}",
        "TRANSP:TRANSPARENT",
        "END:VEVENT",
    ]


def _text(value: str) -> str:
    """A TEXT value (RFC 5545, 3.3.11)."""
    return _ESCAPED.sub(lambda match: "\\" + match.group(), value).replace("\n", "\\n")


def _folded(line: str) -> str:
    """A content line of at most 75 octets a physical line; no character is cut (RFC 5545, 3.1)."""
    parts, size = [""], 0
    for character in line:
        octets = len(character.encode())
        if size + octets > _LINE_OCTETS:
            parts.append("")
            size = 1  # the blank that a continued line begins with
        parts[-1] += character
        size += octets
    return "\r\n ".join(parts)
