"""The one way to Redis: bounded, guarded by a breaker, and never an error for the user.

Redis is shared memory between workers (answers, request budgets). Whoever uses it has something in process to fall back on.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar

from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import RedisError

from schemas.chat import Component, Degradation
from utils.breaker import CircuitBreaker, CircuitOpen

logger = logging.getLogger(__name__)

Result = TypeVar("Result")

_TIMEOUT = 0.25  # seconds of one call: what Redis saves is worth no longer wait
_MAX_CONNECTIONS = 32
_FAILURES = 3
_RECOVERY = 5.0
_ANY_KEY = "bizi:is-up"  # of the service's own, so that a user with rights to nothing else may ask
_REASON = "Redis가 응답하지 않아 이 프로세스 안의 캐시와 요청 제한을 씁니다."


class RedisUnavailable(RuntimeError):
    """The call was not made or failed; the message does not carry the address, which may hold a password."""


class RedisLink:
    """A pool of connections to one Redis. Connects at the first call."""

    def __init__(self, url: str) -> None:
        self._breaker = CircuitBreaker("redis", threshold=_FAILURES, recovery=_RECOVERY)
        self._down = False
        # One more try is for a pooled connection that the server has closed meanwhile; a slow server gets none.
        retry = Retry(NoBackoff(), 1, supported_errors=(RedisConnectionError,))
        pool = BlockingConnectionPool.from_url(
            url,
            max_connections=_MAX_CONNECTIONS,
            timeout=_TIMEOUT,
            socket_timeout=_TIMEOUT,
            socket_connect_timeout=_TIMEOUT,
            retry=retry,
        )
        self.client = Redis.from_pool(pool)

    @property
    def degradation(self) -> Degradation | None:
        """What to name in answers while Redis does not answer."""
        return Degradation(component=Component.REDIS, reason=_REASON) if self._down else None

    async def run(self, call: Callable[[], Awaitable[Result]]) -> Result:
        """The result of a call of `client`.

        Raises:
            RedisUnavailable: Redis is away; use what is in process.
        """
        try:
            with self._breaker.guard(_is_outage):
                result = await call()
        except CircuitOpen as error:
            raise RedisUnavailable(str(error)) from error
        except (RedisError, OSError) as error:
            if not self._down:
                logger.warning("%s (%s)", _REASON, type(error).__name__)
            self._down = True
            raise RedisUnavailable(type(error).__name__) from error
        if self._down:
            logger.info("Redis를 다시 씁니다.")
        self._down = False
        return result

    async def is_up(self) -> bool:
        """Ask Redis, unless it has just failed too often."""
        try:
            await self.run(lambda: self.client.exists(_ANY_KEY))
        except RedisUnavailable:
            return False
        return True

    async def aclose(self) -> None:
        await self.client.aclose()


def _is_outage(error: Exception) -> bool:
    return isinstance(error, RedisError | OSError)
