"""Likeness of texts by the pairs of letters that they share: it bridges typos, endings and missing blanks, which words do not."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vectorstores.units.postings import distinct

_CODES = 0x110000  # code points there are

Floats = NDArray[np.float64]
Pairs = NDArray[np.int64]


class LetterPairs:
    """Reads only; texts are named by their place."""

    def __init__(self, texts: Sequence[str]) -> None:
        """``texts`` of one line each."""
        self._size = len(texts)
        letters = _kept(_letters("\n".join(texts)))
        ends = letters == ord("\n")
        inside = np.flatnonzero(~(ends[:-1] | ends[1:]))
        self._known, numbers = np.unique(_pairs_of(letters)[inside], return_inverse=True)
        own = distinct(numbers * max(self._size, 1) + np.cumsum(ends)[inside])
        numbers, self._postings = np.divmod(own, max(self._size, 1))
        frequency = np.bincount(numbers, minlength=len(self._known))
        self._starts = np.concatenate([[0], np.cumsum(frequency)])
        self._rarity = self._rarity_of(frequency)
        self._lengths = np.bincount(self._postings, weights=self._rarity[numbers], minlength=self._size)

    def _rarity_of(self, frequency: NDArray[np.int64]) -> Floats:
        """Inverse document frequency, in nats."""
        result: Floats = np.log1p(self._size / np.maximum(frequency, 1))
        return result

    def overlaps(self, text: str) -> tuple[Floats, Floats]:
        """Dice overlap of ``text`` with each of the texts, and the share of it that each has; both of shape ``(texts,)``."""
        own = distinct(_pairs_of(_letters("".join(filter(str.isalnum, text)))))
        places = np.searchsorted(self._known, own)
        held = np.zeros(self._size)
        total = 0.0
        for pair, place in zip(own.tolist(), places.tolist(), strict=True):
            is_known = place < len(self._known) and self._known[place] == pair
            weight = float(self._rarity[place] if is_known else np.log1p(self._size))
            total += weight
            if is_known:
                held[self._postings[self._starts[place] : self._starts[place + 1]]] += weight
        return 2 * held / np.maximum(total + self._lengths, 1.0), held / max(total, 1.0)


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
