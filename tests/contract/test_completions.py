"""``/v1``: OpenAI's interface over the wire."""

from __future__ import annotations

import json
import socket
from typing import Any, cast

import httpx
import openai
import pytest

from routes.completions import event_stream
from schemas.problems import ErrorCode
from tests.contract.conftest import ADMIN_KEY, CHAT_KEY, Service, running
from tests.contract.stub_service import ANSWER, SOURCE
from tests.contract.wire import assert_problem

PATH = "/v1/chat/completions"
SOURCES = f"\n\n출처\n- [1] {SOURCE.title} — {SOURCE.source}"


def asking(message: str = "부가세 신고 기한은?", **more: Any) -> dict[str, Any]:
    return {"model": "bizi", "messages": [{"role": "user", "content": message}], **more}


def client_of(service: Service, key: str = "unused") -> openai.OpenAI:
    return openai.OpenAI(base_url=f"{service.url}/v1", api_key=key, max_retries=0, timeout=10)


def test_the_stream_holds_the_answer_and_ends_with_done(client: httpx.Client) -> None:
    whole = client.post(PATH, json=asking()).json()
    response = client.post(PATH, json=asking(stream=True, stream_options={"include_usage": True}))
    assert response.headers["content-type"].startswith("text/event-stream")
    assert response.headers["cache-control"] == "no-cache, no-store"
    assert response.headers["x-accel-buffering"] == "no"
    assert response.text.endswith("data: [DONE]\n\n")
    told = [json.loads(line.removeprefix("data: ")) for line in response.text.split("\n\n")[:-2]]
    text = "".join(chunk["choices"][0]["delta"].get("content", "") for chunk in told if chunk["choices"])
    assert text.replace(". \n", ".\n") == whole["choices"][0]["message"]["content"] == ANSWER + SOURCES
    assert told[-2]["choices"][0]["delta"]["annotations"] == whole["choices"][0]["message"]["annotations"]
    assert told[-1]["usage"] == whole["usage"]
    assert len({chunk["id"] for chunk in told}) == 1


def test_only_what_is_known_of_an_assistant_is_listed(service: Service, client: httpx.Client) -> None:
    with client_of(service) as own:
        (model,) = own.models.list().data
        assert own.models.retrieve("bizi") == model
        assert (model.id, model.object) == ("bizi", "model")
        with pytest.raises(openai.NotFoundError):
            own.models.retrieve("gpt-4o")
    assert_problem(client.post(PATH, json=asking() | {"model": "gpt-4o"}), ErrorCode.NOT_FOUND)


@pytest.mark.parametrize(
    ("message", "raised", "code"),
    [
        ("버그", openai.InternalServerError, "internal_error"),
        ("시간", openai.InternalServerError, "timeout"),
        ("중단", openai.InternalServerError, "service_unavailable"),
        ("가" * 2_001, openai.UnprocessableEntityError, "validation_failed"),
    ],
)
def test_failures_are_the_clients_own_errors(
    service: Service, message: str, raised: type[openai.APIStatusError], code: str
) -> None:
    with client_of(service) as own, pytest.raises(raised) as failure:
        own.chat.completions.create(**asking(message))
    assert failure.value.code == code
    assert failure.value.request_id == cast("dict[str, str]", failure.value.body)["request_id"]


@pytest.mark.parametrize("message", ["버그", "도중"])
def test_a_failure_in_a_stream_is_raised_by_the_client(service: Service, message: str) -> None:
    with client_of(service) as own, pytest.raises(openai.APIError) as failure:
        for _ in own.chat.completions.create(**asking(message), stream=True):
            pass
    assert failure.value.code == "internal_error"
    assert "secret" not in str(failure.value)


def test_every_fault_is_named_once(client: httpx.Client) -> None:
    response = client.post(PATH, json=asking(tools=[{"type": "function"}], top_k=3))
    problem = assert_problem(response, ErrorCode.VALIDATION_FAILED)
    assert problem.detail == "입력값 오류: tools: 지원하지 않는 기능입니다.; top_k: 알 수 없는 항목입니다."
    assert response.json()["error"]["param"] == "tools"


def test_paths_that_are_not_there_are_refused_in_the_same_shape(client: httpx.Client) -> None:
    assert_problem(client.post("/v1/embeddings", json={}), ErrorCode.NOT_FOUND)
    assert_problem(client.post(PATH, content=b"{"), ErrorCode.UNSUPPORTED_MEDIA_TYPE)
    json_type = {"content-type": "application/json"}
    assert_problem(client.post(PATH, content=b"{", headers=json_type), ErrorCode.MALFORMED_REQUEST)
    with running(root_path="/rag") as prefixed, prefixed.client() as own:
        assert set(own.get("/rag/v1/models/x").json()) == {"error"}


def test_keys_are_those_of_the_service(guarded: Service) -> None:
    with client_of(guarded, CHAT_KEY) as own:
        assert own.chat.completions.create(**asking()).choices[0].message.content == ANSWER + SOURCES
    with client_of(guarded, ADMIN_KEY) as own, pytest.raises(openai.PermissionDeniedError):
        own.models.list()
    with client_of(guarded, "wrong") as own, pytest.raises(openai.AuthenticationError):
        own.models.list()


def test_a_page_of_an_allowed_origin_may_send_its_key_as_openai_does() -> None:
    with running(cors_origins="https://app.example") as service, service.client() as client:
        headers = {
            "Origin": "https://app.example",
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "authorization,content-type",
        }
        response = client.options(PATH, headers=headers)
    assert response.status_code == 200
    assert "authorization" in response.headers["access-control-allow-headers"].lower()


@pytest.mark.parametrize("stream", [False, True])
def test_leaving_stops_the_work(stream: bool) -> None:
    with running() as service:
        executor = service.stubs.chat
        body = json.dumps(asking("오래 걸리는 질문", stream=stream)).encode()
        head = f"POST {PATH} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        with socket.create_connection(("127.0.0.1", service.port)) as connection:
            connection.sendall(head.encode() + body)
            assert executor.started.wait(5), "the run did not begin"
            assert not executor.stopped.is_set()
        assert executor.stopped.wait(2), "the run went on after the client had left"


def test_a_silent_stream_is_kept_alive(monkeypatch: pytest.MonkeyPatch) -> None:
    assert event_stream.KEEP_ALIVE_SECONDS == 15.0
    monkeypatch.setattr(event_stream, "KEEP_ALIVE_SECONDS", 0.05)
    with running() as service, service.client() as client:
        with client.stream("POST", PATH, json=asking("오래", stream=True)) as response:
            received = ""
            for text in response.iter_text():
                received += text
                if ": ping\n\n" in received:
                    break
        assert ": ping\n\n" in received


def test_an_open_stream_does_not_hold_up_the_shutdown() -> None:
    with running() as service, service.client() as client:
        with client.stream("POST", PATH, json=asking("오래", stream=True)) as response:
            next(response.iter_bytes())
            assert service.stubs.chat.started.wait(5)
            service.stop()
        assert service.stubs.chat.stopped.wait(5)
        assert service.stubs.closed.wait(5)
