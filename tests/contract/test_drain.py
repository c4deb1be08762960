"""Stopping of the service while it still answers."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from schemas.problems import ErrorCode
from tests.contract.conftest import Service, running
from tests.contract.stub_service import StubServices
from tests.contract.wire import assert_problem, parse_frames
from utils.server.uvicorn_server import Runtime

SLOW = {"message": "오래 걸리는 질문"}


def stopped_while(ask: Callable[[httpx.Client], httpx.Response]) -> tuple[httpx.Response, Service]:
    """The response to a request that is still under way when the service has to stop."""
    service = Service(StubServices())
    service.start()

    def response() -> httpx.Response:
        with service.client() as client:
            return ask(client)

    with ThreadPoolExecutor(1) as threads:
        asked = threads.submit(response)
        assert service.stubs.chat.started.wait(10)
        stopping = threading.Thread(target=service.stop)
        stopping.start()
        answer = asked.result(15)
        stopping.join(15)
    assert service.stubs.closed.is_set()
    return answer, service


@pytest.mark.finding("L12")
def test_an_answer_that_does_not_finish_in_time_is_a_problem() -> None:
    response, service = stopped_while(lambda client: client.post("/api/chat", json=SLOW))
    assert_problem(response, ErrorCode.SERVICE_UNAVAILABLE)
    assert int(response.headers["retry-after"]) >= 1
    assert service.stubs.chat.stopped.is_set(), "the work goes on"


@pytest.mark.finding("L12")
def test_a_stream_that_does_not_finish_in_time_ends_with_an_error_event() -> None:
    response, service = stopped_while(lambda client: client.post("/api/chat/stream", json=SLOW))
    frames = parse_frames(response.text)
    assert [frame.event for frame in frames] == ["status", "error"]
    assert frames[-1].data.problem.code is ErrorCode.SERVICE_UNAVAILABLE
    assert service.stubs.chat.stopped.is_set()


def test_what_finishes_in_time_is_finished_and_nobody_else_let_in() -> None:
    service = Service(StubServices())
    service.start()
    with service.client() as client:
        assert client.post("/api/chat", json={"message": "부가세"}).status_code == 200
    service.stop()
    assert service.stubs.closed.is_set()
    with pytest.raises(httpx.ConnectError), service.client() as client:
        client.get("/health/live")


def test_who_asks_while_it_stops_is_answered_and_told_to_connect_anew() -> None:
    runtime = Runtime()
    with running(runtime=runtime) as service, service.client() as client:
        assert "connection" not in client.get("/health/ready").headers
        runtime.drain.begin()
        answer = client.post("/api/chat", json={"message": "부가세"})
        assert answer.status_code == 200
        assert answer.headers["connection"] == "close"
        refused = client.get("/health/ready")
        assert_problem(refused, ErrorCode.SERVICE_UNAVAILABLE)
        assert int(refused.headers["retry-after"]) >= 1
        assert client.get("/health/live").status_code == 200
