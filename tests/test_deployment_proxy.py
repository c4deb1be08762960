"""The service behind a reverse proxy, under a prefix: nginx as docs/nginx.conf has it, and a small one where there is no nginx."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from schemas.problems import ErrorCode
from tests.contract.conftest import ADMIN_KEY, CHAT_KEY, Service, running
from tests.contract.wire import assert_problem
from tests.support.proxies import nginx, small_proxy

pytestmark = pytest.mark.whole

HOST = "bizi.example"
KEYS = f"web={CHAT_KEY}:chat,ops={ADMIN_KEY}:admin"
QUESTION = {"message": "부가세"}
BEHIND: dict[str, Any] = {"trusted_proxies": "127.0.0.1", "root_path": "/rag", "enable_docs": True}

Proxied = Callable[..., AbstractContextManager[tuple[Service, "Clients"]]]


class Clients:
    """Clients of a proxy, each at an address of its own."""

    def __init__(self, url: str) -> None:
        self._url = url

    @contextmanager
    def at(self, address: str, **headers: str) -> Iterator[httpx.Client]:
        transport = httpx.HTTPTransport(local_address=address, verify=False)
        with httpx.Client(
            base_url=self._url, transport=transport, headers={"Host": HOST} | headers, timeout=10
        ) as client:
            yield client


@pytest.fixture(params=[nginx, small_proxy], ids=["nginx", "small"])
def proxied(request: pytest.FixtureRequest, tmp_path: Path) -> Proxied:
    proxy: Callable[[int, Path], AbstractContextManager[str]] = request.param

    @contextmanager
    def started(**settings: Any) -> Iterator[tuple[Service, Clients]]:
        with running(**BEHIND | settings) as service, proxy(service.port, tmp_path) as url:
            yield service, Clients(url)

    return started


def test_paths_below_the_prefix_and_addresses_in_answers(proxied: Proxied) -> None:
    with proxied(api_keys=KEYS) as (_, clients), clients.at("127.0.0.2", **{"X-API-Key": ADMIN_KEY}) as client:
        assert client.get("/rag/health/live").status_code == 200
        job = client.post("/rag/api/vectordb/ingest", files=[("files", ("a.jsonl", b'{"id": "A"}'))])
        assert job.status_code == 202
        assert job.headers["location"].startswith("/rag/api/vectordb/jobs/")
        assert client.get(job.headers["location"]).status_code == 200
        assert client.get("/rag/docs/swagger-ui.css").status_code == 200
        assert client.get("/rag/openapi.json").json()["servers"] == [{"url": "/rag"}]


def test_an_event_arrives_when_it_is_sent_and_leaving_stops_the_work(proxied: Proxied) -> None:
    with (
        proxied(api_keys=KEYS) as (service, clients),
        clients.at("127.0.0.2", **{"X-API-Key": CHAT_KEY}) as client,
    ):
        with client.stream("POST", "/rag/api/chat/stream", json={"message": "오래"}) as stream:
            lines = stream.iter_lines()  # kept: the connection goes with it
            assert next(lines) == "event: status"  # while the answer is not even begun
            assert service.stubs.chat.started.wait(10)
            assert not service.stubs.chat.stopped.is_set()
        assert service.stubs.chat.stopped.wait(10)
        assert not service.stubs.chat.finished.is_set()


@pytest.mark.finding("H5")
def test_a_guesser_is_throttled_at_its_own_address_whatever_it_claims(proxied: Proxied) -> None:
    def statuses(client: httpx.Client, count: int, **headers: str) -> list[int]:
        return [client.get("/rag/health", headers=headers).status_code for _ in range(count)]

    with proxied(api_keys=KEYS) as (_, clients), clients.at("127.0.0.2") as guesser, clients.at("127.0.0.3") as other:
        guesser.headers["X-API-Key"] = other.headers["X-API-Key"] = "guess"
        assert statuses(guesser, 12) == [401] * 10 + [429] * 2
        for claimed in ("203.0.113.1", "127.0.0.1", "127.0.0.3", "203.0.113.1, 127.0.0.1"):
            assert statuses(guesser, 1, **{"X-Forwarded-For": claimed, "X-Real-IP": claimed}) == [429]
            assert statuses(guesser, 1, Forwarded=f"for={claimed}") == [429]
        assert statuses(other, 1) == [401]
        assert statuses(guesser, 1, **{"X-API-Key": ADMIN_KEY}) == [200]


def test_limits_of_requests_are_by_client_address(proxied: Proxied) -> None:
    limits = {"enable_rate_limit": True, "rate_limit_per_minute": 6, "rate_limit_burst": 2, "allowed_hosts": HOST}
    with proxied(**limits) as (_, clients), clients.at("127.0.0.2") as client, clients.at("127.0.0.3") as other:
        asked = [
            client.post("/rag/api/chat", json=QUESTION, headers={"X-Forwarded-For": f"203.0.113.{n}"}) for n in "123"
        ]
        assert [answer.status_code for answer in asked] == [200, 200, 429]
        assert other.post("/rag/api/chat", json=QUESTION).status_code == 200


@pytest.mark.finding("H1")
def test_pages_of_the_proxys_origin_are_own_ones_and_others_are_not(proxied: Proxied) -> None:
    with proxied(api_keys=KEYS) as (_, clients), clients.at("127.0.0.2", **{"X-API-Key": ADMIN_KEY}) as client:
        for origin in (f"http://{HOST}", f"https://{HOST}", "http://localhost:5173"):
            assert client.post("/rag/api/vectordb/rollback", headers={"Origin": origin}).status_code == 200
        foreign = client.post("/rag/api/vectordb/rollback", headers={"Origin": "http://evil.example"})
        assert_problem(foreign, ErrorCode.FORBIDDEN)


def test_a_name_nobody_allowed_is_not_served_without_keys(proxied: Proxied) -> None:
    with proxied() as (_, clients), clients.at("127.0.0.2") as client:
        assert_problem(client.get("/rag/api/vectordb/stats"), ErrorCode.MISDIRECTED_REQUEST)


def test_an_oversized_body_ends_at_the_proxy_or_at_the_service(proxied: Proxied) -> None:
    with proxied(api_keys=KEYS) as (_, clients), clients.at("127.0.0.2", **{"X-API-Key": CHAT_KEY}) as client:
        headers = {"Content-Type": "application/json"}
        assert client.post("/rag/api/chat", content=b" " * 300_000, headers=headers).status_code == 413
