"""A JSON service over HTTP, called from worker threads: bounded in time, retried once, behind a circuit breaker."""

from __future__ import annotations

import json
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Protocol

import httpx
from pydantic import SecretStr

from utils.config.settings import Settings
from utils.http.retry_after import parse_retry_after
from utils.resilience.breaker import BreakerState, CircuitBreaker, CircuitOpen
from utils.resilience.deadline import Deadline
from vectorstores.errors import ProviderUnavailable

_OVERLOADED = frozenset({429, 502, 503, 504})
_PAUSE = 0.25  # seconds before the second try when the server names none


class _Endpoint(Protocol):
    @property
    def breaker_state(self) -> BreakerState: ...

    def use_key(self, key: SecretStr | None) -> None: ...


class RemoteProvider(ABC):
    """Base of embedders and rerankers that are servers, called through ``_endpoint``.

    ``key_setting`` names the setting that their key comes from; empty: they have none.
    """

    _endpoint: _Endpoint
    key_setting = ""

    def use_secrets(self, settings: Settings) -> None:
        """Call the server with the key of ``settings`` from now on."""
        if self.key_setting:
            self._endpoint.use_key(getattr(settings, self.key_setting))

    @property
    def breaker_state(self) -> BreakerState:
        """The state of the breaker: calls pass (closed), are refused (open), or one probe passes (half open)."""
        return self._endpoint.breaker_state

    def try_again(self) -> None:
        """Call the server; ``breaker_state`` tells whether that went well."""
        with suppress(ProviderUnavailable):
            self._probe()

    @abstractmethod
    def _probe(self) -> object:
        """Send the least request that shows whether the server works; raises `ProviderUnavailable`."""


class RequestRefused(ProviderUnavailable):
    """The service is there but does not take this request; ``status`` is the HTTP status."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


class _Overloaded(Exception):
    def __init__(self, message: str, pause: float) -> None:
        super().__init__(message)
        self.pause = pause


class JsonEndpoint:
    """``setting`` is named in every error. ``timeout`` (seconds) bounds one call with its retry and its whole body."""

    def __init__(self, setting: str, timeout: float, key: SecretStr | None = None) -> None:
        self._setting = setting
        self._timeout = timeout
        self._client = httpx.Client()
        self.use_key(key)
        self._breaker = CircuitBreaker(setting, threshold=3)

    @property
    def breaker_state(self) -> BreakerState:
        return self._breaker.state

    def use_key(self, key: SecretStr | None) -> None:
        """Send this key from the next request on."""
        self._headers = {} if key is None else {"Authorization": f"Bearer {key.get_secret_value()}"}

    def call(self, method: str, url: str, payload: Mapping[str, Any] | None = None) -> Any:
        """Return the JSON value of the answer.

        Raises:
            RequestRefused: a 4xx answer, but for 429.
            ProviderUnavailable: no usable answer in time, or the service was given up.
        """
        return self.attempt(lambda: self.ask(method, url, payload, Deadline.after(self._timeout)))

    def attempt(self, work: Callable[[], Any]) -> Any:
        """Return what ``work`` gives: requests that succeed or fail together, for the breaker. Raises as `call`."""
        try:
            with self._breaker.guard(_is_fault):
                return work()
        except CircuitOpen as error:
            raise self.unavailable(f"연속으로 실패해 {error.retry_after:.0f}초 동안 부르지 않습니다") from error

    def unavailable(self, what: str) -> ProviderUnavailable:
        """The error that names the setting."""
        return ProviderUnavailable(f"{self._setting}: {what}")

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

    def _call_once(self, method: str, url: str, payload: Mapping[str, Any] | None, deadline: Deadline) -> Any:
        try:
            timeout = deadline.remaining()
            with self._client.stream(method, url, json=payload, headers=self._headers, timeout=timeout) as response:
                self._check_status(response)
                body = bytearray()
                for part in response.iter_bytes():  # the client's timeout is for each part, ours for all
                    deadline.check()
                    body += part
        except httpx.ConnectError as error:
            raise _Overloaded("서버에 연결할 수 없습니다", _PAUSE) from error
        except (httpx.TimeoutException, TimeoutError) as error:
            raise self.unavailable(f"{self._timeout:g}초 안에 답하지 않았습니다") from error
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
    return isinstance(error, ProviderUnavailable) and not isinstance(error, RequestRefused)
