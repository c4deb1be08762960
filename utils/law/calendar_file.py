"""Tax deadlines as an iCalendar file (RFC 5545): all-day events that a phone or a mail program takes in."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime, timedelta

from utils.law.tax_calendar import TaxDeadline

CALENDAR_MEDIA_TYPE = "text/calendar; charset=utf-8"
_LINE_OCTETS = 75
_ESCAPED = re.compile(r"[\\;,]")


def calendar_file(deadlines: Iterable[TaxDeadline], stamped: datetime) -> str:
    """The file; ``stamped`` is a moment in UTC. A deadline keeps its UID, so that taking a file in again adds nothing twice."""
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Bizi RAG//Tax calendar//KO", "CALSCALE:GREGORIAN"]
    lines.append("X-WR-CALNAME:세금 일정")
    for upcoming in deadlines:
        lines += _event(upcoming, stamped)
    lines.append("END:VCALENDAR")
    return "".join(f"{_folded(line)}\r\n" for line in lines)


def _event(upcoming: TaxDeadline, stamped: datetime) -> list[str]:
    deadline, due = upcoming.deadline, upcoming.due
    notes = [deadline.rule, f"대상: {deadline.binds}"]
    if due != upcoming.statutory:
        notes.append(deadline.moving_rule)
    return [
        "BEGIN:VEVENT",
        f"UID:{deadline.key}-{upcoming.statutory:%Y%m%d}@bizi-rag",
        f"DTSTAMP:{stamped:%Y%m%dT%H%M%SZ}",
        f"DTSTART;VALUE=DATE:{due:%Y%m%d}",
        f"DTEND;VALUE=DATE:{due + timedelta(days=1):%Y%m%d}",
        f"SUMMARY:{_text(deadline.name)}",
        f"DESCRIPTION:{_text(chr(10).join(notes))}",
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
