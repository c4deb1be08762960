"""Keys: who gets in, who does not, and whom a guesser cannot keep out."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from html.parser import HTMLParser

import httpx
import pytest

from main import create_app
from routes.open_paths import open_paths
from schemas.problems import ErrorCode
from tests.contract.conftest import ADMIN_KEY, CHAT_KEY, Service, make_settings, running
from tests.contract.wire import assert_problem
from tests.support.routes import operations
from utils.config.settings import Settings, SettingsError, load_settings
from utils.http.access import AccessScope

DOCUMENTS_KEY = "documents-key-0123456789"
KEYS = f"web={CHAT_KEY}:chat,ops={ADMIN_KEY}:admin,docs={DOCUMENTS_KEY}:documents"
KEY_OF = {AccessScope.CHAT: CHAT_KEY, AccessScope.ADMIN: ADMIN_KEY, AccessScope.DOCUMENTS: DOCUMENTS_KEY}
WITHOUT_SCOPE = ("/health", "/metrics", "/api/usage")
OF_CHAT = (
    "/api/chat",
    "/api/assistants",
    "/api/sessions",
    "/api/feedback",
    "/api/calculate",
    "/api/tax-calendar",
    "/api/articles",
    "/api/vectordb/search",
    "/api/vectordb/stats",
    "/api/vectordb/collections",
    "/api/evaluate",
    "/api/actions",
    "/api/funding",
    "/v1/",
)
OF_DOCUMENTS = ("/api/documents",)


@pytest.fixture(scope="module")
def guarded() -> Iterator[Service]:
    with running(api_keys=KEYS, enable_docs=True) as service:
        yield service


@pytest.fixture(autouse=True)
def _no_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guesses are answered at once: what their waiting is for is in ``test_tarpit``."""
    monkeypatch.setattr("utils.middleware.tarpit.HOLD_SECONDS", 0.0)


def _scopes_of(method: str, path: str) -> set[AccessScope]:
    """Return the scopes that open a route; a route not listed in this file is for admins alone."""
    if path in WITHOUT_SCOPE:
        return set(AccessScope)
    if path.startswith("/api/user-data"):
        return {AccessScope.CHAT, AccessScope.ADMIN}
    if method == "GET" and path.startswith("/api/vectordb/documents"):
        return {AccessScope.CHAT}
    if path == "/mcp":  # each tool asks for the scope of its route: tests/contract/test_mcp.py
        return {AccessScope.CHAT, AccessScope.DOCUMENTS}
    if path.startswith(OF_DOCUMENTS):
        return {AccessScope.DOCUMENTS}
    return {AccessScope.CHAT} if path.startswith(OF_CHAT) else {AccessScope.ADMIN}


def test_every_route_opens_for_its_scope_alone(guarded: Service) -> None:
    opened = open_paths(Settings())
    closed = [(method, path) for method, path in operations(guarded.app) if path not in opened]
    assert ("DELETE", "/api/vectordb/documents/x") in closed
    with guarded.client() as client:
        for number, (method, path) in enumerate(closed):
            assert_problem(client.request(method, path), ErrorCode.UNAUTHORIZED)
            wrong = client.request(method, path, headers={"X-API-Key": f"wrong-{number}"})
            assert wrong.status_code in (401, 429), (method, path)
            for scope, key in KEY_OF.items():
                response = client.request(method, path, headers={"X-API-Key": key})
                if scope in _scopes_of(method, path):
                    assert response.status_code not in (401, 403, 429), (method, path, response.text)
                elif not (path.startswith("/api/chat") and response.status_code == 415):  # the type is looked at first
                    assert_problem(response, ErrorCode.FORBIDDEN)


def test_only_these_paths_are_open(guarded: Service) -> None:
    with guarded.client() as client:
        opened = {path for method, path in operations(guarded.app) if client.request(method, path).status_code != 401}
    assert opened == set(open_paths(Settings()))
    assert {path for path in opened if not path.startswith(("/docs", "/page/"))} == {
        "/",
        "/ops",
        "/health/live",
        "/health/ready",
        "/openapi.json",
    }


