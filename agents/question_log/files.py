"""Files that several processes add lines to; blocking."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from vectorstores.storage.locks import FileLock

_LOCK_SECONDS = 2.0
_PAUSE = 0.005


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock ``path``; raises BlockingIOError when others do so for too long."""
    until = time.monotonic() + _LOCK_SECONDS
    while True:
        try:
            lock = FileLock(path, shared=False)
            break
        except BlockingIOError:
            if time.monotonic() > until:
                raise
            time.sleep(_PAUSE)
    with lock:
        yield


def keep_lines(path: Path, is_kept: Callable[[bytes], bool]) -> int:
    """Leave the lines of a file that are to be kept; the number of those that went. The caller has the lock.

    The file is replaced at once, and removed where nothing is left. Raises OSError, and has then changed nothing.
    """
    try:
        lines = path.read_bytes().splitlines(keepends=True)
    except FileNotFoundError:
        return 0
    kept = [line for line in lines if is_kept(line)]
    if not kept:
        path.unlink(missing_ok=True)
    elif len(kept) < len(lines):
        part = path.with_name(f".{path.name}.part")
        with suppress(FileNotFoundError):  # of a process that was killed
            part.unlink()
        append_whole(part, b"".join(kept))
        with part.open("rb") as written:
            os.fsync(written.fileno())
        part.replace(path)
    return len(lines) - len(kept)


def append_whole(path: Path, content: bytes) -> None:
    """Add ``content`` to a file that its owner alone may read, whole or not at all. Raises OSError."""
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        size = os.fstat(descriptor).st_size
        written = 0
        try:
            written = os.write(descriptor, content)
        finally:
            if written < len(content):
                os.ftruncate(descriptor, size)
        if written < len(content):
            raise OSError("the disk took only a part of the line")
    finally:
        os.close(descriptor)
