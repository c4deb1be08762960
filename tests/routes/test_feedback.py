"""``POST /api/feedback`` over a real socket: who may say what of which answer, and what is kept of it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import httpx
import pytest

from agents.question_log.journal import read_journal
from agents.question_log.log import QuestionLog
from agents.question_log.records import AnsweredQuestion, GivenFeedback
from agents.serving.cached_chat import CachedChat
from agents.serving.recorded_chat import RecordedChat
from routes.dependencies import Services
from schemas.feedback import MAX_COMMENT
from schemas.problems import ErrorCode
from tests.contract.conftest import ADMIN_KEY, CHAT_KEY, Service, running
from tests.contract.stub_service import StubServices
from tests.contract.wire import assert_problem, parse_frames
from tests.support.folders import read_only
from tests.support.loop_guard import loop_stays_free
from utils.config.settings import Settings
from utils.observability.telemetry import Telemetry

pytestmark = pytest.mark.whole

APP_KEY = "app-key-0123456789"
KEYS = f"web={CHAT_KEY}:chat,app={APP_KEY}:chat,ops={ADMIN_KEY}:admin"
WEB, APP = {"X-API-Key": CHAT_KEY}, {"X-API-Key": APP_KEY}
PATH = "/api/feedback"


class RecordingServices(StubServices):
    """The stub with a real question log."""

    @asynccontextmanager
    async def __call__(self, settings: Settings, telemetry: Telemetry) -> AsyncIterator[Services]:
        log = QuestionLog.from_settings(settings)
        assert log is not None
        async with super().__call__(settings, telemetry) as services, log.running():
            chat = RecordedChat(cast(CachedChat, self.chat), [log])
            yield replace(services, chat=chat, feedback=log)


@pytest.fixture(autouse=True)
def _loop_stays_free() -> Iterator[None]:
    with loop_stays_free():
        yield


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    folder = tmp_path / "var"
    folder.mkdir()
    return folder


@pytest.fixture
def service(data_dir: Path) -> Iterator[Service]:
    with running(RecordingServices(), api_keys=KEYS, data_dir=data_dir) as service:
        yield service


@pytest.fixture
def client(service: Service) -> Iterator[httpx.Client]:
    with service.client() as client:
        yield client


def ask(client: httpx.Client, message: str = "부가세", **headers: str) -> str:
    """The request id of an answer."""
    response = client.post("/api/chat", json={"message": message}, headers=WEB | headers)
    assert response.status_code == 200, response.text
    return str(response.json()["request_id"])


def give(client: httpx.Client, request_id: str, headers: dict[str, str] = WEB, **verdict: Any) -> httpx.Response:
    return client.post(PATH, json={"request_id": request_id, "helpful": False} | verdict, headers=headers)


def verdicts(data_dir: Path) -> list[GivenFeedback]:
    return [line for line in read_journal(data_dir) if isinstance(line, GivenFeedback)]


def test_a_verdict_is_kept_and_told_back(client: httpx.Client, data_dir: Path) -> None:
    request_id = ask(client)
    given: dict[str, Any] = {
        "helpful": False,
        "reason": "outdated",
        "comment": " 작년 세율이에요. 010-1234-5678로 알려 주세요 ",
    }
    response = give(client, request_id, **given)
    assert response.status_code == 200, response.text
    kept = {**given, "request_id": request_id, "comment": "작년 세율이에요. [전화번호]로 알려 주세요"}
    assert response.json() == kept
    [verdict] = verdicts(data_dir)
    assert verdict.as_kept().model_dump(mode="json") == kept


def test_the_answer_of_a_stream_has_a_verdict_too(client: httpx.Client, data_dir: Path) -> None:
    body = client.post("/api/chat/stream", json={"message": "부가세"}, headers=WEB).text
    done = parse_frames(body)[-1].data.model_dump()
    assert give(client, done["request_id"], helpful=True).status_code == 200
    assert [type(line) for line in read_journal(data_dir)] == [AnsweredQuestion, GivenFeedback]


def test_only_the_client_that_asked_may_say(client: httpx.Client, data_dir: Path) -> None:
    request_id = ask(client)
    theirs, unknown = give(client, request_id, APP), give(client, "0" * 32, APP)
    for response in (theirs, unknown):
        assert "request_id" in assert_problem(response, ErrorCode.NOT_FOUND).detail
    assert theirs.json()["detail"] == unknown.json()["detail"], "it does not tell that somebody else has asked"
    assert verdicts(data_dir) == []


def test_an_id_that_another_client_has_used_is_told_apart(client: httpx.Client, data_dir: Path) -> None:
    same = {"X-Request-ID": "same-for-both"}
    ask(client, **same)
    ask(client, **same, **APP)
    assert give(client, "same-for-both", WEB).status_code == 200
    assert give(client, "same-for-both", APP, helpful=True).status_code == 200
    assert [(verdict.helpful) for verdict in verdicts(data_dir)] == [False, True]
    assert len({verdict.client for verdict in verdicts(data_dir)}) == 2


def test_a_failed_question_has_no_verdict(client: httpx.Client) -> None:
    failed = client.post("/api/chat", json={"message": "버그"}, headers=WEB | {"X-Request-ID": "failed"})
    assert failed.status_code == 500
    assert_problem(give(client, "failed"), ErrorCode.NOT_FOUND)


def test_scope_and_origin_are_those_of_a_chat(client: httpx.Client) -> None:
    request_id = ask(client)
    assert_problem(give(client, request_id, {}), ErrorCode.UNAUTHORIZED)
    assert_problem(give(client, request_id, {"X-API-Key": ADMIN_KEY}), ErrorCode.FORBIDDEN)
    assert_problem(give(client, request_id, WEB | {"Origin": "https://evil.example"}), ErrorCode.FORBIDDEN)


def test_verdicts_draw_from_the_rate_limit(data_dir: Path) -> None:
    limits: dict[str, Any] = {"enable_rate_limit": True, "rate_limit_per_minute": 1, "rate_limit_burst": 2}
    with running(RecordingServices(), data_dir=data_dir, **limits) as service, service.client() as client:
        request_id = ask(client)
        assert give(client, request_id).status_code == 200
        assert_problem(give(client, request_id), ErrorCode.RATE_LIMITED)


@pytest.mark.parametrize(
    ("verdict", "path"),
    [
        ({"helpful": "yes"}, "helpful"),
        ({"helpful": 1}, "helpful"),
        ({"helpful": None}, "helpful"),
        ({"reason": "boring"}, "reason"),
        ({"comment": "가" * (MAX_COMMENT + 1)}, "comment"),
        ({"request_id": "a b"}, "request_id"),
        ({"request_id": ""}, "request_id"),
        ({"stars": 5}, "stars"),
    ],
)
def test_a_wrong_verdict_is_told_by_its_field(client: httpx.Client, verdict: dict[str, Any], path: str) -> None:
    response = client.post(PATH, json={"request_id": "r", "helpful": True} | verdict, headers=WEB)
    assert [error.path for error in assert_problem(response, ErrorCode.VALIDATION_FAILED).errors] == [path]


def test_a_verdict_is_json(client: httpx.Client) -> None:
    for content, kind in ((b"helpful=true", "application/x-www-form-urlencoded"), (b"{", "application/json")):
        response = client.post(PATH, content=content, headers=WEB | {"Content-Type": kind})
        code = ErrorCode.UNSUPPORTED_MEDIA_TYPE if kind != "application/json" else ErrorCode.MALFORMED_REQUEST
        assert_problem(response, code)


def test_where_nothing_is_logged_no_verdict_is_taken() -> None:
    with running() as service, service.client() as client:
        problem = assert_problem(give(client, ask(client), {}), ErrorCode.NOT_FOUND)
        assert "받지 않습니다" in problem.detail


def test_on_a_disk_that_cannot_be_written_chats_go_on(client: httpx.Client, data_dir: Path) -> None:
    request_id = ask(client)
    assert give(client, request_id, helpful=True).status_code == 200
    with read_only(data_dir):
        other = ask(client)
        refused = give(client, request_id)
        assert "저장" in assert_problem(refused, ErrorCode.SERVICE_UNAVAILABLE).detail
        assert int(refused.headers["retry-after"]) > 0
    assert_problem(give(client, other), ErrorCode.NOT_FOUND)
    assert give(client, request_id).status_code == 200


def test_many_at_once_leave_whole_lines(service: Service, data_dir: Path) -> None:
    def one_client(number: int) -> list[str]:
        with service.client() as client:
            ids = [ask(client, f"부가세 {number} {turn} " + "가" * 300) for turn in range(10)]
            assert [give(client, request_id, comment="가" * 500).status_code for request_id in ids] == [200] * 10
            return ids

    with ThreadPoolExecutor(8) as clients:
        ids = [request_id for own in clients.map(one_client, range(8)) for request_id in own]
    lines = list(read_journal(data_dir))
    for kind in (AnsweredQuestion, GivenFeedback):
        assert sorted(line.request_id for line in lines if isinstance(line, kind)) == sorted(ids)


def test_the_openapi_document_has_its_examples(service: Service) -> None:
    document = service.app.openapi()
    operation = document["paths"][PATH]["post"]
    assert operation["responses"]["200"]["content"]["application/json"]["example"]["reason"] == "not_answered"
    assert len(document["components"]["schemas"]["FeedbackRequest"]["examples"]) == 2
    assert {"401", "403", "404", "422", "429", "503"} <= set(operation["responses"])