@pytest.mark.finding("H5")
def test_wrong_keys_do_not_lock_out_a_right_one() -> None:
    with running(api_keys=KEYS) as service, service.client() as client:
        statuses = [client.get("/health", headers={"X-API-Key": f"guess-{n}"}).status_code for n in range(40)]
        assert statuses == [401] * 10 + [429] * 30
        for _ in range(3):
            assert client.get("/health", headers={"X-API-Key": ADMIN_KEY}).status_code == 200
            refused = client.get("/health", headers={"X-API-Key": "guess"})
            assert_problem(refused, ErrorCode.RATE_LIMITED)
            assert 1 <= int(refused.headers["retry-after"]) <= 60


@pytest.mark.finding("H5")
def test_a_guesser_has_one_budget_for_the_addresses_of_a_subscriber() -> None:
    def guesses(client: httpx.Client, addresses: list[str]) -> list[int]:
        return [
            client.get("/health", headers={"X-API-Key": "guess", "X-Forwarded-For": address}).status_code
            for address in addresses
        ]

    with running(api_keys=KEYS, trusted_proxies="127.0.0.1") as service, service.client() as client:
        assert guesses(client, [f"2001:db8:1:2::{n:x}" for n in range(12)]) == [401] * 10 + [429] * 2
        assert guesses(client, ["2001:db8:1:3::1", "192.0.2.1"]) == [401, 401], "others are not concerned"
        assert guesses(client, ["::ffff:192.0.2.7"] * 6 + ["192.0.2.7"] * 5) == [401] * 10 + [429]


