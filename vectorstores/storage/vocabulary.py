"""The terms of a collection, sorted, in one mapped file: a look-up is a binary search and nothing is loaded at start."""

from __future__ import annotations

import mmap
from bisect import bisect_left
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from vectorstores.errors import LexicalIndexUnavailable, unreadable_as
from vectorstores.storage.arrays import read_array

_TERMS_FILE = "vocabulary.bin"
_OFFSETS_FILE = "vocabulary.offsets.npy"
_CACHED_TERMS = 65_536


class _SortedTerms:
    """The UTF-8 bytes of the terms, for the binary search."""

    def __init__(self, blob: bytes | mmap.mmap, ends: NDArray[np.int64]) -> None:
        self._blob = blob
        self._ends = ends

    def __len__(self) -> int:
        return len(self._ends) - 1

    def __getitem__(self, index: int) -> bytes:
        return self._blob[self._ends[index] : self._ends[index + 1]]

    def id_of(self, term: str) -> int | None:
        """The id of a term, or None when no chunk has it."""
        wanted = term.encode("utf-8")
        index = bisect_left(self, wanted)
        return index if index < len(self) and self[index] == wanted else None


class Vocabulary:
    """Term ↔ id; ids are the ranks of the terms' UTF-8 bytes."""

    def __init__(self, blob: bytes | mmap.mmap, ends: NDArray[np.int64]) -> None:
        self._blob = blob
        self._ends = ends
        # over an object that does not know this one: a cycle would keep the files mapped until a late garbage collection
        self.id_of = lru_cache(maxsize=_CACHED_TERMS)(_SortedTerms(blob, self._ends).id_of)

    @classmethod
    def open(cls, directory: Path, *, mapped: bool = True) -> Self:
        """Map, or read, the files. Raises OSError or ValueError when they are damaged or do not fit each other."""
        ends = read_array(directory / _OFFSETS_FILE, np.int64, mapped=mapped)
        path = directory / _TERMS_FILE
        if ends.ndim != 1 or len(ends) == 0 or path.stat().st_size != ends[-1]:
            raise ValueError("vocabulary offsets do not fit its terms")
        if not mapped or path.stat().st_size == 0:
            return cls(path.read_bytes(), ends)
        with path.open("rb") as file:
            return cls(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), ends)

    def __len__(self) -> int:
        return len(self._ends) - 1

    def term(self, term_id: int) -> str:
        """The term of an id; raises IndexError when there is none."""
        if not 0 <= term_id < len(self):
            raise IndexError(term_id)
        return self.strings(np.asarray([term_id], dtype=np.int32))[0]

    def strings(self, term_ids: NDArray[np.int32]) -> list[str]:
        """The terms of many ids, in order. Raises `LexicalIndexUnavailable` where the files are damaged."""
        with unreadable_as(LexicalIndexUnavailable, "용어 파일을 읽을 수 없습니다."):
            starts, ends = self._ends[term_ids].tolist(), self._ends[term_ids + 1].tolist()
            return [self._blob[start:end].decode("utf-8") for start, end in zip(starts, ends, strict=True)]

    def ids_of(self, terms: Iterable[str]) -> list[int]:
        """The ids of the known ones of ``terms``, in order, repetitions kept."""
        return [term_id for term in terms if (term_id := self.id_of(term)) is not None]

    def __contains__(self, term: object) -> bool:
        return isinstance(term, str) and self.id_of(term) is not None

    def terms(self) -> list[str]:
        """All terms, by their ids."""
        return self.strings(np.arange(len(self), dtype=np.int32))


def write_vocabulary(directory: Path, terms: Iterable[str]) -> NDArray[np.int32]:
    """Store ``terms`` (distinct, any order); returns the id each of them got, in the order given."""
    encoded = [term.encode("utf-8", "surrogatepass") for term in terms]
    order = sorted(range(len(encoded)), key=encoded.__getitem__)
    ids = np.empty(len(encoded), dtype=np.int32)
    ids[order] = np.arange(len(encoded), dtype=np.int32)
    ends = np.zeros(len(encoded) + 1, dtype=np.int64)
    np.cumsum([len(encoded[index]) for index in order], out=ends[1:])
    (directory / _TERMS_FILE).write_bytes(b"".join(encoded[index] for index in order))
    np.save(directory / _OFFSETS_FILE, ends, allow_pickle=False)
    return ids
