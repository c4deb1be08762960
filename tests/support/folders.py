"""Folders as an operator may have them: on a disk that is read-only, or nearly full."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """Nothing can be written into ``folder``; root, whom file modes do not stop, needs a mount. A skip where it may not."""
    if os.geteuid() == 0:
        with _mounted(folder, "--bind", str(folder)):
            _run("mount", "-o", "remount,bind,ro", str(folder))
            yield
        return
    inside = [folder, *folder.rglob("*")]
    for path in inside:
        path.chmod(path.stat().st_mode & ~0o222)
    try:
        yield
    finally:
        for path in inside:
            path.chmod(path.stat().st_mode | 0o200)


@contextmanager
def small_disk(folder: Path, size: str) -> Iterator[None]:
    """``folder`` is an empty disk of ``size`` (``8m``)."""
    with _mounted(folder, "-t", "tmpfs", "-o", f"size={size}", "tmpfs"):
        yield


@contextmanager
def _mounted(folder: Path, *arguments: str) -> Iterator[None]:
    try:
        _run("mount", *arguments, str(folder))
    except (subprocess.CalledProcessError, OSError):
        pytest.skip("mounting is not allowed here")
    try:
        yield
    finally:
        _run("umount", "--lazy", str(folder))


def _run(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True)