def test_the_log_names_neither_keys_nor_guesses(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("DEBUG"), running(api_keys=KEYS) as service, service.client() as client:
        for key in (*KEY_OF.values(), "guess-0123456789abcdef"):
            client.get("/health", headers={"X-API-Key": key})
    assert "wrong API key" in caplog.text
    told = caplog.text + repr([record.__dict__ for record in caplog.records])
    assert [key for key in (*KEY_OF.values(), "guess-0123456789abcdef") if key in told] == []


def test_a_log_is_not_flooded_by_a_guesser(caplog: pytest.LogCaptureFixture) -> None:
    with running(api_keys=KEYS) as service, service.client() as client:
        for _ in range(30):
            client.get("/health", headers={"X-API-Key": "guess"})
    assert caplog.text.count("wrong API key") == 10


def test_only_the_headers_hold_a_key_and_their_first_value_counts(guarded: Service) -> None:
    right, bearer = ("X-API-Key", ADMIN_KEY), ("Authorization", f"Bearer {ADMIN_KEY}")
    with guarded.client() as client:
        for accepted in (
            [bearer],
            [("authorization", f"bearer  {ADMIN_KEY}")],
            [right, ("Authorization", "Bearer wrong")],
        ):
            assert client.get("/health", headers=accepted).status_code == 200
        for refused in ([("X-API-Key", "wrong"), bearer], [("Authorization", "Bearer wrong"), bearer]):
            assert client.get("/health", headers=refused).status_code in (401, 429)
        assert client.get("/health", headers=[right, ("X-API-Key", "wrong")]).status_code == 200
        assert client.get("/health", headers=[("X-API-Key", "wrong"), right]).status_code in (401, 429)
        for headers in (
            {"Authorization": ADMIN_KEY},
            {"Authorization": f"Basic {ADMIN_KEY}"},
            {"Cookie": f"X-API-Key={ADMIN_KEY}"},
            {"API-Key": ADMIN_KEY},
            {"X_API_Key": ADMIN_KEY},
        ):
            assert_problem(client.get("/health", headers=headers), ErrorCode.UNAUTHORIZED)
        for name in ("X-API-Key", "api_key", "key"):
            assert_problem(client.get("/health", params={name: ADMIN_KEY}), ErrorCode.UNAUTHORIZED)


TRICKS = [
    "//health/live",
    "/health//live",
    "/health/live/",
    "/health/live/../../api/vectordb/stats",
    "/health/live/..%2f..%2fapi/vectordb/stats",
    "/health/live%2f..%2f..",
    "/health/live;/api/vectordb/stats",
    "/health/live;x=1",
    "/health/live%00",
    "/health/live%0a",
    "/HEALTH/live",
    "/Docs",
    "/docs/../api/vectordb/stats",
    "/docs/..%2fopenapi.json",
    "/docs/%2e%2e/openapi.json",
    "/docs/swagger-ui.css/../../../main.py",
    "/openapi.json/api/vectordb/stats",
    "/./health/live",
    "/api/vectordb/stats?/health/live",
    "/api/vectordb/stats%3f/health/live",
    "/api/vectordb/stats#/health/live",
    "/rag/health/live",
]


@pytest.mark.parametrize("path", TRICKS)
def test_no_spelling_of_a_path_is_open(guarded: Service, path: str) -> None:
    answer = _exchange(guarded, f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
    assert answer.split()[1] in (b"400", b"401"), answer


def test_a_large_body_is_refused_before_it_is_sent(guarded: Service) -> None:
    for path, key, status in (
        ("/api/vectordb/ingest", "", b"401"),
        ("/api/vectordb/ingest", CHAT_KEY, b"403"),
        ("/api/chat", "", b"401"),
    ):
        head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 60000000\r\nConnection: close\r\n"
        head += "Content-Type: multipart/form-data; boundary=x\r\n" + (f"X-API-Key: {key}\r\n" if key else "")
        assert _exchange(guarded, head.encode() + b"\r\n").split()[1] == status


def _exchange(service: Service, sent: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", service.port), timeout=10) as connection:
        connection.sendall(sent)
        return b"".join(iter(lambda: connection.recv(65536), b""))


@pytest.mark.finding("L15")
@pytest.mark.parametrize("separator", [",", ", ", "\n"])
def test_a_name_given_twice_stops_the_start(monkeypatch: pytest.MonkeyPatch, separator: str) -> None:
    monkeypatch.setenv("API_KEYS", f"web={CHAT_KEY}:chat{separator}web={ADMIN_KEY}:admin")
    with pytest.raises(SettingsError, match=r"API_KEYS: .*web") as raised:
        load_settings()
    assert CHAT_KEY not in str(raised.value)
    assert ADMIN_KEY not in str(raised.value)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "127.0.0.2", "192.0.2.1", "localhost.evil.example", ""])
def test_without_keys_only_loopback_is_listened_on(monkeypatch: pytest.MonkeyPatch, host: str) -> None:
    monkeypatch.setenv("HOST", host)
    if not host:  # counts as not set
        assert load_settings().host == "127.0.0.1"
        return
    with pytest.raises(SettingsError, match=r"HOST .* API_KEYS"):
        load_settings()


class _References(HTMLParser):
    """Collects the addresses that a page loads and the scripts and styles it holds."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.inline: list[str] = []
        self._in = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._in = tag
        self.addresses += [value or "" for name, value in attrs if name in ("src", "href")]
        self.inline += [name for name, _ in attrs if name.startswith("on") or name == "style"]

    def handle_endtag(self, tag: str) -> None:
        self._in = ""

    def handle_data(self, data: str) -> None:
        if self._in in ("script", "style") and data.strip():
            self.inline.append(data)


@pytest.mark.finding("L7")
@pytest.mark.parametrize("prefix", ["", "/rag"])
def test_the_docs_page_takes_everything_from_the_service(prefix: str) -> None:
    with running(api_keys=KEYS, root_path=prefix, enable_docs=True) as service, service.client() as client:
        page = client.get(f"{prefix}/docs")
        references = _References()
        references.feed(page.text)
        assert references.inline == []
        assert len(references.addresses) == 4
        loaded = [client.get(httpx.URL(f"{prefix}/docs").join(address)) for address in references.addresses]
        assert {response.status_code for response in loaded} == {200}
        assert {response.headers["content-type"].partition(";")[0] for response in loaded} == {
            "image/png",
            "text/css",
            "text/javascript",
        }
        policy = dict(part.split(maxsplit=1) for part in page.headers["content-security-policy"].split("; "))
        assert {policy[name] for name in ("script-src", "style-src", "connect-src")} == {"'self'"}
        script = client.get(f"{prefix}/docs/start.js").text
        assert "http" not in script
        assert client.get(httpx.URL(f"{prefix}/docs").join("openapi.json")).json()["info"]["title"] == "Bizi RAG"


def test_the_docs_can_be_closed() -> None:
    with running(enable_docs=False) as service, service.client() as client:
        for path in ("/docs", "/docs/swagger-ui-bundle.js", "/openapi.json"):
            assert_problem(client.get(path), ErrorCode.NOT_FOUND)


@pytest.mark.parametrize("keys", [f"web={CHAT_KEY}:", f"web={CHAT_KEY}: ", f"web={CHAT_KEY[:9]}:chat", "web=:chat"])
def test_keys_that_open_nothing_or_anything_stop_the_start(keys: str) -> None:
    with pytest.raises(SettingsError, match="API_KEYS") as raised:
        create_app(make_settings(api_keys=keys))
    assert CHAT_KEY not in str(raised.value)
