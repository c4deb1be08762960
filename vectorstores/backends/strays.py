"""Vectors that a graph does not lead to: found when its build ends, and compared one by one with every query after.

Beside thousands that are nearly equal an outlier is nobody's neighbour, and an approximate search passes it by.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from utils.protocols import FloatMatrix
from vectorstores.storage.arrays import read_array

NEARLY_EQUAL = 0.9
"""The cosine from which on another vector does as well as the one looked for."""
_UIDS_FILE = "strays.npy"
_VECTORS_FILE = "strays.vectors.npy"
_SAMPLES = 400
_MANY = 0.02  # share of a sample from everywhere; looking for each vector takes as long as storing them all
_FEW = 0.005  # share of those that are about equally far from the middle
_ASKED_AT_ONCE = 1_000
_READ_AT_ONCE = 16_384

Search = Callable[[FloatMatrix], Sequence[tuple[Sequence[int], Sequence[float]]]]
"""Rows of vectors → of each the uids stored nearest, and their cosines, best first."""


@dataclass(frozen=True, slots=True)
class Strays:
    """``vectors`` has a unit row for each of ``uids``."""

    uids: NDArray[np.int64]
    vectors: FloatMatrix

    @classmethod
    def read(cls, directory: Path) -> Self:
        """Read what a build has written; none where it found none."""
        try:
            return cls(read_array(directory / _UIDS_FILE, np.int64), read_array(directory / _VECTORS_FILE, np.float32))
        except (OSError, ValueError):
            return cls(np.zeros(0, dtype=np.int64), np.zeros((0, 0), dtype=np.float32))

    def write(self, directory: Path) -> None:
        """Leave no file where there is none."""
        if len(self.uids):
            np.save(directory / _UIDS_FILE, self.uids, allow_pickle=False)
            np.save(directory / _VECTORS_FILE, self.vectors, allow_pickle=False)

    def among(self, vector: FloatMatrix, found: Mapping[int, float]) -> dict[int, float]:
        """Add the strays to what the graph found for a ``vector`` (uid → cosine); best first."""
        if not len(self.uids):
            return dict(found)
        cosines = self.vectors @ (vector / np.linalg.norm(vector))
        every = {**dict(zip(self.uids.tolist(), cosines.tolist(), strict=True)), **found}
        return dict(sorted(every.items(), key=lambda item: -item[1]))


def find_strays(search: Search, stored: NDArray[np.int64], vectors: NDArray[np.float16]) -> Strays:
    """Look for a sample of vectors from everywhere and for the outermost; for more, or all, where too many of these are lost.

    ``stored`` has for each row of ``vectors`` the uid under which it, or its equal, is in the graph.
    """
    everywhere = np.linspace(0, len(vectors) - 1, min(len(vectors), _SAMPLES // 2)).astype(np.int64)
    lost = _lost(search, stored, vectors, everywhere)
    if len(lost) > _MANY * len(everywhere) and len(everywhere) < len(stored):
        lost = _lost(search, stored, vectors, np.unique(stored, return_index=True)[1])
    else:
        lost = np.union1d(lost, _lost_outside(search, stored, vectors))
    _, rows = np.unique(stored[lost], return_index=True)
    strays = vectors[lost[rows]].astype(np.float32)
    norms = np.linalg.norm(strays, axis=1, keepdims=True)
    return Strays(stored[lost[rows]], np.divide(strays, norms, out=strays, where=norms > 0))


def _outermost_first(vectors: NDArray[np.float16]) -> NDArray[np.int64]:
    """All rows, those first that are farthest from the middle: what a crowd hides is not in it."""
    starts = range(0, len(vectors), _READ_AT_ONCE)
    blocks = [vectors[start : start + _READ_AT_ONCE] for start in starts]
    middle = sum((block.sum(axis=0, dtype=np.float32) for block in blocks), np.zeros(vectors.shape[1], np.float32))
    nearness = np.concatenate([block.astype(np.float32) @ middle for block in blocks])
    return np.argsort(nearness, kind="stable")


def _lost_outside(search: Search, stored: NDArray[np.int64], vectors: NDArray[np.float16]) -> NDArray[np.int64]:
    """Look for the outermost vectors, and where any is lost for those further in, up to where hardly any is."""
    outermost = _outermost_first(vectors)
    lost = _lost(search, stored, vectors, outermost[: _SAMPLES // 2])
    for start in range(0, len(outermost) if len(lost) else 0, _ASKED_AT_ONCE):
        rows = outermost[start : start + _ASKED_AT_ONCE]
        more = _lost(search, stored, vectors, rows)
        lost = np.union1d(lost, more)
        if len(more) <= _FEW * len(rows):
            break
    return lost


def _lost(
    search: Search, stored: NDArray[np.int64], vectors: NDArray[np.float16], rows: NDArray[np.int64]
) -> NDArray[np.int64]:
    lost: list[int] = []
    for start in range(0, len(rows), _ASKED_AT_ONCE):
        some = rows[start : start + _ASKED_AT_ONCE]
        asked = vectors[some].astype(np.float32)
        some, asked = (
            some[asked.any(axis=1)],
            asked[asked.any(axis=1)],
        )  # a text without a known word is not searched for
        for row, (uids, cosines) in zip(some.tolist(), search(asked) if len(asked) else (), strict=True):
            if stored[row] not in uids and (len(cosines) == 0 or cosines[0] < NEARLY_EQUAL):
                lost.append(row)
    return np.asarray(lost, dtype=np.int64)
