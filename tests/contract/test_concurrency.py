"""Requests of one client that are under way at once."""

from __future__ import annotations

import time
from contextlib import ExitStack

import httpx

from main import create_app
from schemas.problems import ErrorCode
from tests.contract.conftest import ADMIN_KEY, CHAT_KEY, make_settings, running
from tests.contract.stub_service import StubServices
from tests.contract.wire import assert_problem
from utils.middleware.concurrency import most_at_once

QUICK, SLOW = {"message": "부가세"}, {"message": "오래 걸리는 질문"}
KEYS = f"web={CHAT_KEY}:chat|documents|admin,app={ADMIN_KEY}:chat"
WEB, APP = {"X-API-Key": CHAT_KEY}, {"X-API-Key": ADMIN_KEY}


def ask(client: httpx.Client, key: dict[str, str]) -> httpx.Response:
    return client.post("/api/chat", json=QUICK, headers=key)


def test_streams_under_way_count_to_their_end_and_only_for_their_client() -> None:
    with running(api_keys=KEYS, max_concurrent_requests=2) as service, service.client() as client:
        with ExitStack() as streams:
            for _ in range(2):
                stream = client.stream("POST", "/api/chat/stream", json=SLOW, headers=WEB)
                assert streams.enter_context(stream).status_code == 200
            refused = ask(client, WEB)
            problem = assert_problem(refused, ErrorCode.TOO_MANY_AT_ONCE)
            assert refused.status_code == 429
            assert int(refused.headers["retry-after"]) >= 1
            assert "2개" in problem.detail
            assert ask(client, APP).status_code == 200, "the bound is each client's own"
            assert client.get("/health/live", headers=WEB).status_code == 200, "what machines watch is not counted"
            told = client.get("/metrics", headers=WEB)
            assert told.status_code == 200
            assert 'bizi_refusals_total{cause="concurrency"} 1.0' in told.text
        until = time.monotonic() + 30
        while ask(client, WEB).status_code != 200:  # the service learns that they have left
            assert time.monotonic() < until
            time.sleep(0.05)


def test_without_keys_there_is_no_bound_unless_it_is_set() -> None:
    assert most_at_once(make_settings()) is None
    assert most_at_once(make_settings(max_concurrent_requests=3)) == 3
    assert most_at_once(make_settings(api_keys=KEYS)) == 64
    assert not _is_bounded()
    assert _is_bounded(max_concurrent_requests=3)


def _is_bounded(**settings: int) -> bool:
    stack = create_app(make_settings(**settings), StubServices()).user_middleware
    return any("ConcurrencyMiddleware" in repr(layer) for layer in stack)
