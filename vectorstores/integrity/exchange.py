"""Exchange of the whole content of a data folder, by what lies beside it in a folder of its own: begun for certain, or not at all.

The folder itself may be a mount, which cannot be renamed. So its entries are, one by one, and a record says which: it is written when
all that comes is on the disk, and whoever opens the folder next goes on with what it says.
"""

from __future__ import annotations

import os
import secrets
import shutil
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from vectorstores.integrity.sealed_json import read_sealed, write_sealed

_RECORD = ".restore.json"
_FOLDER = ".restore-"
_NEW, _OLD = "new", "old"
STAYING = frozenset({"backups", "logs", "cache"})
"""Entries that an exchange leaves alone: they are no state of the service."""


class _Exchange(BaseModel):
    """``coming``: names of entries that take their places; ``going``: of those that only go."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    folder: str
    coming: tuple[str, ...]
    going: tuple[str, ...]


def begun_folder(data_dir: Path) -> Path:
    """Make an empty folder for what is to come; what was begun before and not decided is removed. Raises OSError."""
    data_dir.mkdir(parents=True, exist_ok=True)
    finish_exchange(data_dir)
    for left in data_dir.glob(f"{_FOLDER}*"):
        shutil.rmtree(left, ignore_errors=True)
    folder = data_dir / f"{_FOLDER}{secrets.token_hex(4)}" / _NEW
    folder.mkdir(parents=True)
    return folder


def abandon(data_dir: Path, folder: Path) -> None:
    """Remove a folder of `begun_folder`, unless it has been decided that its content counts."""
    if not (data_dir / _RECORD).exists():
        shutil.rmtree(folder.parent, ignore_errors=True)


def state_entries(data_dir: Path) -> list[str]:
    """Return the names of the entries that hold state of the service."""
    if not data_dir.is_dir():
        return []
    return sorted(path.name for path in data_dir.iterdir() if not is_beside(path.name))


def is_beside(name: str) -> bool:
    """Return whether an entry of a data folder is no state: hidden, a lock, or one of `STAYING`."""
    return name.startswith(".") or name.endswith(".lock") or name in STAYING


def exchange(data_dir: Path, folder: Path) -> None:
    """Have the entries of a folder of `begun_folder` take the place of all state. Raises OSError."""
    coming = tuple(sorted(path.name for path in folder.iterdir()))
    going = tuple(name for name in state_entries(data_dir) if name not in coming)
    os.sync()  # all that comes is there before it counts
    write_sealed(data_dir / _RECORD, _Exchange(folder=folder.parent.name, coming=coming, going=going))
    finish_exchange(data_dir)


def finish_exchange(data_dir: Path) -> None:
    """Do what is left of an exchange that counts; nothing where there is none. Raises OSError."""
    record = data_dir / _RECORD
    if not record.exists():
        return
    decided = read_sealed(record, _Exchange)
    folder = data_dir / decided.folder
    old = folder / _OLD
    old.mkdir(parents=True, exist_ok=True)
    for name in decided.going:
        _move(data_dir / name, old / name)
    for name in decided.coming:
        if (folder / _NEW / name).exists():  # else it was moved before
            _move(data_dir / name, old / name)
            _move(folder / _NEW / name, data_dir / name)
    os.sync()
    record.unlink()
    record.with_suffix(".copy.json").unlink(missing_ok=True)
    shutil.rmtree(folder, ignore_errors=True)


def _move(source: Path, target: Path) -> None:
    if source.exists():
        source.rename(target)
