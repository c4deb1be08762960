"""The buckets of `utils.http.rate_limiter`, in process and in Redis."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from throttled.asyncio import (
    BaseStore,
    MemoryStore,
    RateLimiterType,
    RateLimitResult,
    RedisStore,
    RedisStoreBackend,
    Throttled,
    per_min,
)
from throttled.exceptions import StoreUnavailableError

if TYPE_CHECKING:
    from redis.asyncio import Redis

_CLIENTS = 10_000  # remembered in process, so that it cannot be made to grow
_PREFIX = "bizi:rate"

# The generic cell rate algorithm is the token bucket with the time of the last refill in place of a count of tokens. The
# library's bucket of that name counts whole seconds and rounds refills down: 90 requests a minute become 60.
_ALGORITHM = RateLimiterType.GCRA.value


class TokenBuckets:
    """A bucket for each client, of ``burst`` tokens and refilled ``per_minute``; ``redis`` keeps them for several processes."""

    def __init__(self, per_minute: int, burst: int, redis: Redis | None = None) -> None:
        store: BaseStore = MemoryStore(options={"MAX_SIZE": _CLIENTS}) if redis is None else _RedisStore(redis)
        quota = per_min(per_minute, burst)
        self._throttled = Throttled(using=_ALGORITHM, quota=quota, store=store, key_prefix=_PREFIX)

    async def take(self, client: str, tokens: int) -> RateLimitResult:
        """Take tokens out of a client's bucket. Raises ConnectionError while Redis does not answer."""
        try:
            return await self._throttled.limit(client, tokens)
        except StoreUnavailableError as error:
            raise ConnectionError("rate limit store") from error


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
