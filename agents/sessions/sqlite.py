"""Conversations in a SQLite file of the data directory, which several processes of one machine may share."""

from __future__ import annotations

import fcntl
import os
import sqlite3
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiosqlite
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

_FOLDER = "sessions"
_LOCKS = 2**62  # bytes of the lock file, none of which is ever written

# Each ends a search of the saver's that would read every row, its text included.
_INDEXES = """
CREATE INDEX IF NOT EXISTS bizi_sessions_owner ON checkpoints (json_extract(CAST(metadata AS TEXT), '$.run_id'), checkpoint_id);
CREATE INDEX IF NOT EXISTS bizi_sessions_age ON checkpoints (checkpoint_id);
"""


def database_file(data_dir: Path) -> Path:
    """The file in which conversations are kept."""
    return data_dir / _FOLDER / "conversations.db"


class SqliteSessions:
    """The file and its lock. A lock is a byte of the lock file, so that the kernel releases it with the process."""

    failures: tuple[type[Exception], ...] = (sqlite3.Error, OSError)

    def __init__(self, data_dir: Path, seconds: float) -> None:
        """``seconds`` bounds the wait for another process that writes."""
        self._file = database_file(data_dir)
        self._patience = seconds / 2
        self._locks: int | None = None

    @asynccontextmanager
    async def open(self) -> AsyncIterator[AsyncSqliteSaver]:
        self._make_folder()
        os.close(os.open(self._file, os.O_RDWR | os.O_CREAT, 0o600))
        async with aiosqlite.connect(self._file, timeout=self._patience) as connection:
            # a process that is killed loses nothing so, a machine without power the last turns
            await connection.executescript("PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON;")
            saver = PrunedSqliteSaver(connection)
            await saver.setup()
            await connection.executescript(_INDEXES)
            yield saver

    async def try_lock(self, name: str) -> bool:
        file = self._lock_file()
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, _byte(name))
        except (BlockingIOError, PermissionError):  # the two that POSIX allows for a lock that another process holds
            return False
        return True

    async def unlock(self, name: str) -> None:
        if self._locks is not None:
            fcntl.lockf(self._locks, fcntl.LOCK_UN, 1, _byte(name))

    async def tidy(self, saver: BaseCheckpointSaver[Any]) -> None:
        assert isinstance(saver, AsyncSqliteSaver)
        async with saver.lock:
            await saver.conn.execute_fetchall("PRAGMA wal_checkpoint(TRUNCATE)")

    def use(self, url: str | None) -> None:
        """Keep the file: it has no password."""

    async def aclose(self) -> None:
        if self._locks is not None:
            os.close(self._locks)
            self._locks = None

    def _make_folder(self) -> None:
        self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)

    def _lock_file(self) -> int:
        """The open lock file. It stays open: closing any descriptor of it would release all locks of the process."""
        if self._locks is None:
            self._make_folder()
            self._locks = os.open(self._file.with_suffix(".lock"), os.O_RDWR | os.O_CREAT, 0o600)
        return self._locks


class PrunedSqliteSaver(AsyncSqliteSaver):
    """The saver with `aprune`, which that of PostgreSQL has and that of SQLite has not."""

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Delete all but the latest checkpoint of each thread.

        Raises:
            NotImplementedError: another strategy is asked for.
        """
        if strategy != "keep_latest":
            raise NotImplementedError(strategy)
        async with self.lock:
            await self.conn.executemany(
                "DELETE FROM checkpoints WHERE thread_id = :thread AND checkpoint_id < "
                "(SELECT max(checkpoint_id) FROM checkpoints WHERE thread_id = :thread)",
                [{"thread": thread} for thread in thread_ids],
            )
            await self.conn.commit()


def _byte(name: str) -> int:
    return int(name, 16) % _LOCKS
