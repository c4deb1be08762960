"""The vectors of a collection in a mapped file of halves, for those whose chunk is known."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from utils.protocols import FloatMatrix
from vectorstores.storage.arrays import read_array
from vectorstores.storage.files import VECTORS_FILE


class MappedVectors:
    """Reads only; precise to 1e-3."""

    def __init__(self, directory: Path, chunks: int) -> None:
        """Map the file. Raises OSError or ValueError when it is missing, damaged or not that of so many ``chunks``."""
        self._halves: NDArray[np.float16] = read_array(directory / VECTORS_FILE, np.float16, mapped=True)
        if self._halves.ndim != 2 or len(self._halves) != chunks:
            raise ValueError("the vectors do not fit the collection")

    def of(self, ordinals: Sequence[int] | NDArray[np.int64]) -> FloatMatrix:
        """Return the vectors of some chunks, shape ``(len(ordinals), d)``."""
        wanted = np.asarray(ordinals, dtype=np.int64)
        if "every" in self.__dict__:  # converted already
            return self.every[wanted]
        rows: FloatMatrix = self._halves[wanted].astype(np.float32)
        return rows

    @cached_property
    def every(self) -> FloatMatrix:
        """All vectors of a small collection, shape ``(chunks, d)``, converted once."""
        return self._halves.astype(np.float32)
