"""Small JSON files that must not be lost: each bears a seal, the SHA-256 of its values, and has a copy beside it.

One that is damaged or missing is read from its copy; both are replaced atomically.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from pathlib import Path
from typing import Any, TypeVar

import orjson
from pydantic import BaseModel

_SEAL = "seal"
Record = TypeVar("Record", bound=BaseModel)


def read_sealed(path: Path, kind: type[Record]) -> Record:
    """Read the record of a file, or of its copy.

    A file without a seal was written by an earlier version of the service. Raises FileNotFoundError when neither file is there,
    and OSError or ValueError when the better of them cannot be read.
    """
    try:
        return _read(path, kind)
    except (OSError, ValueError) as error:
        try:
            return _read(_copy_of(path), kind)
        except (OSError, ValueError) as of_copy:
            raise of_copy if isinstance(error, FileNotFoundError) else error from None


def damaged_records(path: Path, kind: type[BaseModel]) -> list[str]:
    """Return the names of the file and its copy, as far as they cannot be read."""
    damaged = []
    for file in (path, _copy_of(path)):
        try:
            _read(file, kind)
        except (OSError, ValueError):
            damaged.append(file.name)
    return damaged


def write_sealed(path: Path, record: BaseModel) -> None:
    """Replace the file and its copy. Raises OSError when the file could not be written; a copy may stay behind."""
    values = orjson.loads(record.model_dump_json())
    text = orjson.dumps({**values, _SEAL: _seal(values)}, option=orjson.OPT_INDENT_2)
    _replace(path, text)
    with contextlib.suppress(OSError):  # what was written counts already
        _replace(_copy_of(path), text)


def _read(path: Path, kind: type[Record]) -> Record:
    values = orjson.loads(path.read_bytes())
    if not isinstance(values, dict):
        raise ValueError(f"{path.name} holds no object")  # noqa: TRY004 - content, not a type
    seal = values.pop(_SEAL, None)
    if seal is not None and seal != _seal(values):
        raise ValueError(f"{path.name} is not what its seal says")
    return kind.model_validate_json(orjson.dumps(values))


def _seal(values: dict[str, Any]) -> str:
    return hashlib.sha256(orjson.dumps(values)).hexdigest()


def _copy_of(path: Path) -> Path:
    return path.with_suffix(".copy.json")


def _replace(path: Path, content: bytes) -> None:
    part = path.with_suffix(f".{os.getpid()}.part")
    try:
        with part.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    except OSError:
        part.unlink(missing_ok=True)
        raise
