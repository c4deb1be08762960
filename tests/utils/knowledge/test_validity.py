"""The sentence that goes with a unit whose days are over or lie ahead, and the count of those."""

from __future__ import annotations

from datetime import date

import pytest

from utils.knowledge.units import AnswerUnit, Aspect
from utils.knowledge.validity import OutdatedUnits, is_validity_note, validity_note

FIRST, LAST = date(2026, 1, 1), date(2026, 12, 31)


def unit(first: date | None = FIRST, last: date | None = LAST, review: date | None = None) -> AnswerUnit:
    return AnswerUnit("이름", Aspect.AMOUNT, (), (), valid_from=first, valid_until=last, review_by=review)


@pytest.mark.parametrize(
    ("day", "note"),
    [
        (date(2025, 12, 31), "이 내용은 2026년 1월 1일부터 적용됩니다."),
        (FIRST, ""),
        (LAST, ""),
        (date(2027, 1, 1), "이 내용은 2026년 12월 31일까지의 기준입니다."),
    ],
)
def test_a_unit_holds_from_its_first_to_its_last_day(day: date, note: str) -> None:
    assert validity_note(unit(), day) == note
    assert is_validity_note(note) is bool(note)


def test_an_open_end_is_never_over() -> None:
    assert validity_note(unit(None, None), date(2100, 1, 1)) == ""
    assert validity_note(unit(last=None), date(2100, 1, 1)) == ""
    assert validity_note(unit(first=None), date(1900, 1, 1)) == ""


def test_a_review_is_due_from_the_day_after_its_own() -> None:
    units = [unit(last=None, review=LAST), unit()]
    assert not OutdatedUnits.of(units, LAST)
    assert str(OutdatedUnits.of(units, date(2027, 1, 1))) == "유효 기간이 지난 단위 1개, 검토할 날이 지난 단위 1개"
