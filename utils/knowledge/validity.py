"""The days on which answer units hold, in words, and how many of a base are out of date."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Self

from utils.knowledge.units import AnswerUnit

_NOTE = re.compile(r"이 내용은 \d{4}년 \d{1,2}월 \d{1,2}일(?:까지의 기준입니다|부터 적용됩니다)\.")

OUTDATED = "python -m vectorstores check 로 찾아 문서를 고치고 python -m vectorstores ingest 로 다시 넣으세요."
"""The advice where units are out of date."""


def validity_note(unit: AnswerUnit, today: date) -> str:
    """The sentence that is said with a unit which does not hold today; empty for one that does."""
    if unit.valid_until is not None and unit.has_expired(today):
        return f"이 내용은 {_written(unit.valid_until)}까지의 기준입니다."
    if unit.valid_from is not None and unit.is_ahead(today):
        return f"이 내용은 {_written(unit.valid_from)}부터 적용됩니다."
    return ""


def is_validity_note(text: str) -> bool:
    """Return True if ``text`` is a sentence as `validity_note` writes it."""
    return bool(_NOTE.fullmatch(text))


def _written(day: date) -> str:
    return f"{day.year}년 {day.month}월 {day.day}일"


@dataclass(frozen=True, slots=True)
class OutdatedUnits:
    """Of a base the units whose days are over, and those whose day of review has passed; a unit may be both."""

    expired: tuple[AnswerUnit, ...]
    due: tuple[AnswerUnit, ...]

    @classmethod
    def of(cls, units: Iterable[AnswerUnit], today: date) -> Self:
        """Those of ``units`` on a day."""
        every = tuple(units)
        return cls(
            tuple(unit for unit in every if unit.has_expired(today)),
            tuple(unit for unit in every if unit.is_due(today)),
        )

    def __bool__(self) -> bool:
        return bool(self.expired or self.due)

    def __str__(self) -> str:
        return outdated_words(len(self.expired), len(self.due))


def outdated_words(expired: int, due: int) -> str:
    """The two counts in words."""
    return f"유효 기간이 지난 단위 {expired:,}개, 검토할 날이 지난 단위 {due:,}개"
