"""Figures in Korean text: statute references, amounts, rates, dates, durations and counts, each in one canonical form.

The tokenizer indexes a figure as one term; the grounding check compares figures of an answer with figures of its source.
Both need 1억 400만원 and 104,000,000원, 100분의 5 and 5%, 제 48 조의 2 and 제48조의2 to be the same thing.
A change of a canonical form that is indexed changes ``TOKENIZER_VERSION``.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from utils.figures.figure_patterns import CLASSIFY, NUMBER, PATTERN, FigureKind
from utils.figures.numerals import parse_amount, plain

__all__ = ["Figure", "FigureKind", "figures_outside", "find_figures"]


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure in a text. ``canonical`` is equal for equal values; ``start``/``end`` are character offsets into the searched text."""

    kind: FigureKind
    canonical: str
    start: int
    end: int


_FULL_WIDTH = re.compile("[０-９％，．～／]")
_TO_HALF_WIDTH = str.maketrans("０１２３４５６７８９％，．～／", "0123456789%,.~/")
_RANGE = re.compile(r"\s?(?:[~∼〜–·ㆍ-]|내지)\s?|\s?부터\s?")
_SCALED = re.compile(rf"{NUMBER}\s?(?P<scale>[천백십]?[만억조]|[천백십])\s?[^\d\s]+")
_DAYS = re.compile(r"(?P<day>\d+)일")
_LEADING_NUMBER = re.compile(r"[\d.]+")


def find_figures(text: str) -> list[Figure]:
    """All figures of ``text`` in order, not overlapping.

    The lower end of a range takes the unit of the upper one: 3~5년 is 3년 and 5년, 4월 1일~10일 ends on 4월 10일.
    """
    if _FULL_WIDTH.search(text):
        text = text.translate(_TO_HALF_WIDTH)
    found: list[Figure] = []
    for match in PATTERN.finditer(text):
        name = match.lastgroup
        assert name is not None  # every alternative is named
        kind, canonical = CLASSIFY[name](match)
        found.append(Figure(kind, canonical, match.start(), match.end()))
    return _share_units(text, found)


def _share_units(text: str, figures: list[Figure]) -> list[Figure]:
    for at in range(len(figures) - 2, -1, -1):
        low, high = figures[at], figures[at + 1]
        if high.start - low.end > 4 or not (gap := _RANGE.fullmatch(text, low.end, high.start)):
            continue
        if low.kind is FigureKind.NUMBER:
            figures[at] = _with_unit_of(low, high, text)
        elif low.kind is FigureKind.DATE and ("부터" not in gap.group() or text.startswith("까지", high.end)):
            figures[at + 1] = _in_month_of(low, high)
    return figures


def _with_unit_of(low: Figure, high: Figure, text: str) -> Figure:
    """The bare lower end of a range, measured like its upper end."""
    value = Decimal(low.canonical)
    written = text[high.start : high.end]
    if (scaled := _SCALED.fullmatch(written)) and value < 10_000:
        value *= parse_amount(scaled["scale"])
    if high.kind is FigureKind.ARTICLE and "의" not in high.canonical:
        return Figure(high.kind, f"제{plain(value)}조", low.start, low.end)
    if high.kind is FigureKind.CLAUSE:
        return Figure(high.kind, f"제{plain(value)}{high.canonical[-1]}", low.start, low.end)
    if written.endswith("배"):
        value *= 100
    is_month = high.kind is FigureKind.DATE and high.canonical.endswith("월")
    if is_month or high.kind in (
        FigureKind.COUNT,
        FigureKind.MONEY,
        FigureKind.PERCENT,
    ):
        unit = _LEADING_NUMBER.sub("", high.canonical, count=1)
        return Figure(high.kind, plain(value) + unit, low.start, low.end)
    return low


def _in_month_of(low: Figure, high: Figure) -> Figure:
    """The upper end of a range of days: 4월 1일~10일, 2026. 4. 1.~10일."""
    if high.kind is not FigureKind.COUNT or not (count := _DAYS.fullmatch(high.canonical)):
        return high
    day = int(count["day"])
    if low.canonical.endswith("일") and "월" in low.canonical:
        return Figure(
            FigureKind.DATE,
            f"{low.canonical.split('월')[0]}월{day}일",
            high.start,
            high.end,
        )
    if low.canonical.count("-") == 2:
        return Figure(FigureKind.DATE, f"{low.canonical[:8]}{day:02d}", high.start, high.end)
    return high


def figures_outside(figures: Iterable[Figure], spans: Iterable[tuple[int, int]]) -> list[Figure]:
    """The figures that lie in none of ``spans``; in time of their number, not of its product with that of the spans."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    starts = [start for start, _ in merged]
    outside = []
    for figure in figures:
        at = bisect_right(starts, figure.start) - 1
        if at < 0 or merged[at][1] < figure.end:
            outside.append(figure)
    return outside
