"""Conversations in PostgreSQL, for workers on several machines."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import psycopg
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from psycopg import AsyncConnection
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.rows import DictRow, dict_row
from psycopg_pool import AsyncConnectionPool

from agents.sessions.errors import SessionStoreRefused

_CONNECTIONS = 8
_SET_UP = 7_246_110_255_361  # of the lock under which the tables are made
_POLL = 0.05
_CLOSE_SECONDS = 1.0
_INVALID = "SESSION_URL: 쓸 수 없는 PostgreSQL 주소입니다. postgresql://사용자@호스트:포트/이름 형식으로 적어 주세요"

# Each ends a search of the saver's that would read every row.
_INDEXES = (
    "CREATE INDEX IF NOT EXISTS bizi_sessions_owner ON checkpoints USING gin (metadata jsonb_path_ops)",
    "CREATE INDEX IF NOT EXISTS bizi_sessions_age ON checkpoints (checkpoint_id)",
)


class PostgresSessions:
    """A database by its URL. Locks are advisory locks of one connection, so that they are released with the process."""

    failures: tuple[type[Exception], ...] = (psycopg.Error, OSError)

    def __init__(self, url: str, seconds: float) -> None:
        """``seconds`` bound connecting and every statement.

        Raises:
            SessionStoreRefused: the URL is none.
        """
        self._seconds = seconds
        self.use(url)
        self._locks: AsyncConnection[DictRow] | None = None
        self._connecting = asyncio.Lock()

    def use(self, url: str | None) -> None:
        seconds = self._seconds
        milliseconds = int(seconds * 1000)
        try:
            given: dict[str, Any] = conninfo_to_dict("postgresql://" + (url or "").partition("://")[2])
        except psycopg.ProgrammingError:
            raise SessionStoreRefused(_INVALID) from None
        limits: dict[str, Any] = {"connect_timeout": max(2, round(seconds)), "tcp_user_timeout": milliseconds}
        self._unhurried = make_conninfo(**(given | limits))
        options = f"{given.get('options') or ''} -c statement_timeout={milliseconds}".strip()
        self._address = make_conninfo(**(given | limits | {"options": options}))

    @asynccontextmanager
    async def open(self) -> AsyncIterator[AsyncPostgresSaver]:
        await self._set_up()
        pool = AsyncConnectionPool(
            self._address,
            connection_class=AsyncConnection[DictRow],
            kwargs=_MANNER,
            min_size=0,
            max_size=_CONNECTIONS,
            timeout=self._seconds,
            check=AsyncConnectionPool.check_connection,
            open=False,
        )
        await pool.open()
        try:
            yield AsyncPostgresSaver(pool)
        finally:
            await pool.close(_CLOSE_SECONDS)

    async def try_lock(self, name: str) -> bool:
        return await self._of_lock("SELECT pg_try_advisory_lock(%s) AS done", name)

    async def unlock(self, name: str) -> None:
        await self._of_lock("SELECT pg_advisory_unlock(%s) AS done", name)

    async def tidy(self, saver: BaseCheckpointSaver[Any]) -> None:
        """Leave it to the server, whose vacuum removes deleted rows."""

    async def aclose(self) -> None:
        connection, self._locks = self._locks, None
        if connection is not None:
            await connection.close()

    async def _set_up(self) -> None:
        """Make the tables; several processes may do so at once. No statement waits: those that make an index wait for it."""
        async with await self._connected(self._unhurried) as connection:
            while True:
                if await _told(connection, "SELECT pg_try_advisory_lock(%s) AS done", _SET_UP):
                    break
                await asyncio.sleep(_POLL)
            await AsyncPostgresSaver(connection).setup()
            for index in _INDEXES:
                await connection.execute(index)

    async def _of_lock(self, statement: str, name: str) -> bool:
        """Run a statement on the connection of the locks. One that fails is given up, and all its locks with it."""
        async with self._connecting:
            if self._locks is None or self._locks.closed:
                self._locks = await self._connected(self._address)
        connection = self._locks
        try:
            return await _told(connection, statement, _key(name))
        except BaseException:
            if self._locks is connection:
                self._locks = None
            connection.pgconn.finish()
            raise

    async def _connected(self, address: str) -> AsyncConnection[DictRow]:
        return await AsyncConnection.connect(address, **_MANNER)


_MANNER: dict[str, Any] = {"autocommit": True, "prepare_threshold": 0, "row_factory": dict_row}
"""Options of a connection that the saver relies on."""


async def _told(connection: AsyncConnection[DictRow], statement: str, key: int) -> bool:
    row = await (await connection.execute(statement, (key,))).fetchone()
    return bool(row and row["done"])


def _key(name: str) -> int:
    return int(name[:15], 16)
