"""Of each term the places that have it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self, TypeVar

import numpy as np
from numpy.typing import NDArray

Places = NDArray[np.int64]
Floats = NDArray[np.float64]
Number = TypeVar("Number", bound=np.generic)


def distinct(numbers: Places) -> Places:
    """Return the different numbers in ascending order, as `numpy.unique` does, whose hash table takes ten times as long for many."""
    ordered = np.sort(numbers)
    is_first = np.ones(len(ordered), dtype=np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=is_first[1:])
    return ordered[is_first]


@dataclass(frozen=True, slots=True)
class Overlap:
    """The part of what is asked that each text has, ``held``, of its ``total``, as sums of rarities; and the Dice overlap of the two."""

    held: Floats
    total: float
    dice: Floats

    @classmethod
    def of(cls, held: Floats, total: float, lengths: Floats) -> Self:
        """``lengths`` is the sum of the rarities of each text; all arrays have shape ``(texts,)``."""
        total = total or 1.0
        dice = lengths + total
        np.divide(held, dice, out=dice)  # in place: room for a number of every text costs more than the numbers
        dice *= 2
        return cls(held, total, dice)

    def share(self, texts: Places) -> Floats:
        """The share of what is asked that some texts have."""
        result: Floats = self.held[texts] / self.total
        return result


@dataclass(frozen=True, slots=True)
class TermPlaces:
    """The places that have each of several terms, term after term; ``counts`` of each term, among ``size`` places there are."""

    places: Places
    counts: Places
    size: int

    def sums(self, weights: Floats) -> Floats:
        """The sum of the weights of the terms that each place has, shape ``(size,)``; ``weights`` are of the terms."""
        return self.added(np.repeat(weights, self.counts))

    def added(self, values: Floats) -> Floats:
        """The sum of the values at each place, shape ``(size,)``; ``values`` has one for each of ``places``."""
        return np.bincount(self.places, values, minlength=self.size).astype(np.float64, copy=False)

    def flags(self) -> NDArray[np.bool_]:
        """Which places have which term, shape ``(terms, size)``."""
        flags = np.zeros((len(self.counts), self.size), dtype=np.bool_)
        flags[np.repeat(np.arange(len(self.counts)), self.counts), self.places] = True
        return flags


@dataclass(frozen=True, slots=True)
class Postings:
    """Of each term, by its number, the places that have it, in ascending order. The number after the last is that of every unknown
    term, which no place has. ``size`` is how many places there are."""

    starts: Places
    places: Places
    size: int

    @classmethod
    def of(cls, terms: Places, places: Places, count: int, size: int) -> Self:
        """Take pairs in the order of ``terms``, of which there are ``count``."""
        return cls(np.searchsorted(terms, np.arange(count + 2)), places, size)

    def of_terms(self, terms: Places) -> TermPlaces:
        """The places of several terms."""
        counts = self.starts[terms + 1] - self.starts[terms]
        return TermPlaces(self.joined(self.places, terms), counts, self.size)

    def joined(self, values: NDArray[Number], terms: Places) -> NDArray[Number]:
        """Those of ``values``, one for each of ``places``, that belong to several terms, term after term."""
        starts, ends = self.starts[terms].tolist(), self.starts[terms + 1].tolist()
        return np.concatenate([values[:0], *(values[start:end] for start, end in zip(starts, ends, strict=True))])
