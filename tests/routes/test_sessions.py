"""``/api/sessions`` over HTTP: whose conversations are shown and removed, and what is said when that is not possible."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from agents.serving.session_chat import SessionChat
from agents.sessions.store import SessionStore
from main import create_app
from routes.dependencies import Services
from schemas.problems import ErrorCode
from tests.contract.stub_service import StubServices
from tests.contract.wire import assert_problem, parse_frames
from tests.support.local_server import LocalServer
from tests.support.session_stores import backend_at, store_of
from tests.support.telling_executor import TellingExecutor
from utils.config.settings import Settings
from utils.observability.telemetry import Telemetry

pytestmark = pytest.mark.whole

KEYS = {name: f"{name}-key-0123456789" for name in ("web", "app")}
UNKNOWN = "없습니다"
OWNERS = [("web", None), ("web", "kim"), ("web", "lee"), ("app", None), ("app", "kim")]


class Service:
    """A service that keeps conversations, behind two API clients."""

    def __init__(self, data_dir: Path, **bounds: float) -> None:
        self.executor = TellingExecutor()
        self.store: SessionStore = store_of(backend_at(str(data_dir)), lambda: datetime.now(UTC), **bounds)
        self._settings = Settings(
            data_dir=data_dir,
            enable_docs=False,
            enable_rate_limit=False,
            api_keys=",".join(f"{k}={v}:chat" for k, v in KEYS.items()),
        )

    @asynccontextmanager
    async def _factory(self, settings: Settings, telemetry: Telemetry) -> AsyncIterator[Services]:
        stubs = StubServices()
        async with stubs(settings, telemetry) as others, self.store.running():
            chat = SessionChat(self.executor.cached(), self.store)
            yield replace(others, chat=chat, sessions=self.store)

    @contextmanager
    def running(self) -> Iterator[httpx.Client]:
        with (
            LocalServer(create_app(self._settings, self._factory), lifespan="on") as server,
            httpx.Client(base_url=server.url, timeout=20) as client,
        ):
            yield client


@pytest.fixture(scope="module")
def _lasting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    with Service(tmp_path_factory.mktemp("sessions")).running() as client:
        yield client


@pytest.fixture
def client(_lasting: httpx.Client) -> Iterator[httpx.Client]:
    """A service in which nothing was said yet."""
    yield _lasting
    for by, user in OWNERS:
        _lasting.delete("/api/sessions", headers=key(by), params={"user_id": user} if user else {})


def key(name: str = "web") -> dict[str, str]:
    return {"X-API-Key": KEYS[name]}


def ask(client: httpx.Client, message: str, session: str = "s", user: str | None = None, by: str = "web") -> Any:
    body: dict[str, Any] = {"message": message, "session_id": session}
    if user is not None:
        body["user_context"] = {"user_id": user}
    response = client.post("/api/chat", json=body, headers=key(by))
    assert response.status_code == 200, response.text
    return response.json()


def test_a_conversation_is_listed_read_and_removed(client: httpx.Client) -> None:
    first = ask(client, "부가세는 언제 내나요?")
    body = {"message": "늦으면요?", "session_id": "s"}
    frames = parse_frames(client.post("/api/chat/stream", json=body, headers=key()).text)
    assert frames[-1].data.session_id == "s"

    (listed,) = client.get("/api/sessions", headers=key()).json()["sessions"]
    assert (listed["session_id"], listed["title"], listed["turns"]) == ("s", "부가세는 언제 내나요?", 2)
    assert listed["created_at"] <= listed["updated_at"] < listed["expires_at"]

    shown = client.get("/api/sessions/s", headers=key()).json()
    assert [turn["question"] for turn in shown["turns"]] == ["부가세는 언제 내나요?", "늦으면요?"]
    assert shown["turns"][0]["answer"] == first["content"]
    assert shown["turns"][0]["request_id"] == first["request_id"]
    assert shown["turns"][0]["sources"] == [
        {"index": 1, "title": "제49조", "source": "법령", "url": "", "effective_date": None}
    ]

    assert client.delete("/api/sessions/s", headers=key()).json() == {"deleted": 1}
    for method in ("GET", "DELETE"):
        assert (
            UNKNOWN
            in assert_problem(client.request(method, "/api/sessions/s", headers=key()), ErrorCode.NOT_FOUND).detail
        )
    assert "0개의 말" in ask(client, "늦으면요?")["content"]


@pytest.mark.parametrize(("by", "user"), OWNERS)
def test_nobody_else_sees_or_removes_a_conversation(client: httpx.Client, by: str, user: str | None) -> None:
    ask(client, "비밀", "s", user, by)
    for other, name in OWNERS:
        if (other, name) == (by, user):
            continue
        who: dict[str, Any] = {"headers": key(other), "params": {"user_id": name} if name else {}}
        unknown = client.get("/api/sessions/never-was", **who)
        for method in ("GET", "DELETE"):
            refused = assert_problem(client.request(method, "/api/sessions/s", **who), ErrorCode.NOT_FOUND)
            assert refused.detail == unknown.json()["detail"], "nobody is told that there is one"
        assert client.get("/api/sessions", **who).json() == {"sessions": [], "next": None}
        assert client.delete("/api/sessions", **who).json() == {"deleted": 0}
        assert "0개의 말" in ask(client, f"{other} {name}", "s", name, other)["content"]
        client.delete("/api/sessions/s", **who)
    own: dict[str, Any] = {"headers": key(by), "params": {"user_id": user} if user else {}}
    assert client.get("/api/sessions/s", **own).json()["turns"][0]["question"] == "비밀"


def test_all_of_a_user_go_at_once(client: httpx.Client) -> None:
    for session in ("a", "b", "c"):
        ask(client, "질문", session, "kim")
        ask(client, "질문", session, "lee")
    assert client.delete("/api/sessions", headers=key(), params={"user_id": "kim"}).json() == {"deleted": 3}
    left = [client.get("/api/sessions", headers=key(), params={"user_id": user}).json() for user in ("kim", "lee")]
    assert [len(listed["sessions"]) for listed in left] == [0, 3]


def test_a_long_list_comes_in_pages(client: httpx.Client) -> None:
    for session in "abcde":
        ask(client, session, session)
    seen, params = [], {"limit": "2"}
    while True:
        page = client.get("/api/sessions", headers=key(), params=params).json()
        seen.append("".join(listed["session_id"] for listed in page["sessions"]))
        if page["next"] is None:
            break
        params["before"] = page["next"]
    assert seen == ["ed", "cb", "a"]


@pytest.mark.parametrize(
    ("path", "field"),
    [
        ("/api/sessions?limit=0", "limit"),
        ("/api/sessions?limit=51", "limit"),
        ("/api/sessions?before=x", "before"),
        ("/api/sessions?before=' OR 1=1 --", "before"),
        (f"/api/sessions?user_id={'x' * 201}", "user_id"),
        (f"/api/sessions/{'x' * 129}", "session_id"),
        ("/api/sessions/a b", "session_id"),
        ("/api/sessions/a%27%20OR%20%271%27=%271", "session_id"),
    ],
)
def test_what_makes_no_sense_is_told_by_its_field(client: httpx.Client, path: str, field: str) -> None:
    problem = assert_problem(client.get(path, headers=key()), ErrorCode.VALIDATION_FAILED)
    assert [error.path for error in problem.errors] == [field]


def test_conversations_survive_a_restart(tmp_path: Path) -> None:
    with Service(tmp_path).running() as client:
        ask(client, "처음")
    with Service(tmp_path).running() as client:
        assert "2개의 말" in ask(client, "다음")["content"]
        assert len(client.get("/api/sessions/s", headers=key()).json()["turns"]) == 2


def test_a_session_that_is_being_answered_in_is_told_to_be_busy(tmp_path: Path) -> None:
    service = Service(tmp_path, wait=0.2)
    with service.running() as client:
        ask(client, "처음")
        service.executor.gate.clear()
        with client.stream(
            "POST", "/api/chat/stream", json={"message": "긴 질문", "session_id": "s"}, headers=key()
        ) as slow:
            lines = slow.iter_lines()  # held, for a stream that nobody reads is closed
            next(lines)
            waiting = client.post("/api/chat/stream", json={"message": "또", "session_id": "s"}, headers=key())
            (refused,) = parse_frames(waiting.text)
            assert (refused.event, refused.data.problem.code) == ("error", ErrorCode.CONFLICT)
            for response in (
                client.post("/api/chat", json={"message": "또", "session_id": "s"}, headers=key()),
                client.delete("/api/sessions/s", headers=key()),
            ):
                assert_problem(response, ErrorCode.CONFLICT)
                assert int(response.headers["retry-after"]) > 0
            assert len(client.get("/api/sessions/s", headers=key()).json()["turns"]) == 1, "reading does not wait"


def test_a_store_that_is_away_is_a_problem_for_who_wants_to_look_into_it(tmp_path: Path) -> None:
    service = Service(tmp_path, seconds=0.4)
    with service.running() as client:
        ask(client, "처음")
        with sqlite3.connect(tmp_path / "sessions" / "conversations.db", isolation_level=None) as other:
            other.execute("BEGIN EXCLUSIVE")
            response = client.delete("/api/sessions/s", headers=key())
            assert_problem(response, ErrorCode.SERVICE_UNAVAILABLE)
            assert int(response.headers["retry-after"]) > 0
            answer = ask(client, "다음")
            assert [lack["component"] for lack in answer["degraded"]] == ["sessions"]


def test_where_no_conversations_are_kept_that_is_said(tmp_path: Path) -> None:
    with (
        LocalServer(
            create_app(Settings(data_dir=tmp_path, enable_docs=False), StubServices()), lifespan="on"
        ) as server,
        httpx.Client(base_url=server.url) as client,
    ):
        for method, path in (("GET", "/api/sessions"), ("GET", "/api/sessions/s"), ("DELETE", "/api/sessions")):
            problem = assert_problem(client.request(method, path), ErrorCode.NOT_FOUND)
            assert "저장하지 않습니다" in problem.detail
