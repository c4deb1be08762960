"""Calls to a server that hangs: how many threads it may hold, how long a question waits, and how it is found again."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context

import pytest

from vectorstores.backends import server_calls
from vectorstores.backends.server_calls import ServerCalls, share_call_time
from vectorstores.errors import VectorServerUnavailable, VectorStoreUnavailable

pytestmark = pytest.mark.finding("H8")


class Server:
    """Answers 1, hangs while told to, and counts who waits in it."""

    def __init__(self) -> None:
        self.well = threading.Event()
        self.well.set()
        self.called = 0
        self.inside = 0
        self.most_inside = 0
        self._lock = threading.Lock()

    def __call__(self) -> int:
        with self._lock:
            self.called += 1
            self.inside += 1
            self.most_inside = max(self.most_inside, self.inside)
        try:
            if not self.well.wait(20):
                raise VectorServerUnavailable("no answer")
        finally:
            with self._lock:
                self.inside -= 1
        return 1


def refused(calls: ServerCalls, server: Callable[[], int]) -> bool:
    try:
        calls.run(server)
    except VectorServerUnavailable:
        return True
    return False


def given_up(timeout: float = 0.05) -> tuple[ServerCalls, Server]:
    """A server that hung until it was given up, and hangs still."""
    calls, server = ServerCalls(timeout), Server()
    server.well.clear()
    assert all(refused(calls, server) for _ in range(4))
    return calls, server


def until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_an_answer_is_handed_through_and_so_is_a_failure_of_one_collection() -> None:
    def missing() -> int:
        raise VectorStoreUnavailable("no such collection")

    calls, server = ServerCalls(5), Server()
    for _ in range(5):
        with pytest.raises(VectorStoreUnavailable, match="collection"):
            calls.run(missing)
    assert calls.run(server) == 1, "that says nothing of the server"


def test_a_server_that_hangs_is_left_alone_and_holds_no_more_than_half_of_the_searches() -> None:
    calls, server = ServerCalls(1.0), Server()
    server.well.clear()
    with ThreadPoolExecutor(16) as searches:
        assert all(searches.map(lambda _: refused(calls, server), range(16)))
    assert server.most_inside == 2
    called = server.called
    assert refused(calls, server)
    assert server.called == called, "nobody asks while it is given up"
    server.well.set()


def test_it_is_tried_again_by_a_call_that_nobody_waits_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_calls, "_RECOVERY", 0.0)
    calls, server = given_up()
    server.well.set()
    until(lambda: server.inside == 0)
    server.well.clear()
    called = server.called
    assert refused(calls, server), "the search goes on without"
    until(lambda: server.called > called)
    server.well.set()
    until(lambda: not refused(calls, server))
    assert calls.run(server) == 1


def test_the_calls_of_one_question_share_its_time() -> None:
    def slow() -> int:
        time.sleep(0.15)
        return 1

    def question() -> int:
        share_call_time()
        done = 0
        for _ in range(20):
            try:
                done += calls.run(slow)
            except VectorServerUnavailable:
                continue
        return done

    calls = ServerCalls(0.5)
    answered = copy_context().run(question)
    assert answered < 5, "and not each of twenty calls"
