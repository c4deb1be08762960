"""Texts as bags of term rows, and batches of them for the model."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from utils.protocols import FloatMatrix
from vectorstores.storage.ragged import RaggedIds

Numbers = NDArray[np.int64]

_ROW_BITS = 20  # a pair of text and row is one number: up to a million rows


@dataclass(frozen=True, slots=True)
class Batch:
    """``size`` bags: which ``text`` of the batch has which ``row`` with which ``weight``; sorted by text, then row."""

    size: int
    text: Numbers
    row: Numbers
    weight: FloatMatrix

    def keep(self, mask: NDArray[np.bool_]) -> Batch:
        return Batch(self.size, self.text[mask], self.row[mask], self.weight[mask])

    def without(self, other: Batch) -> Batch:
        """The bags without what the bag of the same number in ``other`` has too, where it occurs here only once."""
        shared = np.isin(_joined(self.text, self.row), _joined(other.text, other.row), assume_unique=True)
        return self.keep(~(shared & (self.weight <= 1.0)))

    def beside(self, other: Batch) -> Batch:
        """The bags with the terms that the bag of the same number in ``other`` has, every term counted once."""
        pairs = np.unique(np.concatenate([_joined(self.text, self.row), _joined(other.text, other.row)]))
        row = pairs & ((1 << _ROW_BITS) - 1)
        return Batch(self.size, pairs >> _ROW_BITS, row, np.ones(len(row), dtype=np.float32))

    def distinct(self) -> Batch:
        """The bags with every term counted once, as a question is read."""
        return Batch(self.size, self.text, self.row, np.ones_like(self.weight))

    def matrix(self, rows: Numbers) -> FloatMatrix:
        """Weights as a matrix of shape ``(size, len(rows))``; ``rows`` are sorted and hold every row of the batch."""
        dense = np.zeros((self.size, len(rows)), dtype=np.float32)
        dense[self.text, np.searchsorted(rows, self.row)] = self.weight
        return dense


class Bags:
    """Every text of a list as a bag; a term weighs ``1 + ln(tf)``."""

    def __init__(self, lists: RaggedIds) -> None:
        owners = np.repeat(np.arange(len(lists)), lists.lengths)
        pairs, counts = np.unique(_joined(owners, lists.flat), return_counts=True)
        self._starts = np.searchsorted(pairs >> _ROW_BITS, np.arange(len(lists) + 1))
        self._rows = (pairs & ((1 << _ROW_BITS) - 1)).astype(np.int32)
        self._weights = (1.0 + np.log(counts)).astype(np.float32)

    def take(self, numbers: Numbers) -> Batch:
        owners, places = _spread(self._starts[numbers], self._starts[numbers + 1])
        return Batch(len(numbers), owners, self._rows[places].astype(np.int64), self._weights[places])


class Windows:
    """Runs of terms within the texts of a list."""

    def __init__(self, lists: RaggedIds) -> None:
        self._flat = lists.flat
        self._starts = np.concatenate([[0], np.cumsum(lists.lengths)])

    def take(self, numbers: Numbers, first: Numbers, last: Numbers) -> Batch:
        """The terms ``first`` to ``last`` (exclusive) of each of the texts ``numbers``, each term once."""
        owners, places = _spread(self._starts[numbers] + first, self._starts[numbers] + last)
        pairs = np.unique(_joined(owners, self._flat[places]))
        row = pairs & ((1 << _ROW_BITS) - 1)
        return Batch(len(numbers), pairs >> _ROW_BITS, row, np.ones(len(row), dtype=np.float32))


def _joined(text: Numbers, row: NDArray[np.int64] | NDArray[np.int32]) -> Numbers:
    return (text.astype(np.int64) << _ROW_BITS) | row


def _spread(starts: Numbers, ends: Numbers) -> tuple[Numbers, Numbers]:
    """Number of the span and place of every item in the spans ``[start, end)``, one span after the other."""
    lengths = ends - starts
    owners = np.repeat(np.arange(len(starts)), lengths)
    return owners, np.arange(int(lengths.sum())) + np.repeat(starts - (np.cumsum(lengths) - lengths), lengths)
