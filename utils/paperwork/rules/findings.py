"""Findings of the rules: what is wrong or worth knowing, at which field, by which article."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Any

from utils.paperwork.templates.field_types import FieldsModel


class Severity(StrEnum):
    """The weight of a finding."""

    ERROR = "error"  # the document is not written
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Finding:
    """A finding: ``path`` is the field (``founders.0.name``), ``message`` Korean and for people, ``article`` its source."""

    path: str
    message: str
    article: str
    severity: Severity


Rule = Callable[[Any, date], Iterator[Finding]]
"""Takes the validated fields of a type and the day in Korea. Fields are those of the type's template, hence `Any`."""


def error(path: str, message: str, article: str = "") -> Finding:
    """Return a finding that keeps the document from being written."""
    return Finding(path, message, article, Severity.ERROR)


def warning(path: str, message: str, article: str = "") -> Finding:
    """Return a finding that goes along with the document."""
    return Finding(path, message, article, Severity.WARNING)


def in_order(values: FieldsModel, earlier: str, later: str, message: str, article: str = "") -> Iterator[Finding]:
    """Yield an error at ``later`` where it is a day before ``earlier``; nothing where either is blank."""
    first, second = getattr(values, earlier), getattr(values, later)
    if first is not None and second is not None and second < first:
        yield error(later, message, article)


def years_later(day: date, years: int) -> date:
    """Return the same day some years later; 29 February becomes 1 March."""
    try:
        return day.replace(year=day.year + years)
    except ValueError:
        return date(day.year + years, 3, 1)


def age_on(birth: date, day: date) -> int:
    """Return the full years of age on a day (민법 제158조)."""
    return day.year - birth.year - ((day.month, day.day) < (birth.month, birth.day))


def months_between(first: date, last: date) -> int:
    """Return the full months from a day to a later one, 0 where it is not later."""
    months = (last.year - first.year) * 12 + last.month - first.month - (last.day < first.day)
    return max(months, 0)
