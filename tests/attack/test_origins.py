"""Web pages that the operator visits can do nothing to the service."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator

import httpx
import pytest

from schemas.problems import ErrorCode
from tests.contract.conftest import ADMIN_KEY, Service, running
from tests.contract.stub_service import StubServices
from tests.contract.wire import assert_problem
from tests.support.routes import operations
from utils.middleware.request_origin import SAFE_METHODS

FRONTEND = "http://localhost:5173"
KEYS = f"ops={ADMIN_KEY}:admin|chat|documents"
REFUSED = (ErrorCode.FORBIDDEN, ErrorCode.MISDIRECTED_REQUEST)
FORM = [("files", ("a.jsonl", json.dumps({"id": "A"}).encode()))]

FOREIGN = [
    {"Origin": "http://evil.example"},
    {"Origin": "null"},
    {"Origin": ""},
    {"Origin": "http://127.0.0.1:1"},
    {"Origin": "http://localhost:5173.evil.example"},
    {"Origin": "http://evil.example#http://localhost:5173"},
    {"Origin": "http://localhost:51733"},
    {"Origin": "https://localhost:5173"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Sec-Fetch-Site": "cross-site", "Origin": "{own}"},
    {"Sec-Fetch-Site": "same-origin", "Origin": "http://evil.example"},
]
OWN = [
    {},
    {"Origin": "{own}"},
    {"Origin": "{own}", "Sec-Fetch-Site": "same-origin"},
    {"Sec-Fetch-Site": "none"},
    {"Origin": FRONTEND},
    {"Origin": FRONTEND, "Sec-Fetch-Site": "cross-site"},
]
REBOUND = ["attacker.rebind.example", "attacker.rebind.example:80", "localhost.evil.example", "127.0.0.1.evil.example"]
REBOUND += ["0.0.0.0", "127.0.0.2", "[::2]", "localhost:1:2", "localhost@evil.example", "local host", "", "[::1"]
LOOPBACK = ["localhost", "LOCALHOST:8001", "127.0.0.1", "127.0.0.1:1", "[::1]", "[::1]:8001"]


async def _to_come() -> dict[str, str]:
    return {}


async def _changes_to_come() -> dict[str, str]:
    return {}


def _service_with_a_route_to_come(keys: str) -> Iterator[Service]:
    service = Service(StubServices(), api_keys=keys)
    service.app.add_api_route("/to-come", _to_come, methods=["GET"], include_in_schema=False)
    service.app.add_api_route(
        "/to-come", _changes_to_come, methods=["POST", "PUT", "PATCH", "DELETE"], include_in_schema=False
    )
    service.start()
    yield service
    service.stop()


@pytest.fixture(scope="module")
def keyless() -> Iterator[Service]:
    yield from _service_with_a_route_to_come("")


@pytest.fixture(scope="module")
def keyed() -> Iterator[Service]:
    yield from _service_with_a_route_to_come(KEYS)


def _headers(service: Service, given: dict[str, str]) -> dict[str, str]:
    return {"X-API-Key": ADMIN_KEY} | {name: value.format(own=service.url) for name, value in given.items()}


def _changing(service: Service) -> list[tuple[str, str]]:
    found = [(method, path) for method, path in operations(service.app) if method not in SAFE_METHODS]
    assert {("POST", "/to-come"), ("POST", "/api/vectordb/ingest"), ("DELETE", "/api/vectordb/documents/x")} <= set(
        found
    )
    return found


@pytest.mark.finding("H1")
@pytest.mark.parametrize("given", FOREIGN, ids=str)
@pytest.mark.parametrize("kind", ["keyless", "keyed"])
def test_a_foreign_page_changes_nothing_on_any_route(
    request: pytest.FixtureRequest, kind: str, given: dict[str, str]
) -> None:
    service: Service = request.getfixturevalue(kind)
    with service.client() as client:
        for method, path in _changing(service):
            response = client.request(method, path, headers=_headers(service, given))
            problem = assert_problem(response, ErrorCode.FORBIDDEN)
            assert "웹 페이지" in problem.detail


@pytest.mark.finding("H1")
@pytest.mark.parametrize("given", OWN, ids=str)
@pytest.mark.parametrize("kind", ["keyless", "keyed"])
def test_own_pages_the_frontend_and_other_programs_are_served(
    request: pytest.FixtureRequest, kind: str, given: dict[str, str]
) -> None:
    service: Service = request.getfixturevalue(kind)
    with service.client() as client:
        for method, path in _changing(service):
            response = client.request(method, path, headers=_headers(service, given))
            assert response.status_code not in (401, 403, 421), (method, path, response.text)


@pytest.mark.finding("H1")
def test_a_form_of_another_site_uploads_nothing(keyless: Service) -> None:
    headers = {"Origin": "http://evil.example", "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}
    with keyless.client() as client:
        response = client.post("/api/vectordb/ingest", files=FORM, headers=headers)
        assert_problem(response, ErrorCode.FORBIDDEN)
        assert client.post("/api/vectordb/ingest", files=FORM).status_code == 202


@pytest.mark.finding("H1")
@pytest.mark.parametrize("host", REBOUND)
def test_under_a_rebound_name_nothing_is_served_at_all(keyless: Service, host: str) -> None:
    with keyless.client() as client:
        for method, path in operations(keyless.app):
            response = client.request(method, path, headers={"Host": host})
            assert response.status_code in (400, 421)  # 400: the parser of the server knew already
            if response.status_code == 421 and method != "HEAD":
                assert_problem(response, ErrorCode.MISDIRECTED_REQUEST)


@pytest.mark.finding("H1")
def test_two_host_names_or_none_are_no_loopback_name(keyless: Service) -> None:
    own, other = b"Host: localhost\r\n", b"Host: evil.example\r\n"
    for hosts in (own + other, other + own, own + own, b""):
        answer = _answer_of(keyless, b"GET /health/live HTTP/1.1\r\n" + hosts + b"Connection: close\r\n\r\n")
        assert answer.split()[1] in (b"400", b"421")
    assert _answer_of(keyless, b"GET /health/live HTTP/1.0\r\n\r\n").split()[1] in (b"400", b"421")


def _answer_of(service: Service, sent: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", service.port), timeout=10) as connection:
        connection.sendall(sent)
        return b"".join(iter(lambda: connection.recv(65536), b""))


@pytest.mark.parametrize("host", LOOPBACK)
def test_loopback_names_are_served(keyless: Service, host: str) -> None:
    with keyless.client() as client:
        assert client.get("/api/vectordb/stats", headers={"Host": host}).status_code == 200
        own = {"Host": host, "Origin": f"http://{host.lower()}"}
        assert client.post("/api/vectordb/rollback", headers=own).status_code == 200


def test_an_operator_may_name_further_hosts() -> None:
    with running(allowed_hosts="bizi.example, [fd00::1]") as service, service.client() as client:
        statuses = {
            host: client.get("/health", headers={"Host": host}).status_code
            for host in ("bizi.example", "BIZI.example:443", "[fd00::1]:80", "localhost", "evil.example")
        }
    assert list(statuses.values()) == [200, 200, 200, 200, 421]


def test_with_keys_any_name_is_served_unless_names_are_given() -> None:
    key = {"X-API-Key": ADMIN_KEY}
    with running(api_keys=KEYS) as service, service.client() as client:
        assert client.get("/health", headers={**key, "Host": "bizi.example"}).status_code == 200
    with running(api_keys=KEYS, allowed_hosts="bizi.example") as service, service.client() as client:
        assert client.get("/health", headers={**key, "Host": "bizi.example"}).status_code == 200
        assert_problem(client.get("/health", headers={**key, "Host": "other.example"}), ErrorCode.MISDIRECTED_REQUEST)


def test_a_refused_origin_cannot_forge_a_log_line(keyless: Service, caplog: pytest.LogCaptureFixture) -> None:
    with keyless.client() as client:
        client.post("/to-come", headers=[(b"Origin", b"http://evil\xc2\x85\xe2\x80\xae%0d%0a" + b"a" * 5000)])
    lines = [record.getMessage() for record in caplog.records if "CORS_ORIGINS" in record.getMessage()]
    assert lines
    assert all(line.isprintable() and len(line) < 400 for line in lines)


def test_cors_admits_only_the_origins_named(keyless: Service) -> None:
    look_alikes = ["null", "http://localhost:5173.evil.example", "http://localhost:51730", "https://localhost:5173"]
    look_alikes += ["http://evil.localhost:5173", "HTTP://LOCALHOST:5173/", "http://localhost:5173@evil.example", "*"]
    with keyless.client() as client:
        for origin in (*look_alikes, FRONTEND):
            read = client.get("/api/vectordb/stats", headers={"Origin": origin})
            asked = {"Origin": origin, "Access-Control-Request-Method": "POST"}
            preflight = client.options("/api/chat", headers=asked)
            expected = FRONTEND if origin == FRONTEND else None
            assert read.headers.get("access-control-allow-origin") == expected
            assert preflight.headers.get("access-control-allow-origin") == expected
            assert preflight.is_success is (origin == FRONTEND)
            assert "access-control-allow-credentials" not in preflight.headers


@pytest.mark.finding("L7")
@pytest.mark.parametrize("kind", ["keyless", "keyed"])
def test_every_answer_tells_browsers_to_be_careful(request: pytest.FixtureRequest, kind: str) -> None:
    service: Service = request.getfixturevalue(kind)
    with service.client() as client:
        for method, path in [*operations(service.app), ("GET", "/nope"), ("OPTIONS", "/api/chat")]:
            for headers in ({}, {"X-API-Key": ADMIN_KEY}, {"Origin": "http://evil.example"}):
                _assert_careful(client.request(method, path, headers=headers))


def _assert_careful(response: httpx.Response) -> None:
    headers = response.headers
    assert headers["x-content-type-options"] == "nosniff", response.request.url
    assert headers["x-frame-options"] == "DENY"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert headers["cross-origin-opener-policy"] == "same-origin"
    policy = headers["content-security-policy"]
    assert policy.startswith("default-src 'none';")
    assert "frame-ancestors 'none'" in policy
    assert "unsafe-" not in policy
    if headers["content-type"] in ("application/json", "application/problem+json"):
        assert "script-src" not in policy
        assert "no-store" in headers["cache-control"]


def test_an_event_stream_is_not_stored_either(keyless: Service) -> None:
    with keyless.client() as client:
        response = client.post("/api/chat/stream", json={"message": "부가세"})
    assert response.headers["cache-control"] == "no-cache, no-store"
    assert response.headers["x-accel-buffering"] == "no"
    assert response.headers["content-type"].startswith("text/event-stream")
