"""The one way to Redis: bounded, guarded by a breaker, and never an error for the user.

Redis is shared memory between workers (answers, request budgets). Whoever uses it has something in process to fall back on.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

from schemas.chat import Component, Degradation
from utils.observability.sparse_log import SparseLog
from utils.resilience.breaker import CircuitBreaker, CircuitOpen
from utils.resilience.deadline import within

if TYPE_CHECKING:
    from redis.asyncio import BlockingConnectionPool

# The client takes a tenth of a second to import, which a service without Redis does not pay.

logger = logging.getLogger(__name__)

Result = TypeVar("Result")

_TIMEOUT = 0.25  # seconds of one call: what Redis saves is worth no longer wait
_MAX_CONNECTIONS = 32
_FAILURES = 3
_RECOVERY = 5.0
_ANY_KEY = "bizi:is-up"  # of the service's own, so that a user with rights to nothing else may ask
_ANY_SECONDS = 60
_REASON = "Redis가 응답하지 않아 이 프로세스 안의 캐시와 요청 제한을 씁니다."
_REFUSED = "Redis가 쓰기를 거절해 이 프로세스 안의 캐시와 요청 제한을 씁니다."


class RedisUnavailable(RuntimeError):
    """The call was not made or failed; the message does not carry the address, which may hold a password."""


class RedisAddressError(ValueError):
    """``REDIS_URL`` cannot be used; the message does not show it, for it may hold a password."""

    def __init__(self) -> None:
        super().__init__("REDIS_URL: 쓸 수 없는 주소입니다. redis://호스트:포트/번호 형식으로 적어 주세요")


class RedisLink:
    """A pool of connections to one Redis. Connects at the first call."""

    def __init__(self, url: str) -> None:
        """Raises `RedisAddressError` for a ``url`` that no connection can be made with."""
        from redis.asyncio import Redis

        self._breaker = CircuitBreaker("redis", threshold=_FAILURES, recovery=_RECOVERY)
        self._away = False
        self._refuses = False
        self._log = SparseLog(logger)
        self.client = Redis.from_pool(_pool(url))

    async def use(self, url: str) -> None:
        """Make new connections with ``url``; calls under way end with the connections they have. Raises `RedisAddressError`."""
        before, self.client.connection_pool = self.client.connection_pool, _pool(url)
        await asyncio.sleep(_TIMEOUT * 2)  # a call and its second try are over by then
        await before.disconnect()

    @property
    def degradation(self) -> Degradation | None:
        """The degradation to name in answers while Redis does not respond; None otherwise."""
        if self._away:
            return Degradation(component=Component.REDIS, reason=_REASON)
        return Degradation(component=Component.REDIS, reason=_REFUSED) if self._refuses else None

    async def run(self, call: Callable[[], Awaitable[Result]], *, reads: bool = False) -> Result:
        """The result of a call of `client`; ``reads``: it writes nothing, so that a Redis without room answers it, too.

        Raises:
            RedisUnavailable: Redis is away, or the request has no time left for it; use what is in process.
        """
        from redis.exceptions import RedisError, ResponseError

        if not within(_TIMEOUT).remaining():
            raise RedisUnavailable("the request's time is used up")
        try:
            with self._breaker.guard(_is_outage):
                result = await call()
        except CircuitOpen as error:
            raise RedisUnavailable(str(error)) from error
        except (RedisError, OSError) as error:
            self._refuses = self._refuses or isinstance(error, ResponseError)
            self._away = not isinstance(error, ResponseError)
            self._log.warning(f"{_REASON if self._away else _REFUSED} ({type(error).__name__})")
            raise RedisUnavailable(type(error).__name__) from error
        if self._away or (self._refuses and not reads):
            logger.info("Redis가 다시 응답합니다.")
        self._away, self._refuses = False, self._refuses and reads
        return result

    async def is_up(self) -> bool:
        """Write to Redis, unless it has just failed too often."""
        try:
            await self.run(lambda: self.client.set(_ANY_KEY, 1, ex=_ANY_SECONDS))
        except RedisUnavailable:
            return False
        return True

    async def aclose(self) -> None:
        await self.client.aclose()


def _pool(url: str) -> BlockingConnectionPool:
    from redis.asyncio import BlockingConnectionPool
    from redis.asyncio.retry import Retry
    from redis.backoff import NoBackoff
    from redis.exceptions import ConnectionError as RedisConnectionError

    # The second try is for a pooled connection that the server has closed meanwhile; a slow server gets none.
    retry = Retry(NoBackoff(), 1, supported_errors=(RedisConnectionError,))
    try:
        pool = BlockingConnectionPool.from_url(
            url,
            max_connections=_MAX_CONNECTIONS,
            timeout=_TIMEOUT,
            socket_timeout=_TIMEOUT,
            socket_connect_timeout=_TIMEOUT,
            retry=retry,
        )
        pool.connection_class(**pool.connection_kwargs)  # knows every option of the address, or fails now
    except (TypeError, ValueError) as error:
        raise RedisAddressError from error
    return pool


def _is_outage(error: Exception) -> bool:
    from redis.exceptions import RedisError

    return isinstance(error, RedisError | OSError)
