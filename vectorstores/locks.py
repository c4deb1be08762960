"""Advisory file locks between processes. The kernel releases them when their holder dies, so none is ever stale."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from typing import Self


class FileLock:
    """A lock on ``path`` (created when missing), held until `release` or the end of the process."""

    def __init__(self, path: Path, *, shared: bool) -> None:
        """Take the lock without waiting; raises BlockingIOError when another holder excludes it."""
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
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
