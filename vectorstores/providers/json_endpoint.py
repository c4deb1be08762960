"""A JSON service over HTTP, called from worker threads: bounded in time, retried once, behind a circuit breaker.

The retry of a call is here and nowhere else. A question waits for a service that hangs once (`utils.resilience.deadline`), and
never for the call that finds out whether a service that was given up works again: that is made in the background.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from pydantic import SecretStr

from utils.http.retry_after import parse_retry_after
from utils.resilience.breaker import BreakerState, CircuitBreaker, CircuitOpen
from utils.resilience.deadline import Deadline, is_silent, note_silent, within
from vectorstores.errors import ProviderUnavailable

if TYPE_CHECKING:
    import httpx

_OVERLOADED = frozenset({429, 502, 503, 504})
_PAUSE = 0.25  # seconds before the second try when the server names none


class CallPurpose(StrEnum):
    """Why a provider is called. A closed set: it labels metrics."""

    ANSWER = "answer"  # also of an ingest: somebody waits for it
    START = "start"
    KEEP_WARM = "keep_warm"
    PROBE = "probe"


_purpose: ContextVar[CallPurpose] = ContextVar("purpose of provider calls", default=CallPurpose.ANSWER)

Observe = Callable[[CallPurpose, bool, float], None]
"""Told of each call: its purpose, whether it succeeded, and its seconds."""


@contextmanager
def calling_for(purpose: CallPurpose) -> Iterator[None]:
    """Give the calls made in the block their purpose."""
    token = _purpose.set(purpose)
    try:
        yield
    finally:
        _purpose.reset(token)


_call_key: ContextVar[SecretStr | None] = ContextVar("key of provider calls", default=None)


@contextmanager
def calling_with(key: SecretStr | None) -> Iterator[None]:
    """Make the calls in the block with this key; None: with that of the service."""
    token = _call_key.set(key)
    try:
        yield
    finally:
        _call_key.reset(token)


class RequestRefused(ProviderUnavailable):
    """The service is there but does not take this request; ``status`` is the HTTP status."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


class CallNotMade(ProviderUnavailable):
    """The call was not made, or given up for want of the request's time, which says nothing of the service."""


class _Overloaded(Exception):
    def __init__(self, message: str, pause: float) -> None:
        super().__init__(message)
        self.pause = pause


