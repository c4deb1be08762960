"""The index of the starter knowledge base, built once for all processes of a run and kept until something it is made of changes."""

from __future__ import annotations

import fcntl
import hashlib
import shutil
import sys
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path

from utils.config.settings import PROJECT_ROOT, Settings

_MADE_OF = ("data", "schemas", "utils", "vectorstores")
"""Folders of what is indexed and of the code that analyses and stores it, and more than that."""


def copy_starter_index(settings: Settings, kept: Path) -> None:
    """Fill the data directory of ``settings`` with the index, from the folder ``kept`` where it is that of today."""
    today = datetime.now(UTC).date()
    built = kept / _key(today)
    with (kept / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # a build takes longer than any test would wait
        if not built.is_dir():
            for older in kept.iterdir():
                if older.is_dir():
                    shutil.rmtree(older)
            _build(settings.model_copy(update={"data_dir": kept / "unfinished"}), today).rename(built)
        shutil.copytree(built, settings.data_dir, symlinks=True, dirs_exist_ok=True)


def _build(settings: Settings, today: date) -> Path:
    # not at the top: most tests need no index, and its libraries take seconds to import
    from vectorstores.build.ingest import Ingest
    from vectorstores.build.providers import build_providers
    from vectorstores.cli import starter_source

    result = Ingest(settings, build_providers(settings), today=lambda: today).run([starter_source()])
    assert not result.problems
    return settings.data_dir


def _key(today: date) -> str:
    """A digest of everything that the index is made of, and of the day: what was to be reviewed by then is marked."""
    digest = hashlib.sha256(f"{sys.version} {today}".encode())
    for path in _inputs():
        content = path.read_bytes()
        digest.update(f"{path.relative_to(PROJECT_ROOT)} {len(content)} ".encode())
        digest.update(content)
    return digest.hexdigest()[:32]


def _inputs() -> Iterator[Path]:
    yield PROJECT_ROOT / "constraints.txt"
    for folder in _MADE_OF:
        files = (path for path in (PROJECT_ROOT / folder).rglob("*") if path.suffix != ".pyc" and path.is_file())
        yield from sorted(files)
