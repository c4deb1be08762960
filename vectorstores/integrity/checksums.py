"""Size and SHA-256 of every file of a collection build, and which of its parts they show to be damaged."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from enum import StrEnum
from pathlib import Path

from pydantic import BaseModel, ConfigDict

_BLOCK = 1 << 20
_LOCKS = ".lock"
_GRAPH = "chroma/"
_GRAPH_WRITTEN = "index_metadata.pickle"
_TEXTS = frozenset({"chunks.sqlite", "uids.npy"})
_VECTORS = frozenset({"vectors.npy"})
_BESIDE_GRAPH = frozenset({"twins.npy", "strays.npy", "strays.vectors.npy"})


class Part(StrEnum):
    """Parts of a collection. Without texts nothing works; BM25 and vectors can replace each other.

    Without the graph the vectors cannot be searched, but the cosines of BM25's candidates can still be computed.
    """

    TEXTS = "texts"
    BM25 = "bm25"
    GRAPH = "graph"
    VECTOR = "vector"


class FileRecord(BaseModel):
    """Size and checksum of a file at the end of its build."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    size: int
    sha256: str


FileRecords = Mapping[str, FileRecord]
"""By path below the directory of the build, with ``/``."""


def file_records(directory: Path) -> dict[str, FileRecord]:
    """Record every file of a finished build that stays as it is."""
    files = sorted(path for path in directory.rglob("*") if path.is_file() and not _is_made_by_readers(path))
    return {path.relative_to(directory).as_posix(): _record(path) for path in files}


def damaged_files(directory: Path, records: FileRecords, pause: Callable[[], None] | None = None) -> list[str]:
    """Return the files that are missing or not what they were, every one read whole; ``pause`` is called for each MiB."""
    return [
        name
        for name, record in records.items()
        if not _has_size(directory / name, record) or not _has_content(directory / name, record, pause)
    ]


def part_of(name: str) -> Part:
    """Return what the file ``name`` of a build serves."""
    if name in _TEXTS:
        return Part.TEXTS
    if name in _VECTORS:
        return Part.VECTOR
    return Part.GRAPH if name in _BESIDE_GRAPH or name.startswith(_GRAPH) else Part.BM25


def _is_made_by_readers(path: Path) -> bool:
    """Locks, and a graph that Chroma keeps in its log alone, as it does of a single vector: each opening makes it anew."""
    is_graph = path.parent.parent.name == _GRAPH.strip("/")
    return path.suffix == _LOCKS or (is_graph and not (path.parent / _GRAPH_WRITTEN).is_file())


def _record(path: Path) -> FileRecord:
    return FileRecord(size=path.stat().st_size, sha256=_sha256(path))


def _has_size(path: Path, record: FileRecord) -> bool:
    try:
        return path.stat().st_size == record.size
    except OSError:
        return False


def _has_content(path: Path, record: FileRecord, pause: Callable[[], None] | None = None) -> bool:
    try:
        return _sha256(path, pause) == record.sha256
    except OSError:
        return False


def _sha256(path: Path, pause: Callable[[], None] | None = None) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
            if pause is not None:
                pause()
    return digest.hexdigest()
