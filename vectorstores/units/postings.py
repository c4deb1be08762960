"""Of each term the places that have it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

Places = NDArray[np.int64]


def distinct(numbers: Places) -> Places:
    """Return the different numbers in ascending order, as `numpy.unique` does, whose hash table takes ten times as long for many."""
    ordered = np.sort(numbers)
    is_first = np.ones(len(ordered), dtype=np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=is_first[1:])
    return ordered[is_first]


@dataclass(frozen=True, slots=True)
class Postings:
    """Of each term, by its number, the places that have it, in ascending order."""

    starts: Places
    places: Places

    @classmethod
    def of(cls, terms: Places, places: Places, size: int) -> Self:
        """Take pairs in the order of ``terms``; ``size`` is how many terms there are."""
        return cls(np.searchsorted(terms, np.arange(size + 1)), places)

    def span(self, term: int) -> slice:
        """Where the places of a term stand in ``places``."""
        return slice(self.starts[term], self.starts[term + 1])

    def of_term(self, term: int) -> Places:
        """The places of a term."""
        return self.places[self.span(term)]
