"""Budgets of clients."""

from __future__ import annotations

import time
import uuid
from collections.abc import AsyncIterator

import pytest
from pydantic import SecretStr

from tests.support.redis_server import RedisServer
from tests.support.services import require_service
from utils.config.settings import Settings
from utils.http.rate_limiter import RateLimiter
from utils.resilience.breaker import BreakerState
from utils.resilience.redis_link import RedisLink


@pytest.fixture
async def redis() -> AsyncIterator[RedisLink]:
    link = RedisLink(require_service("redis"))
    yield link
    await link.aclose()


async def allowed(limiter: RateLimiter, client: str, requests: int) -> int:
    return sum([(await limiter.take(client)).allowed for _ in range(requests)])


async def test_a_burst_then_one_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1000.0]
    monkeypatch.setattr("throttled.utils.now_mono_f", lambda: now[0])
    limiter = RateLimiter(per_minute=60, burst=3)
    assert [(await limiter.take("a")).remaining for _ in range(3)] == [2, 1, 0]
    refused = await limiter.take("a")
    assert not refused.allowed
    assert refused.limit == 3
    assert refused.retry_after == pytest.approx(1.0)
    assert (await limiter.take("b")).allowed, "each has a bucket of its own"
    now[0] += 1.01
    assert await allowed(limiter, "a", 2) == 1


async def test_a_client_within_its_rate_is_never_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1000.3]
    monkeypatch.setattr("throttled.utils.now_mono_f", lambda: now[0])
    limiter = RateLimiter(per_minute=90, burst=5)
    for _ in range(900):
        assert (await limiter.take("a")).allowed
        now[0] += 60 / 89


def test_limits_can_be_switched_off() -> None:
    assert RateLimiter.from_settings(Settings(rate_limit_per_minute=10)) is not None
    assert RateLimiter.from_settings(Settings(rate_limit_per_minute=10, enable_rate_limit=False)) is None


def test_clients_with_keys_are_limited_and_this_machine_alone_is_not() -> None:
    keys = {"web": SecretStr("0123456789abcdef:chat")}
    assert RateLimiter.from_settings(Settings(api_keys=keys)) is not None
    assert RateLimiter.from_settings(Settings()) is None


@pytest.mark.services
async def test_workers_share_one_budget(redis: RedisLink) -> None:
    client = uuid.uuid4().hex
    limiter, other = RateLimiter(60, 4, redis), RateLimiter(60, 4, redis)
    assert await allowed(limiter, client, 2) + await allowed(other, client, 4) == 4


@pytest.mark.services
async def test_without_redis_each_process_counts_for_itself() -> None:
    with RedisServer() as server:
        link = RedisLink(server.url)
        limiter = RateLimiter(60, 3, link)
        assert await allowed(limiter, "a", 5) == 3
        server.hang()
        assert await allowed(limiter, "a", 10) == 3
        assert link._breaker.state is not BreakerState.CLOSED, "not every request waits for the time limit"
        assert link.degradation is not None
        await link.aclose()


@pytest.mark.services
async def test_redis_is_used_again_when_it_is_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("utils.resilience.redis_link._RECOVERY", 0.05)
    with RedisServer() as server:
        link = RedisLink(server.url)
        assert await link.is_up()
        server.kill()
        for _ in range(4):
            assert not await link.is_up()
        server.start()
        time.sleep(0.06)  # noqa: ASYNC251 - nothing else runs
        assert await link.is_up()
        assert link.degradation is None
        await link.aclose()
