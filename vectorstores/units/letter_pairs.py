"""Likeness of texts by the pairs of letters that they share: it bridges typos, endings and missing blanks, which words do not."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vectorstores.units.postings import Floats, Overlap, Postings, distinct

_CODES = 0x110000  # code points there are
_UNKNOWN = np.iinfo(np.int64).max  # stands behind all pairs for those that no text has

Pairs = NDArray[np.int64]


class LetterPairs:
    """Reads only; texts are named by their place."""

    def __init__(self, texts: Sequence[str]) -> None:
        """``texts`` of one line each."""
        self._size = len(texts)
        letters = _kept(_letters("\n".join(texts)))
        ends = letters == ord("\n")
        inside = np.flatnonzero(~(ends[:-1] | ends[1:]))
        known, numbers = np.unique(_pairs_of(letters)[inside], return_inverse=True)
        own = distinct(numbers * max(self._size, 1) + np.cumsum(ends)[inside])
        numbers, having = np.divmod(own, max(self._size, 1))
        self._texts_with = Postings.of(numbers, having, len(known), self._size)
        self._known = np.append(known, _UNKNOWN)
        self._rarity = self._rarity_of(np.bincount(numbers, minlength=len(self._known)))
        self._lengths = np.bincount(having, weights=self._rarity[numbers], minlength=self._size).astype(
            np.float64, copy=False
        )

    def _rarity_of(self, frequency: NDArray[np.int64]) -> Floats:
        """Inverse document frequency, in nats."""
        result: Floats = np.log1p(self._size / np.maximum(frequency, 1))
        return result

    def overlap(self, text: str) -> Overlap:
        """The overlap of ``text`` with each of the texts."""
        own = distinct(_pairs_of(_letters("".join(filter(str.isalnum, text)))))
        places = np.searchsorted(self._known, own)
        numbers = np.where(self._known[places] == own, places, len(self._known) - 1)
        weights = self._rarity[numbers]
        return Overlap.of(self._texts_with.of_terms(numbers).sums(weights), float(weights.sum()), self._lengths)


def _letters(text: str) -> Pairs:
    return np.frombuffer(text.encode("utf-32-le", "replace"), dtype=np.uint32).astype(np.int64)


def _kept(letters: Pairs) -> Pairs:
    """Leave out what neither is a letter nor a digit, nor ends a line; each code is looked at once."""
    used = np.flatnonzero(np.bincount(letters)).tolist()
    is_kept = np.zeros(_CODES, dtype=np.bool_)
    is_kept[[code for code in used if chr(code).isalnum() or chr(code) == "\n"]] = True
    return letters[is_kept[letters]]


def _pairs_of(letters: Pairs) -> Pairs:
    return letters[:-1] * _CODES + letters[1:]
