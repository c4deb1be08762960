"""The event stream, byte for byte."""

from __future__ import annotations

from typing import get_args

import httpx
import pytest
from fastapi import sse

from schemas.chat import AnswerMeta
from schemas.events import StreamFrame
from schemas.problems import ErrorCode
from tests.contract.conftest import Service, running
from tests.contract.stub_service import ANSWER
from tests.contract.wire import assert_documented_order, assert_problem, documented_steps, parse_frames

QUESTION = {"message": "부가세 신고 기한은?"}


def test_frames_have_type_increasing_id_and_data(client: httpx.Client) -> None:
    response = client.post("/api/chat/stream", json=QUESTION)
    assert response.status_code == 200
    assert response.headers["content-type"].startswith("text/event-stream")
    assert response.headers["cache-control"] == "no-cache, no-store"
    assert response.headers["x-accel-buffering"] == "no"
    frames = parse_frames(response.text)
    kinds = [frame.event for frame in frames]
    assert kinds[0] == "status"
    assert kinds[-1] == "done"
    assert kinds.index("source") < kinds.index("token")
    assert "".join(frame.data.content for frame in frames if frame.event == "token").strip() == ANSWER


def test_the_schema_describes_every_event() -> None:
    """`parse_frames` holds each stream of the tests against these steps."""
    events = get_args(StreamFrame.model_fields["event"].annotation)
    assert set().union(*documented_steps()) == set(events)
    with pytest.raises(AssertionError):
        assert_documented_order(["status", "token", "source", "done"])
    with pytest.raises(AssertionError):
        assert_documented_order(["status", "source", "token"])


def test_korean_is_not_escaped(client: httpx.Client) -> None:
    body = client.post("/api/chat/stream", json=QUESTION).text
    assert "부가가치세" in body
    assert "\\u" not in body


def test_done_is_the_json_answer_without_its_text(client: httpx.Client) -> None:
    headers = {"X-Request-ID": "same-for-both"}
    answer = client.post("/api/chat", json=QUESTION, headers=headers).json()
    done = parse_frames(client.post("/api/chat/stream", json=QUESTION, headers=headers).text)[-1].data
    assert set(AnswerMeta.model_fields) == set(answer) - {"content"}
    assert done.model_dump(mode="json", exclude={"type"}) == {k: v for k, v in answer.items() if k != "content"}


def test_refusals_come_before_the_stream(client: httpx.Client) -> None:
    assert_problem(client.post("/api/chat/stream", json={"message": ""}), ErrorCode.VALIDATION_FAILED)


def test_a_silent_stream_is_kept_alive(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fastapi.routing._PING_INTERVAL", 0.05)
    assert sse._PING_INTERVAL == 15.0
    with (
        running() as service,
        service.client() as client,
        client.stream("POST", "/api/chat/stream", json={"message": "오래"}) as response,
    ):
        received = ""
        for text in response.iter_text():
            received += text
            if ": ping\n\n" in received:
                break
        assert ": ping\n\n" in received


def test_an_open_stream_does_not_hold_up_the_shutdown() -> None:
    with running() as service, service.client() as client:
        with client.stream("POST", "/api/chat/stream", json={"message": "오래"}) as response:
            next(response.iter_bytes())
            assert service.stubs.chat.started.wait(5)
            service.stop()
        assert service.stubs.chat.stopped.wait(5)
        assert service.stubs.closed.wait(5)


def test_the_stream_is_documented(service: Service) -> None:
    document = service.app.openapi()
    operation = document["paths"]["/api/chat/stream"]["post"]
    example = operation["responses"]["200"]["content"]["text/event-stream"]["example"]
    assert [frame.event for frame in parse_frames(example)][-1] == "done"
    events = {"StatusEvent", "SourceEvent", "TokenEvent", "CheckEvent", "ActionEvent", "ReplaceEvent", "ErrorEvent"}
    assert events | {"DoneEvent", "Problem", "ChatRequest", "ChatResponse"} <= set(document["components"]["schemas"])
