"""Request budgets of clients: a token bucket each, in process, or in Redis so that several workers share one budget."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from redis.asyncio import Redis
from throttled.asyncio import (
    BaseStore,
    MemoryStore,
    Quota,
    RateLimiterType,
    RedisStore,
    RedisStoreBackend,
    Throttled,
    per_min,
)
from throttled.asyncio import RateLimitResult as ThrottledResult
from throttled.exceptions import StoreUnavailableError

from utils.config.settings import Settings
from utils.resilience.redis_link import RedisLink, RedisUnavailable

_CLIENTS = 10_000  # remembered in process, so that it cannot be made to grow
_PREFIX = "bizi:rate"

# The generic cell rate algorithm is the token bucket with the time of the last refill in place of a count of tokens. The
# library's bucket of that name counts whole seconds and rounds refills down: 90 requests a minute become 60.
_ALGORITHM = RateLimiterType.GCRA.value


@dataclass(frozen=True, slots=True)
class Allowance:
    """Requests left to a client. In seconds: ``retry_after`` until the next request is free, ``reset_after`` until all are."""

    allowed: bool
    limit: int
    remaining: int
    retry_after: float
    reset_after: float


_PER_MINUTE = 60


class RateLimiter:
    """Takes tokens of a client's bucket: one for each request, more for a dear one."""

    def __init__(self, per_minute: int, burst: int, redis: RedisLink | None = None) -> None:
        quota = per_min(per_minute, burst)
        self._burst = burst
        self._redis = redis
        self._local = _throttled(quota, MemoryStore(options={"MAX_SIZE": _CLIENTS}))
        self._shared = _throttled(quota, _RedisStore(redis.client)) if redis else None

    @classmethod
    def from_settings(cls, settings: Settings, redis: RedisLink | None = None) -> Self | None:
        """The configured limiter; None when limits are switched off.

        Without API keys only this machine can ask, so there is no limit then unless one is set.
        """
        per_minute = settings.rate_limit_per_minute or (_PER_MINUTE if settings.api_keys else None)
        if not settings.enable_rate_limit or per_minute is None:
            return None
        return cls(per_minute, settings.rate_limit_burst, redis)

    async def take(self, client: str) -> Allowance:
        """Take one token of ``client``. While Redis is away each process counts for itself."""
        return await self._take(client, 1)

    async def take_more(self, client: str, tokens: int) -> Allowance | None:
        """Take what a request costs beyond its one token; None for nothing.

        It is never more than a full bucket has left then: what is dear has to wait, and is not forbidden.
        """
        cost = min(tokens, self._burst - 1)
        return await self._take(client, cost) if cost > 0 else None

    async def _take(self, client: str, cost: int) -> Allowance:
        result = await self._take_shared(client, cost)
        if result is None:
            result = await self._local.limit(client, cost)
        state = result.state
        return Allowance(not result.limited, state.limit, state.remaining, state.retry_after, state.reset_after)

    async def _take_shared(self, client: str, cost: int) -> ThrottledResult | None:
        if self._redis is None or self._shared is None:
            return None
        shared = self._shared

        async def take() -> ThrottledResult:
            try:
                return await shared.limit(client, cost)
            except StoreUnavailableError as error:
                raise ConnectionError("rate limit store") from error

        try:
            return await self._redis.run(take)
        except RedisUnavailable:
            return None


class _OneClient(RedisStoreBackend):
    """Uses the connections it is given instead of a pool of its own."""

    def __init__(self, client: Redis) -> None:
        super().__init__()
        self._given = client

    def get_client(self) -> Any:
        return self._given


class _RedisStore(RedisStore):
    def __init__(self, client: Redis) -> None:
        super().__init__()
        self._backend = _OneClient(client)


def _throttled(quota: Quota, store: BaseStore) -> Throttled:
    return Throttled(using=_ALGORITHM, quota=quota, store=store, key_prefix=_PREFIX)
