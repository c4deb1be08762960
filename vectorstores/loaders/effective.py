"""Which paragraphs of a statute are still to take effect.

A file's 시행일자 dates its latest amendment, not the act. So, when it lies ahead, the mark goes only on paragraphs whose last
``<개정 …>`` or ``<신설 …>`` date is the file's 공포일자, or on the whole act when that is its first enactment. A ``[시행일 …]`` note
in an article overrides both for what it names.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

UNKNOWN_DATE = date(9999, 1, 1)
"""The date that the source writes as long as the day of effect is not set."""

_AMENDED = re.compile(r"<(?:개정|신설)\s([^<>]*)>")
_DOTTED_DATE = re.compile(r"(\d{4})\.\s?(\d{1,2})\.\s?(\d{1,2})")
_NOTE_DATE = re.compile(r"(\d{4})(?:\.\s?|년\s?)(\d{1,2})(?:\.\s?|월\s?)(\d{1,2})")
_SUPPLEMENT_HEAD = re.compile(r"^부칙[^\n<]*<제?[^<>,\n]*,\s*(\d{4}\.\s?\d{1,2}\.\s?\d{1,2})", re.MULTILINE)
_NOTE = re.compile(r"^\[시행일")
_SCOPE = re.compile(r"제\d+조(?:의\d+)?(?:제(\d+)항)?(?:제(\d+)호(?:의(\d+))?)?")
_CIRCLED = {chr(0x2460 + number): number + 1 for number in range(20)} | {chr(0x3251 + n): n + 21 for n in range(15)}


@dataclass(frozen=True, slots=True)
class Marked:
    """An article's lines with marks in them; ``upcoming`` is the first day ahead, ``whole`` when all of it is."""

    lines: tuple[str, ...]
    upcoming: date | None = None
    whole: bool = False


def mark_text(day: date) -> str:
    """The mark as it stands in the text; dated, so that it stays true after the day."""
    return "[시행 예정: 시행일 미정]" if day == UNKNOWN_DATE else f"[시행 예정 {day.isoformat()}]"


def is_first_enactment(supplement: str, promulgated: date) -> bool:
    """Return True if the 부칙 name no promulgation but the file's own."""
    days = {
        _dates(_DOTTED_DATE, head)[0] for head in _SUPPLEMENT_HEAD.findall(supplement) if _dates(_DOTTED_DATE, head)
    }
    return days == {promulgated}


def mark_upcoming(
    lines: list[str], *, promulgated: date, effective: date, first_enactment: bool, today: date
) -> Marked:
    """Mark the paragraphs (lines) of one article that take effect after ``today``."""
    upcoming: dict[int, date] = {}
    if effective > today:
        upcoming = {
            number: effective
            for number, line in enumerate(lines)
            if first_enactment or last_amendment(line) == promulgated
        }
    _apply_notes(lines, upcoming, today)
    if not upcoming:
        return Marked(tuple(lines))
    first = min(upcoming.values())
    if len(upcoming) == len(lines):
        return Marked(tuple(lines), first, whole=True)
    return Marked(tuple(_with_mark(line, upcoming.get(number)) for number, line in enumerate(lines)), first)


def last_amendment(line: str) -> date | None:
    """The last date of the last ``<개정 …>`` or ``<신설 …>`` of a paragraph."""
    notes = _AMENDED.findall(line)
    days = _dates(_DOTTED_DATE, notes[-1]) if notes else []
    return days[-1] if days else None


def _with_mark(line: str, day: date | None) -> str:
    if day is None:
        return line
    if line[0] in _CIRCLED:
        return f"{line[0]} {mark_text(day)}{line[1:]}"
    return f"{mark_text(day)} {line}"


def _apply_notes(lines: list[str], upcoming: dict[int, date], today: date) -> None:
    """Let each ``[시행일 …]`` note decide for the lines it names; one without a readable date decides nothing."""
    for number, line in enumerate(lines):
        if not _NOTE.match(line):
            continue
        end = _paragraph_end(lines, number)
        days = _dates(_NOTE_DATE, "\n".join(lines[number:end]))
        if not days:
            continue
        ahead = [day for day in days if day > today]
        for target in _named_lines(lines, line, number, end):
            upcoming.pop(target, None)
            if ahead:
                upcoming[target] = min(ahead)


def _paragraph_end(lines: list[str], start: int) -> int:
    return next((n for n in range(start + 1, len(lines)) if lines[n][0] in _CIRCLED), len(lines))


def _named_lines(lines: list[str], note: str, note_start: int, note_end: int) -> list[int]:
    """Line numbers the note names: its paragraphs and items, or the whole article when it names no part of it."""
    outside = [number for number in range(len(lines)) if not note_start <= number < note_end]
    scopes = _SCOPE.findall(note)
    if not scopes or any(not paragraph and not item for paragraph, item, _ in scopes):
        return outside
    paragraph_of: dict[int, int] = {}
    current = 0
    for number in outside:
        current = _CIRCLED.get(lines[number][0], current)
        paragraph_of[number] = current
    named = []
    for paragraph, item, sub in scopes:
        mark = f"{item}의{sub}." if sub else f"{item}."
        named += [
            number
            for number in outside
            if (not paragraph or paragraph_of[number] == int(paragraph))
            and (not item or lines[number].startswith(mark))
        ]
    return named


def _dates(pattern: re.Pattern[str], text: str) -> list[date]:
    found = []
    for year, month, day in pattern.findall(text):
        try:
            found.append(date(int(year), int(month), int(day)))
        except ValueError:
            continue  # not a date of the calendar: a misprint says nothing
    return found
