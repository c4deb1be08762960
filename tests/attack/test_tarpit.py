"""Who keeps asking although refused waits for each refusal; nobody else does, and what waits is bounded."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from itertools import islice
from typing import Any

import httpx
import pytest

from schemas.problems import ErrorCode
from tests.contract.conftest import ADMIN_KEY, CHAT_KEY, Service, running
from tests.contract.wire import assert_problem
from tests.support.crowd import wait_until
from utils.middleware.tarpit import Tarpit

FREE = 10  # refusals that are answered at once
FOREVER = 3_600.0  # seconds: nothing that waits so long ends within a test
HOSTILE, HONEST = {"X-API-Key": CHAT_KEY}, {"X-API-Key": ADMIN_KEY}
KEYS = f"web={CHAT_KEY}:chat,app={ADMIN_KEY}:chat"

pytestmark = pytest.mark.finding("M11")


@pytest.fixture(autouse=True)
def _long_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("utils.middleware.tarpit.HOLD_SECONDS", FOREVER)


@pytest.fixture
def threads() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(16) as pool:
        yield pool


@contextmanager
def limited(max_connections: int) -> Iterator[Service]:
    """A service that grants a client one question, and then none for as long as a test takes."""
    limits: dict[str, Any] = {"enable_rate_limit": True, "rate_limit_per_minute": 1, "rate_limit_burst": 1}
    with running(api_keys=KEYS, max_connections=max_connections, metrics_open=True, **limits) as service:
        yield service


def ask(service: Service, key: dict[str, str]) -> httpx.Response:
    with service.client() as client:
        return client.post("/api/chat", json={"message": "부가세"}, headers=key)


def spend_what_is_free(service: Service, key: dict[str, str]) -> None:
    """Ask the one question, and be refused as often as is answered at once."""
    assert ask(service, key).status_code == 200
    for _ in range(FREE):
        assert_problem(ask(service, key), ErrorCode.RATE_LIMITED)


def ends(service: Service, path: str, key: dict[str, str]) -> bool:
    """Ask and wait for whatever comes of it, which may be the end of the service."""
    try:
        with service.client() as client:
            return client.post(path, json={"message": "부가세"}, headers=key, timeout=60).status_code in (429, 503)
    except httpx.TransportError:
        return True


def held(service: Service) -> int:
    """Return the number of requests in flight besides this one."""
    with service.client() as client:
        served = re.search(r"^bizi_requests_in_flight (\d+)", client.get("/metrics").text, re.MULTILINE)
    assert served is not None
    return int(served[1]) - 1


def test_the_others_are_answered_while_a_hostile_client_waits(threads: ThreadPoolExecutor) -> None:
    with limited(max_connections=64) as service:
        spend_what_is_free(service, HOSTILE)
        waiting = [threads.submit(ends, service, "/api/chat", HOSTILE) for _ in range(4)]
        wait_until(lambda: held(service) == 4, "all of them are held")
        spend_what_is_free(service, HONEST)
        assert not any(request.done() for request in waiting)
    assert all(request.result() for request in waiting), "what is held ends with the service"


def test_one_client_holds_an_eighth_of_the_connections_and_no_more(threads: ThreadPoolExecutor) -> None:
    with limited(max_connections=32) as service:
        spend_what_is_free(service, HOSTILE)
        asked = [threads.submit(ends, service, "/api/chat", HOSTILE) for _ in range(12)]
        answered: list[Future[bool]] = list(islice(as_completed(asked), 12 - 32 // 8))
        assert sum(request.done() for request in asked) == len(answered)
        assert held(service) == 32 // 8


def test_wrong_keys_wait_and_right_ones_do_not(threads: ThreadPoolExecutor) -> None:
    with running(api_keys=KEYS, max_connections=64, metrics_open=True) as service, service.client() as client:
        guesses = [client.get("/health", headers={"X-API-Key": f"{n}"}).status_code for n in range(10 + FREE)]
        assert guesses == [401] * 10 + [429] * FREE
        waiting = threads.submit(ends, service, "/api/chat", {"X-API-Key": "guess"})
        wait_until(lambda: held(service) == 1, "it is held")
        assert client.get("/health", headers=HONEST).status_code == 200
        assert not waiting.done()


async def is_held(tarpit: Tarpit) -> bool:
    refusal = asyncio.create_task(tarpit.hold("client"))
    for _ in range(3):
        await asyncio.sleep(0)
    try:
        return not refusal.done()
    finally:
        refusal.cancel()
        await asyncio.wait({refusal})


async def test_the_refusals_of_one_minute_do_not_weigh_on_the_next() -> None:
    now = 0.0
    tarpit = Tarpit(8, clock=lambda: now)
    assert [await is_held(tarpit) for _ in range(FREE + 2)] == [False] * FREE + [True] * 2
    now = 61.0
    assert not await is_held(tarpit)


async def test_a_wait_ends_and_leaves_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("utils.middleware.tarpit.HOLD_SECONDS", 0.0)
    tarpit = Tarpit(8)
    for _ in range(5 * FREE):
        await tarpit.hold("client")
    monkeypatch.setattr("utils.middleware.tarpit.HOLD_SECONDS", FOREVER)
    assert await is_held(tarpit)
