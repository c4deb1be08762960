"""Conversations in Redis 8 or Redis Stack, for workers on several machines."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.redis.ashallow import AsyncShallowRedisSaver
from redis.asyncio import Redis
from redis.asyncio.lock import Lock
from redis.exceptions import LockError, RedisError, ResponseError
from redisvl.exceptions import RedisVLError

from agents.sessions.errors import SessionStoreRefused

_CHECKPOINTS = "bizi_session"
_WRITES = "bizi_session_write"
_LOCK = "bizi_session_lock:"
_INVALID = "SESSION_URL: 쓸 수 없는 Redis 주소입니다. redis://호스트:포트/번호 형식으로 적어 주세요"
_NO_MODULES = (
    "SESSION_URL: 이 Redis에는 대화를 저장하는 데 필요한 검색(RediSearch)과 JSON 기능이 없습니다. Redis 8이나 Redis Stack을 쓰거나, "
    "postgresql:// 주소를 적거나, SESSION_URL을 비워 SQLite를 써 주세요"
)


class RedisSessions:
    """A Redis by its URL. The saver keeps the latest checkpoint of a thread alone, for as long as a conversation may last."""

    failures: tuple[type[Exception], ...] = (RedisError, RedisVLError, OSError)

    def __init__(self, url: str, seconds: float, max_age: float, longest_turn: float) -> None:
        """``seconds`` bound every call; a lock ends by itself when twice ``longest_turn`` seconds have passed.

        Raises:
            SessionStoreRefused: the URL is none.
        """
        self._seconds = seconds
        self._clients: list[Redis] = []
        self.use(url)
        self._minutes = max_age / 60
        self._lock_seconds = 2 * longest_turn
        self._locks: dict[str, Lock] = {}

    def use(self, url: str | None) -> None:
        try:
            client = Redis.from_url(url or "", socket_timeout=self._seconds, socket_connect_timeout=self._seconds)
        except (TypeError, ValueError):
            raise SessionStoreRefused(_INVALID) from None
        self._clients.append(client)  # locks that are held belong to the one before
        self._client = client

    @asynccontextmanager
    async def open(self) -> AsyncIterator[AsyncShallowRedisSaver]:
        try:
            for command in (("FT._LIST",), ("JSON.GET", _CHECKPOINTS)):
                await self._client.execute_command(*command)  # type: ignore[no-untyped-call]
        except ResponseError as error:
            if "unknown command" in str(error).lower():
                raise SessionStoreRefused(_NO_MODULES) from error
            raise
        saver = AsyncShallowRedisSaver(
            redis_client=self._client,
            ttl={"default_ttl": self._minutes, "refresh_on_read": False},
            checkpoint_prefix=_CHECKPOINTS,
            checkpoint_write_prefix=_WRITES,
        )
        await saver.asetup()
        yield saver

    async def try_lock(self, name: str) -> bool:
        lock = self._client.lock(_LOCK + name, timeout=self._lock_seconds)
        if not await lock.acquire(blocking=False):
            return False
        self._locks[name] = lock
        return True

    async def unlock(self, name: str) -> None:
        lock = self._locks.pop(name, None)
        if lock is not None:
            with suppress(LockError):  # it has ended by itself
                await lock.release()

    async def tidy(self, saver: BaseCheckpointSaver[Any]) -> None:
        """Leave it to the server."""

    async def aclose(self) -> None:
        for client in self._clients:
            await client.aclose()
