"""A store of conversations that hangs: answers go on, say so, and nobody restarts anything."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from agents.sessions.backends import backend_of
from schemas.health import CapabilityState
from tests.routes.test_sessions import Service, ask, key
from tests.support.session_stores import store_of
from tests.support.sql_servers import PostgreSQLServer
from utils.config.settings import Settings

pytestmark = [pytest.mark.services, pytest.mark.slow]


@pytest.fixture(scope="module")
def server() -> Iterator[PostgreSQLServer]:
    with PostgreSQLServer() as server:
        yield server


@pytest.fixture
def service(server: PostgreSQLServer, tmp_path: Path) -> Service:
    service = Service(tmp_path)
    service.store = store_of(backend_of(Settings(session_url=server.url)), service.store.clock, seconds=1.0)
    return service


def missing(answer: dict[str, list[dict[str, str]]]) -> list[str]:
    return [lack["component"] for lack in answer["degraded"]]


def _again(client: httpx.Client, session: str) -> None:
    """Wait until the store is used again."""
    until = time.monotonic() + 40
    while missing(ask(client, "되나요?", session)):
        assert time.monotonic() < until, "the store is never used again"
        time.sleep(0.3)


@pytest.mark.parametrize("how", ["hang", "kill"])
def test_answers_go_on_while_postgresql_is_away(server: PostgreSQLServer, service: Service, how: str) -> None:
    with service.running() as client:
        assert missing(ask(client, "처음", how)) == []
        getattr(server, how)()
        try:
            answers = [ask(client, f"질문 {number}", how) for number in range(6)]
            assert [missing(answer) for answer in answers] == [["sessions"]] * 6
            assert ["0개의 말" in answer["content"] for answer in answers] == [True] * 6
            refused = client.get(f"/api/sessions/{how}", headers=key())
            assert (refused.status_code, "retry-after" in refused.headers) == (503, True)
        finally:
            server.resume() if how == "hang" else server.start()
        _again(client, "another")
        shown = client.get(f"/api/sessions/{how}", headers=key()).json()
        assert [turn["question"] for turn in shown["turns"]] == ["처음"], "nothing is kept that was said to be lost"


async def test_health_tells_of_a_store_that_hangs_and_of_its_return(server: PostgreSQLServer) -> None:
    store = store_of(backend_of(Settings(session_url=server.url)), seconds=1.0)
    async with store.running():
        assert (await store.health()).state is CapabilityState.AVAILABLE
        server.hang()
        try:
            assert (await store.health()).state is CapabilityState.UNAVAILABLE
        finally:
            server.resume()
        until = time.monotonic() + 30
        while (await store.health()).state is not CapabilityState.AVAILABLE:
            assert time.monotonic() < until, "the store is never well again"


async def test_a_service_starts_while_the_store_hangs(server: PostgreSQLServer) -> None:
    server.hang()
    try:
        store = store_of(backend_of(Settings(session_url=server.url)), seconds=1.0)
        began = time.monotonic()
        async with store.running():
            assert time.monotonic() - began < 15
            assert (await store.health()).state is CapabilityState.UNAVAILABLE
    finally:
        server.resume()
