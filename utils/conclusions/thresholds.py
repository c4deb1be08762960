"""Thresholds that a rule names, held against the figures of an asker: 1년 이상 beside 11개월 일한 알바."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from utils.figures.figures import FigureKind, find_figures
from utils.figures.numeral_words import legible
from utils.knowledge.bounds import BOUND, bounded
from utils.knowledge.ranges import Range

_MEASURED = re.compile(r"(?P<number>\d+(?:\.\d+)?)(?P<unit>\D+)")
_TIME = "days"
_KINDS = (FigureKind.COUNT, FigureKind.PERCENT, FigureKind.MONEY)
_MEASURES = {
    "명": ("people", 1),
    "인": ("people", 1),
    "년": (_TIME, 360),
    "개월": (_TIME, 30),
    "주": (_TIME, 7),
    "일": (_TIME, 1),
    "시간": ("hours", 1),
    "%": ("percent", 1),
    "원": ("won", 1),
    "세": ("age", 1),
    "살": ("age", 1),
    "회": ("times", 1),
    "번": ("times", 1),
    "기": ("terms", 1),
}
_BOUND = re.compile(BOUND)
_SIDES = ("below", "most", "above", "least")
_JOINED = 3  # characters between 5년 and 2개월


class Met(StrEnum):
    """The relation of an asker's figures to the thresholds of a rule."""

    ALL = "all"
    NONE = "none"
    SOME = "some"


@dataclass(frozen=True, slots=True)
class Measured:
    """A figure: the ``span`` of the numbers it tells, in the smallest unit of its ``measure``; ``is_bound``: 이상, 미만 … stands behind it."""

    measure: str
    span: Range
    is_bound: bool


def measured(text: str) -> Iterator[Measured]:
    """Yield the figures of ``text`` that have a measure; numbers may be words (네 명). Spans of time count in days, a year as 360."""
    text = legible(text)
    before: tuple[int, Decimal] | None = None
    for figure in find_figures(text):
        parts = _MEASURED.fullmatch(figure.canonical) if figure.kind in _KINDS else None
        if parts is None or parts["unit"] not in _MEASURES:
            continue
        measure, factor = _MEASURES[parts["unit"]]
        number = Decimal(parts["number"]) * factor
        if measure == _TIME and before and figure.start - before[0] <= _JOINED:
            number += before[1]  # 5년 2개월
        words = _BOUND.match(text, figure.end)
        is_bound = words is not None and any(words[side] for side in _SIDES)
        before = (figure.end, number) if measure == _TIME and not is_bound else None
        yield Measured(measure, bounded(number, words), is_bound)


def met(thresholds: Iterable[Measured], figures: Collection[Measured]) -> Met | None:
    """Hold the ``figures`` of an asker against the bounds among ``thresholds``; None where no two can be compared.

    A threshold that several figures can be meant for is met where one of them meets it.
    """
    found: set[bool] = set()
    for threshold in thresholds:
        if not threshold.is_bound:
            continue
        within = [
            _lies_in(figure.span, threshold.span)
            for figure in figures
            if figure.measure == threshold.measure and figure.span != threshold.span
        ]
        if any(truth is not None for truth in within):
            found.add(True in within)
    if not found:
        return None
    return Met.SOME if len(found) > 1 else Met.ALL if True in found else Met.NONE


def _lies_in(span: Range, bound: Range) -> bool | None:
    """The truth of a span lying within a bound; None where it lies on both sides of an end."""
    truths = []
    if bound.low is not None:
        truths.append(span.compare(">" if bound.open_low else ">=", bound.low))
    if bound.high is not None:
        truths.append(span.compare("<" if bound.open_high else "<=", bound.high))
    return False if False in truths else None if None in truths else True
