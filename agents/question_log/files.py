"""Files that several processes add lines to; blocking."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
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
