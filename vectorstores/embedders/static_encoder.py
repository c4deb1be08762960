"""The trained vectors of terms as they ship: small files that are mapped into memory, for any version of Kiwi.

``data/encoder`` holds the terms (sorted by their bytes, one a line), a row of int8 for each and a float16 scale a row; weight and
direction of a term are one vector, so its length says how much the term counts. ``origin.json`` says how they were made:
see `evaluation.training.encoder`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from utils.config.settings import PROJECT_ROOT
from utils.protocols import FloatMatrix
from vectorstores.errors import ProviderUnavailable

DIMENSION = 232
ENCODER_DIR = PROJECT_ROOT / "data" / "encoder"

TERMS_FILE = "terms.txt"
ROWS_FILE = "rows.npy"
SCALES_FILE = "scales.npy"

_LONGEST_COMPOUND = 64  # characters; the time to take one apart grows with their cube

_DIGIT = re.compile(r"\d")


class StaticEncoder:
    """The vector of every term there can be.

    A compound that is not listed is the sum of its parts. A word without known parts gets a direction of its own, fixed by
    its letters (random indexing; Kanerva, Kristoferson, Holst 2000), so that it still finds itself; a figure gets none.
    """

    def __init__(self, rows: Mapping[str, int], matrix: NDArray[np.int8], scales: NDArray[np.float16]) -> None:
        if matrix.shape != (len(rows), DIMENSION) or scales.shape != (len(rows),):
            raise ValueError(f"{len(rows)} terms, vectors of shape {matrix.shape}, {scales.shape} scales")
        self._rows = rows
        self._matrix = matrix
        self._scales = scales

    @classmethod
    def open(cls, directory: Path = ENCODER_DIR) -> Self:
        """Map the files; raises `ProviderUnavailable` when one is missing or they do not belong together."""
        try:
            terms = (directory / TERMS_FILE).read_text(encoding="utf-8").splitlines()
            # a plain array over the mapped pages: indexing a memmap object costs ten times as much
            matrix = np.asarray(np.load(directory / ROWS_FILE, mmap_mode="r", allow_pickle=False))
            scales = np.load(directory / SCALES_FILE, allow_pickle=False)
            return cls(dict(zip(terms, range(len(terms)), strict=True)), matrix, scales)
        except (OSError, ValueError, EOFError) as error:
            raise ProviderUnavailable(
                f"EMBEDDING_PROVIDER=kiwi: 학습된 벡터를 읽을 수 없습니다 ({directory}): {error}"
            ) from error

    def __contains__(self, term: str) -> bool:
        """Return True for a term that is listed itself."""
        return term in self._rows

    def vectors(self, terms: Sequence[str]) -> FloatMatrix:
        """Return the vector that each term adds to a text, shape ``(len(terms), DIMENSION)``; zeros for a figure."""
        result = np.zeros((len(terms), DIMENSION), dtype=np.float32)
        for number, term in enumerate(terms):
            rows = list(known_parts(term, self._rows))
            if rows:
                result[number] = self._scales[rows].astype(np.float32) @ self._matrix[rows].astype(np.float32)
            elif not _DIGIT.search(term):
                result[number] = own_direction(term, DIMENSION)
        return result


@cache
def shipped_encoder() -> StaticEncoder:
    """Return the encoder of ``data/encoder``, which a process reads once; raises as `StaticEncoder.open`."""
    return StaticEncoder.open()


def known_parts(term: str, rows: Mapping[str, int]) -> tuple[int, ...]:
    """The row of a term; of a compound that has none, the rows of its parts, split where its longest known tail begins."""
    row = rows.get(term)
    if row is not None:
        return (row,)
    if len(term) > _LONGEST_COMPOUND:
        return ()
    for cut in range(1, len(term) - 1):
        tail = rows.get(term[cut:])
        if tail is not None:
            return (*known_parts(term[:cut], rows), tail) if cut > 1 else (tail,)
    return ()


def own_direction(term: str, dimension: int) -> FloatMatrix:
    """A unit vector that depends on the term alone, nearly orthogonal to all others, shape ``(dimension,)``, up to 512."""
    digest = hashlib.blake2b(term.encode("utf-8", "surrogatepass"), digest_size=-(-dimension // 8)).digest()
    signs = np.unpackbits(np.frombuffer(digest, dtype=np.uint8), count=dimension).astype(np.float32)
    return (2.0 * signs - 1.0) / np.float32(np.sqrt(dimension))
