"""Request budgets of clients: a token bucket each, in process, or in Redis so that several workers share one budget."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Self

from utils.config.settings import Settings
from utils.resilience.redis_link import RedisLink, RedisUnavailable

if TYPE_CHECKING:
    from throttled.asyncio import RateLimitResult


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
        # not at the top: a service without limits does not load them
        from utils.http.token_buckets import TokenBuckets

        self._burst = burst
        self._redis = redis
        self._local = TokenBuckets(per_minute, burst)
        self._shared = TokenBuckets(per_minute, burst, redis.client) if redis else None

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
            result = await self._local.take(client, cost)
        state = result.state
        return Allowance(not result.limited, state.limit, state.remaining, state.retry_after, state.reset_after)

    async def _take_shared(self, client: str, cost: int) -> RateLimitResult | None:
        if self._redis is None or self._shared is None:
            return None
        try:
            return await self._redis.run(partial(self._shared.take, client, cost))
        except RedisUnavailable:
            return None
