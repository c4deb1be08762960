"""The iCalendar file, read back by a reader of RFC 5545 of its own."""

from __future__ import annotations

from datetime import UTC, date, datetime

from schemas.tax_calendar import TaxpayerKind
from utils.law.calendar_file import calendar_file
from utils.law.tax_calendar import RecurringDeadline, TaxDeadline, deadlines_between

STAMPED = datetime(2026, 11, 22, 3, 4, 5, tzinfo=UTC)
YEAR = deadlines_between(date(2026, 12, 1), date(2027, 12, 1), list(TaxpayerKind))


def events(text: str) -> list[dict[str, str]]:
    """The properties of each event, unfolded and unescaped."""
    lines = text.replace("\r\n ", "").removesuffix("\r\n").split("\r\n")
    assert (lines[0], lines[-1]) == ("BEGIN:VCALENDAR", "END:VCALENDAR")
    found: list[dict[str, str]] = []
    for line in lines:
        name, _, value = line.partition(":")
        if line == "BEGIN:VEVENT":
            found.append({})
        elif found:
            found[-1][name] = value.replace("\\n", "\n").replace("\\,", ",").replace("\\;", ";").replace("\\\\", "\\")
    return found


def test_every_deadline_is_an_all_day_event() -> None:
    found = events(calendar_file(YEAR, STAMPED))
    assert len(found) == len(YEAR)
    for event, upcoming in zip(found, YEAR, strict=True):
        assert event["SUMMARY"] == upcoming.deadline.name
        assert event["DTSTART;VALUE=DATE"] == upcoming.due.strftime("%Y%m%d")
        assert date.fromisoformat(event["DTEND;VALUE=DATE"]).toordinal() == upcoming.due.toordinal() + 1
        assert event["DTSTAMP"] == "20261122T030405Z"
        assert event["DESCRIPTION"].startswith(upcoming.deadline.rule)
        assert ("그 다음 날이 기한입니다" in event["DESCRIPTION"]) == (upcoming.due != upcoming.statutory)
    assert len({event["UID"] for event in found}) == len(found)


def test_lines_end_and_fold_as_the_standard_says() -> None:
    text = calendar_file(YEAR, STAMPED)
    assert text.endswith("\r\n")
    assert text.count("\n") == text.count("\r\n")
    assert all(len(line.encode()) <= 75 for line in text.split("\r\n"))


def test_marks_of_the_format_are_escaped() -> None:
    odd = RecurringDeadline("odd", "가; 나, 다\\라", (), "대상", ((1, 1),), "규칙", "법")
    [event] = events(calendar_file([TaxDeadline(odd, date(2027, 1, 1), date(2027, 1, 4))], STAMPED))
    assert event["SUMMARY"] == "가; 나, 다\\라"
    assert event["DESCRIPTION"].split("\n")[:2] == ["규칙", "대상: 대상"]


def test_the_same_deadline_keeps_its_identifier() -> None:
    first, second = (events(calendar_file(YEAR[:3], moment)) for moment in (STAMPED, datetime(2027, 1, 1, tzinfo=UTC)))
    assert [event["UID"] for event in first] == [event["UID"] for event in second]


def test_an_empty_calendar_is_a_calendar() -> None:
    assert events(calendar_file([], STAMPED)) == []
