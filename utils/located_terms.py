"""Content terms of a text with their places, as they are stored at ingest."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LocatedTerms:
    """Content terms of a text in order, as indexed, and the character offset at which each one stands."""

    terms: tuple[str, ...]
    starts: tuple[int, ...]

    def within(self, start: int, end: int) -> LocatedTerms:
        """The terms that stand in ``text[start:end]``, located in that piece."""
        first, last = bisect_left(self.starts, start), bisect_left(self.starts, end)
        return LocatedTerms(self.terms[first:last], tuple(place - start for place in self.starts[first:last]))
