"""Lists of uneven length, one a chunk, of term ids or of the places of terms, as two memory-mapped arrays: all items in a row,
and where each list ends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, Self

import numpy as np
from numpy.typing import NDArray

from vectorstores.storage.arrays import read_array

TermIds = NDArray[np.int32]
_WRITE_BLOCK = 4_000_000


class RaggedIds:
    """Read side. Opening touches no page; a list is a view into the mapped file."""

    def __init__(self, flat: TermIds, ends: NDArray[np.int64]) -> None:
        if len(ends) == 0 or ends[0] != 0 or ends[-1] != len(flat) or np.any(np.diff(ends) < 0):
            raise ValueError("offsets do not fit the ids")
        self.flat = flat
        self._ends = ends

    @classmethod
    def open(cls, directory: Path, name: str, *, mapped: bool = True) -> Self:
        """Map, or read, the ids and read the offsets. Raises OSError or ValueError when they are damaged or do not fit each other."""
        flat = read_array(directory / f"{name}.ids.npy", np.int32, mapped=mapped)
        return cls(flat, read_array(directory / f"{name}.offsets.npy", np.int64))

    def __len__(self) -> int:
        return len(self._ends) - 1

    def __getitem__(self, index: int) -> TermIds:
        return self.flat[self._ends[index] : self._ends[index + 1]]

    def __iter__(self) -> Iterator[TermIds]:
        return (self[index] for index in range(len(self)))

    def gather(self, indexes: NDArray[np.int64]) -> tuple[TermIds, NDArray[np.int64]]:
        """Several lists one after the other, and for each id the position in ``indexes`` of the list it is from."""
        starts, lengths = self._ends[indexes], self._ends[indexes + 1] - self._ends[indexes]
        before = np.cumsum(lengths) - lengths
        places = np.arange(int(lengths.sum())) + np.repeat(starts - before, lengths)
        return np.asarray(self.flat[places]), np.repeat(np.arange(len(indexes)), lengths)

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Length of each list, shape ``(len(self),)``."""
        return np.diff(self._ends)


class RaggedWriter:
    """Write side: lists are appended to a raw file, so memory does not grow; `finish` maps ids and writes the arrays."""

    def __init__(self, directory: Path, name: str) -> None:
        self._directory = directory
        self._name = name
        self._raw_path = directory / f"{name}.raw"
        self._raw: BinaryIO = self._raw_path.open("wb")
        self._lengths: list[int] = []

    def append_many(self, lists: Sequence[TermIds]) -> None:
        for ids in lists:
            self._lengths.append(len(ids))
            self._raw.write(ids.astype(np.int32, copy=False).tobytes())

    def used_ids(self, size: int) -> NDArray[np.bool_]:
        """Which of the ids below ``size`` occur."""
        self._raw.flush()
        used = np.zeros(size, dtype=np.bool_)
        for block in self._blocks():
            used[block] = True
        return used

    def finish(self, mapping: TermIds | None = None) -> None:
        """Write every item, or ``mapping[id]`` of it, and the offsets, as ``.npy`` files."""
        self._raw.close()
        ends = np.concatenate([[0], np.cumsum(self._lengths, dtype=np.int64)]).astype(np.int64)
        with (self._directory / f"{self._name}.ids.npy").open("wb") as file:
            header = {"descr": "<i4", "fortran_order": False, "shape": (int(ends[-1]),)}
            np.lib.format.write_array_header_1_0(file, header)
            for block in self._blocks():
                items = block if mapping is None else mapping[block]
                file.write(items.astype("<i4", copy=False).tobytes())
        np.save(self._directory / f"{self._name}.offsets.npy", ends, allow_pickle=False)
        self._raw_path.unlink()

    def _blocks(self) -> Iterator[TermIds]:
        with self._raw_path.open("rb") as raw:
            while data := raw.read(_WRITE_BLOCK * 4):
                yield np.frombuffer(data, dtype=np.int32)
