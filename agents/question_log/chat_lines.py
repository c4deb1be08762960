"""Lines that stand in the files of ``chat.log``: found by user, and removed by user or by age; blocking."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import orjson

from agents.question_log.files import keep_lines, locked
from agents.question_log.records import user_digest


class ChatLines:
    """The lines of ``chat.log`` and of the files that it was rotated to; they are kept ``days`` days."""

    def __init__(self, file: Path, days: int) -> None:
        self._file = file
        self._days = days

    def of_user(self, client: str, user_id: str) -> list[dict[str, object]]:
        """Return the lines of a user of a client, both given by name, the oldest first. Raises OSError."""
        user = user_digest(client, user_id)
        if not user or not self._file.parent.is_dir():
            return []
        with locked(lock_of(self._file)):
            lines = [line for file in reversed(self._files()) for line in file.read_bytes().splitlines()]
        return [entry for entry in map(_entry, lines) if entry is not None and entry.get("user") == user]

    def forget(self, client: str, user_id: str) -> int:
        """Remove the lines of a user; their number. Raises OSError."""
        user = user_digest(client, user_id)
        return self._remove(lambda entry: entry.get("user") == user) if user else 0

    def expire(self, now: datetime | None = None) -> int:
        """Remove the lines that are older than they are kept; their number. Raises OSError."""
        before = (now or datetime.now(UTC)) - timedelta(days=self._days)
        return self._remove(lambda entry: _time_of(entry) < before)

    def _remove(self, goes: Callable[[dict[str, Any]], bool]) -> int:
        def is_kept(line: bytes) -> bool:
            entry = _entry(line)
            return entry is not None and not goes(entry)

        if not self._file.parent.is_dir():
            return 0
        with locked(lock_of(self._file)):
            return sum(keep_lines(file, is_kept) for file in self._files())

    def _files(self) -> list[Path]:
        """The file in use first, the oldest last."""
        rotated = [file for file in self._file.parent.glob(f"{self._file.name}.*") if file.suffix[1:].isdecimal()]
        return [self._file] * self._file.exists() + sorted(rotated, key=lambda file: int(file.suffix[1:]))


def lock_of(file: Path) -> Path:
    """The lock of all who write, rotate or rewrite the files."""
    return file.with_name(f".{file.name}.lock")


def _entry(line: bytes) -> dict[str, Any] | None:
    """A line as it was written; None for what a crash has cut short."""
    try:
        entry = orjson.loads(line)
    except ValueError:
        return None
    return entry if isinstance(entry, dict) else None


def _time_of(entry: dict[str, Any]) -> datetime:
    try:
        return datetime.fromisoformat(entry["time"])
    except (KeyError, TypeError, ValueError):
        return datetime.min.replace(tzinfo=UTC)
