"""Keys, scopes, request ids and origins."""

from __future__ import annotations

import httpx
import pytest

from main import create_app
from schemas.problems import ErrorCode
from tests.contract.conftest import ADMIN_KEY, CHAT_KEY, Service, make_settings, running
from tests.contract.wire import assert_problem
from utils.config.settings import SettingsError

QUESTION = {"message": "부가세"}
ORIGIN = "http://localhost:5173"


def test_open_paths_need_no_key(guarded: Service) -> None:
    with guarded.client() as client:
        for path in ("/health/live", "/health/ready", "/docs", "/openapi.json"):
            assert client.get(path).status_code == 200
        for path in ("/health", "/nope", "/health/live/x", "/health/live/"):
            assert_problem(client.get(path), ErrorCode.UNAUTHORIZED)


def test_a_key_opens_what_its_scopes_say(guarded: Service) -> None:
    with guarded.client() as client:
        assert client.post("/api/chat", json=QUESTION, headers={"X-API-Key": CHAT_KEY}).status_code == 200
        for route in ("/api/chat", "/api/chat/stream"):
            response = client.post(route, json=QUESTION, headers={"X-API-Key": ADMIN_KEY})
            assert_problem(response, ErrorCode.FORBIDDEN)
        assert client.get("/health", headers={"X-API-Key": ADMIN_KEY}).status_code == 200


@pytest.mark.parametrize("key", [b"", b"wrong", b"\xff\xfe", "한글".encode(), CHAT_KEY.encode() + b" x", b"a" * 8000])
def test_wrong_keys_are_unauthorized(key: bytes) -> None:
    with running(api_keys=f"web={CHAT_KEY}:chat") as service, service.client() as client:
        response = client.post("/api/chat", json=QUESTION, headers=[(b"X-API-Key", key)])
        assert_problem(response, ErrorCode.UNAUTHORIZED)


def test_forgetting_the_key_is_no_guess() -> None:
    with running(api_keys=f"web={CHAT_KEY}:chat") as service, service.client() as client:
        for _ in range(15):
            assert_problem(client.post("/api/chat", json=QUESTION), ErrorCode.UNAUTHORIZED)
        assert_problem(client.get("/health", headers={"X-API-Key": "guess"}), ErrorCode.UNAUTHORIZED)
        assert client.get("/health/live").status_code == 200


def test_a_refused_key_never_reaches_the_graph(guarded: Service) -> None:
    before = len(guarded.stubs.chat.received)
    with guarded.client() as client:
        client.post("/api/chat", json=QUESTION, headers={"X-API-Key": ADMIN_KEY})
        client.post("/api/chat", json=QUESTION)
    assert len(guarded.stubs.chat.received) == before


@pytest.mark.parametrize(
    "keys",
    [
        "web=short:chat",
        f"web={CHAT_KEY}",
        f"web={CHAT_KEY}:chat|root",
        f"a={CHAT_KEY}:chat,b={CHAT_KEY}:admin",
        f"web={CHAT_KEY}:",
    ],
)
def test_malformed_keys_stop_the_start_without_showing_them(keys: str) -> None:
    with pytest.raises(SettingsError, match="API_KEYS") as caught:
        create_app(make_settings(api_keys=keys))
    assert CHAT_KEY not in str(caught.value)


def test_a_well_formed_request_id_is_kept(client: httpx.Client) -> None:
    response = client.post("/api/chat", json=QUESTION, headers={"X-Request-ID": "trace.1-A_b"})
    assert response.headers["x-request-id"] == response.json()["request_id"] == "trace.1-A_b"


@pytest.mark.parametrize("given", ["", "a b", "a" * 129, "한글", 'x"y', "<script>"])
def test_another_request_id_is_replaced(client: httpx.Client, given: str) -> None:
    response = client.get("/nope", headers=[(b"X-Request-ID", given.encode())])
    problem = assert_problem(response, ErrorCode.NOT_FOUND)
    assert problem.request_id != given
    assert len(problem.request_id) == 32


def test_configured_origins_may_call(client: httpx.Client) -> None:
    preflight = client.options(
        "/api/chat",
        headers={
            "Origin": ORIGIN,
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "content-type,x-api-key",
        },
    )
    assert preflight.status_code == 200
    assert preflight.headers["access-control-allow-origin"] == ORIGIN
    for message in ("부가세", "버그"):  # errors too, or the page could not read them
        response = client.post("/api/chat", json={"message": message}, headers={"Origin": ORIGIN})
        assert response.headers["access-control-allow-origin"] == ORIGIN
        assert "x-request-id" in response.headers["access-control-expose-headers"].lower()
        assert "access-control-allow-credentials" not in response.headers


def test_other_origins_may_not(client: httpx.Client) -> None:
    response = client.post("/api/chat", json=QUESTION, headers={"Origin": "https://evil.example"})
    assert "access-control-allow-origin" not in response.headers


def test_behind_a_proxy_prefix_the_same_paths_are_open() -> None:
    with running(root_path="/rag", api_keys=f"web={CHAT_KEY}:chat") as service, service.client() as client:
        for prefix in ("", "/rag"):
            assert client.get(f"{prefix}/health/live").status_code == 200
            assert_problem(client.get(f"{prefix}/health"), ErrorCode.UNAUTHORIZED)
