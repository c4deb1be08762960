"""Rate limits, as a client sees them."""

from __future__ import annotations

import time
from typing import Any

import httpx
import pytest

from schemas.problems import ErrorCode
from tests.contract.conftest import ADMIN_KEY, CHAT_KEY, Service, running
from tests.contract.wire import assert_problem

QUESTION = {"message": "부가세"}
LIMITED: dict[str, Any] = {"enable_rate_limit": True, "rate_limit_per_minute": 6, "rate_limit_burst": 2}


def ask(client: httpx.Client, **headers: str) -> httpx.Response:
    return client.post("/api/chat", json=QUESTION, headers=headers)


def test_over_the_limit_is_a_problem_that_says_when_to_come_back() -> None:
    with running(**LIMITED) as service, service.client() as client:
        remaining = [ask(client).headers["ratelimit-remaining"] for _ in range(2)]
        assert remaining == ["1", "0"]
        refused = ask(client, **{"X-Request-ID": "limited"})
        problem = assert_problem(refused, ErrorCode.RATE_LIMITED)
        assert problem.request_id == "limited"
        assert 1 <= int(refused.headers["retry-after"]) <= 10
        assert f"{refused.headers['retry-after']}초" in problem.detail
        assert refused.headers["ratelimit-limit"] == "2"
        assert len(service.stubs.chat.received) == 2


def test_streams_are_refused_before_they_begin() -> None:
    with running(**LIMITED) as service, service.client() as client:
        for _ in range(2):
            assert client.post("/api/chat/stream", json=QUESTION).status_code == 200
        assert_problem(client.post("/api/chat/stream", json=QUESTION), ErrorCode.RATE_LIMITED)


def test_what_machines_watch_is_never_refused() -> None:
    with running(**LIMITED, enable_docs=True) as service, service.client() as client:
        for path in ("/health", "/health/live", "/health/ready", "/docs", "/openapi.json") * 3:
            response = client.get(path)
            assert response.status_code == 200
            assert "ratelimit-limit" not in response.headers


def test_every_client_has_a_budget_of_its_own() -> None:
    keys = f"web={CHAT_KEY}:chat,app={ADMIN_KEY}:chat"
    with running(**LIMITED, api_keys=keys) as service, service.client() as client:
        for _ in range(2):
            assert ask(client, **{"X-API-Key": CHAT_KEY}).status_code == 200
        assert_problem(ask(client, **{"X-API-Key": CHAT_KEY}), ErrorCode.RATE_LIMITED)
        assert ask(client, **{"X-API-Key": ADMIN_KEY}).status_code == 200


def test_a_client_without_a_key_spends_nobodys_budget() -> None:
    with running(**LIMITED, api_keys=f"web={CHAT_KEY}:chat") as service, service.client() as client:
        for _ in range(5):
            assert_problem(ask(client), ErrorCode.UNAUTHORIZED)
        assert ask(client, **{"X-API-Key": CHAT_KEY}).status_code == 200


def refused_of(service: Service, addresses: list[str]) -> list[int]:
    with service.client() as client:
        return [ask(client, **{"X-Forwarded-For": address}).status_code for address in addresses]


def test_only_a_trusted_proxy_may_name_the_address() -> None:
    addresses = [f"203.0.113.{number}" for number in range(4)]
    with running(**LIMITED) as service:
        assert refused_of(service, addresses) == [200, 200, 429, 429]
    with running(**LIMITED, trusted_proxies="127.0.0.1") as service:
        assert refused_of(service, addresses) == [200] * 4
        assert refused_of(service, [addresses[0]] * 3) == [200, 429, 429]
        forged = [f"198.51.100.{number}, 203.0.113.9" for number in range(3)]
        assert refused_of(service, forged) == [200, 200, 429], "what stands before the proxy's own word is hearsay"


def test_browsers_may_read_what_remains() -> None:
    with running(**LIMITED) as service, service.client() as client:
        response = ask(client, Origin="http://localhost:5173")
        exposed = response.headers["access-control-expose-headers"]
        assert "RateLimit-Remaining" in exposed
        assert "Retry-After" in exposed


@pytest.mark.finding("M11")
@pytest.mark.parametrize("route", ["/api/chat", "/api/chat/stream"])
def test_a_long_question_costs_more_than_a_short_one(route: str) -> None:
    limits: dict[str, Any] = {"enable_rate_limit": True, "rate_limit_per_minute": 6, "rate_limit_burst": 10}
    long = {"message": "가" * 2000}
    with running(**limits) as service, service.client() as client:
        assert client.post(route, json=long).status_code == 200
        refused = client.post(route, json=long)
        problem = assert_problem(refused, ErrorCode.RATE_LIMITED)
        assert f"{refused.headers['retry-after']}초" in problem.detail
        assert len(service.stubs.chat.received) == 1


def test_the_longest_question_is_not_forbidden_by_a_small_bucket() -> None:
    for burst in (1, 2):
        limits: dict[str, Any] = {"enable_rate_limit": True, "rate_limit_per_minute": 6000, "rate_limit_burst": burst}
        with running(**limits) as service, service.client() as client:
            client.post("/api/chat", json={"message": "가" * 2000})
            time.sleep(0.05)
            assert client.post("/api/chat", json={"message": "가" * 2000}).status_code == 200, burst
