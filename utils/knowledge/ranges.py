"""A number that is known, or the span in which it lies."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Self

Number = Decimal | int


@dataclass(frozen=True, slots=True)
class Range:
    """The numbers from ``low`` to ``high`` (None: not bounded), an end that is ``open`` not among them."""

    low: Decimal | None = None
    high: Decimal | None = None
    open_low: bool = False
    open_high: bool = False

    @property
    def exact(self) -> Decimal | None:
        """The number where it is known, None where only a span is."""
        return self.low if self.low == self.high else None

    def compare(self, operator: str, limit: Decimal) -> bool | None:
        """The truth of ``number <operator> limit`` (= != < <= > >=), None where the span holds numbers on both sides."""
        below = self.high is not None and (self.high < limit or (self.high == limit and self.open_high))
        above = self.low is not None and (self.low > limit or (self.low == limit and self.open_low))
        at_most_limit = below or (self.high is not None and self.high == limit)
        at_least_limit = above or (self.low is not None and self.low == limit)
        match operator:
            case "<":
                return _decided(below, at_least_limit)
            case "<=":
                return _decided(at_most_limit, above)
            case ">":
                return _decided(above, at_most_limit)
            case ">=":
                return _decided(at_least_limit, below)
            case "!=":
                return _decided(below or above, self.exact == limit)
        return _decided(self.exact == limit, below or above)

    def plus(self, number: Number) -> Self:
        """The span moved by a number; a negative one leaves the lower end at zero or above."""
        low = None if self.low is None else max(self.low + number, Decimal(0))
        high = None if self.high is None else max(self.high + number, Decimal(0))
        return type(self)(low, high, self.open_low, self.open_high)

    def times(self, factor: Number) -> Self:
        """The span in a unit ``factor`` times smaller (above 0): of months from years by 12."""
        low, high = (None if end is None else end * factor for end in (self.low, self.high))
        return type(self)(low, high, self.open_low, self.open_high)

    def spanning(self, other: Self) -> Self:
        """The span from the lower end of two to the higher, not bounded where either is not."""
        lows = [(span.low, span.open_low) for span in (self, other) if span.low is not None]
        highs = [(span.high, not span.open_high) for span in (self, other) if span.high is not None]
        low, open_low = min(lows) if len(lows) == 2 else (None, False)
        high, closed = max(highs) if len(highs) == 2 else (None, True)
        return type(self)(low, high, open_low, not closed)


def exactly(number: Number) -> Range:
    return Range(Decimal(number), Decimal(number))


def at_least(number: Number) -> Range:
    return Range(low=Decimal(number))


def at_most(number: Number) -> Range:
    return Range(high=Decimal(number))


def more_than(number: Number) -> Range:
    return Range(low=Decimal(number), open_low=True)


def less_than(number: Number) -> Range:
    return Range(high=Decimal(number), open_high=True)


def _decided(holds: bool, fails: bool) -> bool | None:
    return True if holds else False if fails else None