class JsonEndpoint:
    """``setting`` is named in every error. ``timeout`` (seconds) bounds one call with its retry and its whole body.

    While it is ``starting`` no question is sent to it; `observe` is told of every call that is made.
    """

    def __init__(self, setting: str, timeout: float, key: SecretStr | None = None) -> None:
        import httpx  # not at the top: a service that computes its vectors itself calls nobody

        self._setting = setting
        self._timeout = timeout
        self._client = httpx.Client()
        self.use_key(key)
        self._breaker = CircuitBreaker(setting, threshold=3)
        self._in_background = threading.Lock()  # held by the call that finds out whether the service works again
        self.starting = False
        self.observe: Observe = lambda purpose, succeeded, seconds: None
        self.served = time.monotonic()
        """When a call succeeded last, or this was made."""

    @property
    def breaker_state(self) -> BreakerState:
        return self._breaker.state

    def use_key(self, key: SecretStr | None) -> None:
        """Send this key from the next request on."""
        self._headers = {} if key is None else {"Authorization": f"Bearer {key.get_secret_value()}"}

    @property
    def headers(self) -> dict[str, str]:
        """The headers of the next request: with the key of `calling_with`, where there is one."""
        key = _call_key.get()
        return self._headers if key is None else {"Authorization": f"Bearer {key.get_secret_value()}"}

    @property
    def is_cold(self) -> bool:
        """False: there is always somebody who answers, or nobody."""
        return False

    def call(self, method: str, url: str, payload: Mapping[str, Any] | None = None) -> Any:
        """Return the JSON value of the answer.

        Raises:
            RequestRefused: a 4xx answer, but for 429.
            ProviderUnavailable: no usable answer in time, or the service was given up.
        """
        return self.attempt(lambda: self.ask(method, url, payload, within(self._timeout)))

    def attempt(self, work: Callable[[], Any]) -> Any:
        """Return what ``work`` gives: requests that succeed or fail together, for the breaker. Raises as `call`."""
        if _purpose.get() is CallPurpose.ANSWER:
            self._require_prompt(work)
        try:
            with self._breaker.guard(_is_fault):
                return self.counted(work)
        except CircuitOpen as error:
            raise CallNotMade(f"{self._setting}: 연속으로 실패해 잠시 부르지 않습니다") from error

    def counted(self, work: Callable[[], Any]) -> Any:
        """Return what ``work`` gives and tell of it, whatever the breaker says."""
        began, succeeded = time.monotonic(), False
        try:
            result = work()
            succeeded = True
            self.served = time.monotonic()
            return result
        finally:
            self.observe(_purpose.get(), succeeded, time.monotonic() - began)

    def unavailable(self, what: str) -> ProviderUnavailable:
        """The error that names the setting."""
        return ProviderUnavailable(f"{self._setting}: {what}")

    def out_of_time(self, deadline: Deadline, what: str) -> ProviderUnavailable:
        """The error of a call that ``deadline`` ended; a request that waited for the service in vain waits for it no more."""
        if deadline.of_request:
            return CallNotMade(f"{self._setting}: 요청의 남은 시간이 모자랍니다")
        note_silent(self._setting)
        return self.unavailable(what)

    def ask(self, method: str, url: str, payload: Mapping[str, Any] | None, deadline: Deadline) -> Any:
        """Return the JSON value of one answer, whatever the breaker says. Raises as `call`."""
        try:
            return self._call_once(method, url, payload, deadline)
        except _Overloaded as error:
            if error.pause >= deadline.remaining():
                raise self.unavailable(str(error)) from error
            time.sleep(error.pause)
        try:
            return self._call_once(method, url, payload, deadline)
        except _Overloaded as error:
            raise self.unavailable(str(error)) from error

    def _require_prompt(self, work: Callable[[], Any]) -> None:
        """Raise `CallNotMade` where an answer would wait for a service that may not work."""
        if self.starting:
            raise CallNotMade(f"{self._setting}: 켜지기를 기다리고 있습니다")
        if is_silent(self._setting):
            raise CallNotMade(f"{self._setting}: 이 요청은 이미 기다렸습니다")
        if self._breaker.state is BreakerState.HALF_OPEN:
            if self._in_background.acquire(blocking=False):
                threading.Thread(target=self._try, args=(work,), name="provider probe", daemon=True).start()
            raise CallNotMade(f"{self._setting}: 다시 되는지 알아보고 있습니다")

    def _try(self, work: Callable[[], Any]) -> None:
        try:
            with calling_for(CallPurpose.PROBE), suppress(ProviderUnavailable):
                self.attempt(work)
        finally:
            self._in_background.release()

    def _call_once(self, method: str, url: str, payload: Mapping[str, Any] | None, deadline: Deadline) -> Any:
        import httpx

        try:
            deadline.check()
            timeout = deadline.remaining()
            with self._client.stream(method, url, json=payload, headers=self.headers, timeout=timeout) as response:
                self._check_status(response)
                body = bytearray()
                for part in response.iter_bytes():  # the client's timeout is for each part, ours for all
                    deadline.check()
                    body += part
        except httpx.ConnectError as error:
            raise _Overloaded("서버에 연결할 수 없습니다", _PAUSE) from error
        except (httpx.TimeoutException, TimeoutError) as error:
            raise self.out_of_time(deadline, f"{self._timeout:g}초 안에 답하지 않았습니다") from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise self.unavailable(f"서버와 통신할 수 없습니다 ({type(error).__name__})") from error
        try:
            return json.loads(body)
        except ValueError as error:
            raise self.unavailable("서버가 JSON이 아닌 답을 보냈습니다") from error

    def _check_status(self, response: httpx.Response) -> None:
        status = response.status_code
        message = f"서버가 HTTP {status}로 답했습니다"
        if status in _OVERLOADED:
            pause = parse_retry_after(response.headers.get("retry-after"))
            raise _Overloaded(message, _PAUSE if pause is None else pause)
        if 400 <= status < 500:
            raise RequestRefused(f"{self._setting}: {message}", status)
        if status != 200:
            raise self.unavailable(message)


def _is_fault(error: Exception) -> bool:
    return isinstance(error, ProviderUnavailable) and not isinstance(error, RequestRefused | CallNotMade)
