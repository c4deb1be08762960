"""Calls to a vector server from search threads: few at a time, bounded in time for a whole question, behind a breaker.

A server that hangs must take neither the search threads nor the time of the questions (Nygard 2007: bulkhead, timeout and
circuit breaker together).
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import ContextVar
from functools import partial
from typing import TypeVar

from utils.resilience.breaker import BreakerState, CircuitBreaker, CircuitOpen
from utils.resilience.deadline import Deadline, within
from vectorstores.errors import KnowledgeIndexError, VectorServerUnavailable

logger = logging.getLogger(__name__)

Result = TypeVar("Result")

_AT_ONCE = 2  # half of the search threads by default: the others go on while a server hangs
_TURN_SECONDS = 0.25  # that a call waits for one of these; a healthy server answers in a fraction of it
_FAILURES = 2
_RECOVERY = 2.0
_GIVEN_UP = "벡터 저장소 서버가 연속으로 실패해 잠시 부르지 않습니다."


class _TimeSpent:
    """Seconds that the calls of one question have taken so far."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._lock = threading.Lock()

    def add(self, seconds: float) -> None:
        with self._lock:
            self.seconds += seconds


_time_spent: ContextVar[_TimeSpent | None] = ContextVar("vector_time_spent", default=None)


def share_call_time() -> None:
    """Let all calls from here on in this context, and in contexts copied from it, share the time of one call."""
    _time_spent.set(_TimeSpent())


class ServerCalls:
    """The calls of this process to one server; thread-safe. ``timeout`` (seconds) bounds those of one question together."""

    def __init__(self, timeout: float) -> None:
        self._timeout = timeout
        self._breaker = CircuitBreaker("vector server", threshold=_FAILURES, recovery=_RECOVERY)
        self._turns = threading.BoundedSemaphore(_AT_ONCE)
        self._threads = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="vector-server")

    def run(self, call: Callable[[], Result]) -> Result:
        """The result of ``call``, made in a thread of its own.

        A server that was given up is tried again by a call that nobody waits for; only when that succeeds do searches wait
        for the server again.

        Raises:
            VectorServerUnavailable: no answer in time, or the server was given up a moment ago.
            VectorStoreUnavailable: as ``call`` raises it.
        """
        state = self._breaker.state
        if state is BreakerState.CLOSED:
            return self._awaited(call)
        if state is BreakerState.HALF_OPEN:
            self._begin(partial(self._try, call), wait=0)
        raise VectorServerUnavailable(_GIVEN_UP)

    def _awaited(self, call: Callable[[], Result]) -> Result:
        spent = _time_spent.get() or _TimeSpent()
        until = within(self._timeout - spent.seconds)
        began = time.monotonic()
        try:
            with self._breaker.guard(_is_fault):
                future = self._begin(call, wait=min(_TURN_SECONDS, until.at - began))
                return self._result(future, until)
        except CircuitOpen as error:
            raise VectorServerUnavailable(_GIVEN_UP) from error
        finally:
            spent.add(time.monotonic() - began)

    def _begin(self, call: Callable[[], Result], wait: float) -> Future[Result]:
        """Start ``call`` when it has got a turn, which is given back when it has ended, awaited or not."""
        if wait < 0 or not self._turns.acquire(timeout=wait):
            raise _NoTurn("벡터 저장소 서버가 앞선 호출에 아직 답하지 않았습니다.")
        future = self._threads.submit(call)
        future.add_done_callback(lambda _: self._turns.release())
        return future

    def _result(self, future: Future[Result], until: Deadline) -> Result:
        try:
            return future.result(until.remaining())
        except TimeoutError as error:
            if until.of_request:
                raise _NoTurn("요청의 남은 시간이 모자라 벡터 저장소 서버를 기다리지 않습니다.") from error
            raise VectorServerUnavailable(f"벡터 저장소 서버가 {self._timeout:g}초 안에 답하지 않았습니다.") from error

    def _try(self, call: Callable[[], object]) -> None:
        try:
            with self._breaker.guard(_is_fault):
                call()
        except (KnowledgeIndexError, CircuitOpen):
            return
        logger.info("벡터 저장소 서버를 다시 씁니다.")


class _NoTurn(VectorServerUnavailable):
    """The call was not made, or not waited for to its end, which says nothing of the server."""


def _is_fault(error: Exception) -> bool:
    """Return True if the server failed; a missing collection is a fault of that collection alone."""
    return isinstance(error, VectorServerUnavailable) and not isinstance(error, _NoTurn)
