"""Advisory file locks between processes. The kernel releases them when their holder dies, so none is ever stale."""

from __future__ import annotations

import errno
import fcntl
import os
from pathlib import Path
from typing import Self

_NOT_WRITABLE = frozenset({errno.EROFS, errno.EACCES, errno.EPERM})


class FileLock:
    """A lock on ``path`` (created when missing), held until `release` or the end of the process."""

    def __init__(self, path: Path, *, shared: bool) -> None:
        """Take the lock without waiting; raises BlockingIOError when another holder excludes it.

        A shared one can also be taken where nothing can be written, even if its file is missing: then nobody writes there.
        """
        self._descriptor = _descriptor(path, shared=shared)
        if self._descriptor < 0:
            return
        try:
            fcntl.flock(self._descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except OSError:
            os.close(self._descriptor)
            raise

    def release(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


def _descriptor(path: Path, *, shared: bool) -> int:
    """An open file to lock; -1 where there is none to be had and none is needed."""
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        if not shared or error.errno not in _NOT_WRITABLE:
            raise
    try:
        return os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return -1
