"""Some of the answer units with their texts, so that scores of texts become scores of units."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from vectorstores.units.postings import Floats, Places

NOWHERE = -1.0
"""Below every overlap and cosine."""
_NEAREST = 3


@dataclass(frozen=True, slots=True)
class Extent:
    """Some of the units, in ascending order, and their ``texts``: those of a unit begin at ``firsts`` of these, with its own text."""

    units: Places
    texts: Places
    firsts: Places
    is_text: NDArray[np.bool_]
    grid: Places
    """The phrasings of each unit in a row, as places among ``texts``, which is filled up with the number after the last."""

    @classmethod
    def of(cls, units: Places, sizes: Places, begins: Places) -> Self:
        """Take units with as many texts each, which begin at ``begins`` among all texts."""
        firsts = np.cumsum(sizes) - sizes
        size = int(sizes.sum())
        texts = np.arange(size) + np.repeat(begins - firsts, sizes)
        is_text = np.zeros(size, dtype=np.bool_)
        is_text[firsts] = True
        places = firsts[:, None] + np.arange(1, int(sizes.max(initial=2)))
        return cls(units, texts, firsts, is_text, np.where(places < (firsts + sizes)[:, None], places, size))

    def best_phrasing(self, scores: Floats) -> Floats:
        """The highest score of a phrasing of each unit, from those of every text."""
        result: Floats = np.maximum.reduceat(np.where(self.is_text, NOWHERE, scores), self.firsts)
        return result

    def nearest_phrasings(self, cosines: NDArray[np.float32]) -> Floats:
        """The mean cosine of the nearest phrasings of each unit."""
        phrasings = np.append(cosines, np.float32(NOWHERE))[self.grid]
        most = min(_NEAREST, phrasings.shape[1])
        nearest = np.partition(phrasings, -most, axis=1)[:, -most:]
        present = np.maximum((nearest > NOWHERE).sum(axis=1), 1)
        result: Floats = np.where(nearest > NOWHERE, nearest, 0.0).sum(axis=1) / present
        return result
