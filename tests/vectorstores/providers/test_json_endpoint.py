"""Calls of a provider within a request: its deadline is obeyed, a silent server is waited for once, and nobody waits for a probe."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from tests.support.crowd import wait_until
from tests.support.scripted_openai import Fail, Hang, ScriptedOpenAI
from utils.resilience.breaker import BreakerState
from utils.resilience.deadline import request_time
from vectorstores.errors import ProviderUnavailable
from vectorstores.providers.json_endpoint import CallNotMade, CallPurpose, JsonEndpoint


@pytest.fixture
def server() -> Iterator[ScriptedOpenAI]:
    with ScriptedOpenAI() as running:
        yield running


def endpoint(seconds: float) -> JsonEndpoint:
    return JsonEndpoint("RERANK_URL", seconds)


def ask(server: ScriptedOpenAI, asked: JsonEndpoint) -> object:
    return asked.call("POST", f"{server.base_url}/embeddings", {"model": "m", "input": ["글"]})


def test_a_call_takes_no_longer_than_the_request_and_then_says_nothing_of_the_server(server: ScriptedOpenAI) -> None:
    server.script["embeddings"] = Hang()
    asked = endpoint(60)
    for _ in range(5):
        began = time.monotonic()
        with request_time(0.2), pytest.raises(CallNotMade):
            ask(server, asked)
        assert time.monotonic() - began < 30
    assert asked.breaker_state is BreakerState.CLOSED, "a request in a hurry does not give a server up for everybody"
    with request_time(0.0), pytest.raises(CallNotMade):
        ask(server, asked)
    assert server.count("embeddings") == 5, "without time left nothing is sent"


def test_a_request_waits_for_a_server_that_hangs_once(server: ScriptedOpenAI) -> None:
    server.script["embeddings"] = Hang()
    asked = endpoint(0.2)
    with request_time(30):
        with pytest.raises(ProviderUnavailable, match=r"0\.2초"):
            ask(server, asked)
        with pytest.raises(CallNotMade):
            ask(server, asked)
    assert server.count("embeddings") == 1
    with request_time(30), pytest.raises(ProviderUnavailable, match=r"0\.2초"):
        ask(server, asked)


def test_nobody_waits_for_the_call_that_finds_out_whether_a_server_is_back(server: ScriptedOpenAI) -> None:
    asked = endpoint(30)
    server.script["embeddings"] = Fail(500)
    for _ in range(3):
        with pytest.raises(ProviderUnavailable):
            ask(server, asked)
    asked._breaker._recovery = 0.0
    server.script["embeddings"] = Hang()
    calls = server.count("embeddings")
    for _ in range(3):
        with pytest.raises(CallNotMade):
            ask(server, asked)
    wait_until(lambda: server.count("embeddings") == calls + 1, "it is asked in the background", 10)
    assert asked.breaker_state is BreakerState.HALF_OPEN


def test_a_server_that_is_back_is_used_again_after_a_call_that_nobody_waited_for(server: ScriptedOpenAI) -> None:
    asked = endpoint(30)
    seen: list[tuple[CallPurpose, bool]] = []
    asked.observe = lambda purpose, succeeded, _: seen.append((purpose, succeeded))
    server.script["embeddings"] = Fail(500)
    for _ in range(3):
        with pytest.raises(ProviderUnavailable):
            ask(server, asked)
    asked._breaker._recovery = 0.0
    del server.script["embeddings"]
    with pytest.raises(CallNotMade):
        ask(server, asked)
    wait_until(lambda: asked.breaker_state is BreakerState.CLOSED, "it is found", 10)
    assert ask(server, asked)
    assert seen == [*[(CallPurpose.ANSWER, False)] * 3, (CallPurpose.PROBE, True), (CallPurpose.ANSWER, True)]
