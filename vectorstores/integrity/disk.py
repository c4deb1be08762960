"""Room on the disk of the data directory: what a build needs, whether it is there, and whether a failure was its lack."""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
from contextlib import suppress
from pathlib import Path

from vectorstores.errors import DiskFull

# A build copies what a collection holds and keeps as much again for a moment (raw vectors, journals).
BUILD_FACTOR = 1.3
# Of the texts set aside: they become a text store, three BM25 indexes, term lists, vectors twice and entries of the cache.
STAGED_FACTOR = 6.0
# Of an upload as it came: a PDF or an archive unpacks to more text than it is long.
UPLOAD_FACTOR = 10.0
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_FULL_WORDS = ("no space left", "disk is full", "database or disk is full", "os error 28")


def free_bytes(path: Path) -> int:
    """Bytes that may still be written at ``path`` or, before it exists, above it. Raises OSError."""
    existing = next(folder for folder in (path, *path.resolve().parents) if folder.exists())
    return shutil.disk_usage(existing).free


def tree_bytes(path: Path) -> int:
    """Bytes of all files below ``path``; what goes away meanwhile counts as nothing."""
    total = 0
    for folder, _, names in os.walk(path):  # which passes over folders that are gone, as `Path.rglob` does not
        for name in names:
            with suppress(OSError):
                total += Path(folder, name).stat().st_size
    return total


def require_free(path: Path, needed: float) -> None:
    """Raise `DiskFull` unless ``needed`` bytes are free at ``path``."""
    free = free_bytes(path)
    if free < needed:
        raise DiskFull(f"저장 공간이 모자랍니다: 약 {_megabytes(needed)} 필요, {_megabytes(free)} 남음")


def is_disk_full(error: BaseException | None) -> bool:
    """Return True if ``error`` or one of its causes means that the disk is full; Chroma says so in its message only."""
    while error is not None:
        if isinstance(error, DiskFull) or (isinstance(error, OSError) and error.errno in _FULL):
            return True
        if isinstance(error, sqlite3.Error) and getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL:
            return True
        if any(words in str(error).lower() for words in _FULL_WORDS):
            return True
        error = error.__cause__ or error.__context__
    return False


def _megabytes(size: float) -> str:
    return f"{size / 1e6:,.1f} MB"
