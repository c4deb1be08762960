"""Counts and times requests, from outside of everything that may refuse them."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from types import MappingProxyType

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from utils.observability.metrics import Metrics, RefusalCause

CLIENT_LEFT = 499
"""Status of a request whose client left before an answer; nginx's "client closed request", which nobody receives."""

_NO_ROUTE = "-"
_REFUSAL, _FAILURE, _BEGUN = "refusal", "failure", "begun"
_BY_STATUS: Mapping[int, RefusalCause] = MappingProxyType(
    {
        401: RefusalCause.AUTH,
        408: RefusalCause.BODY,
        413: RefusalCause.BODY,
        421: RefusalCause.ORIGIN,
        429: RefusalCause.RATE,
    }
)


def mark_refusal(scope: Scope, cause: RefusalCause) -> None:
    """Say why a request is being refused, where its status does not."""
    scope["state"][_REFUSAL] = cause


def mark_failure(scope: Scope, status: int) -> None:
    """Say that a stream ends with an error of this status, which its head no longer can."""
    scope["state"][_FAILURE] = status


def mark_first_token(scope: Scope) -> None:
    """Say that the first words of a streamed answer are about to be sent."""
    metrics: Metrics = scope["state"]["metrics"]
    metrics.first_token.observe(time.perf_counter() - scope["state"][_BEGUN])


class MetricsMiddleware:
    """Counts every request when its answer ends, a stream when the stream does."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        watched = _WatchedAnswer(send, lambda: self._count(scope, watched))
        scope["state"][_BEGUN] = watched.begun
        self._metrics.in_flight.inc()
        try:
            await self._app(scope, receive, watched.send)
        finally:
            self._metrics.in_flight.dec()
            watched.end()

    def _count(self, scope: Scope, answer: _WatchedAnswer) -> None:
        route = getattr(scope.get("route"), "path", _NO_ROUTE)
        status = scope["state"].get(_FAILURE, answer.status)
        labels = (route, f"{status // 100}xx" if status else "none")
        self._metrics.requests.labels(*labels).inc()
        self._metrics.duration.labels(*labels).observe(time.perf_counter() - answer.begun)
        if answer.head_at is not None:
            self._metrics.first_byte.labels(*labels).observe(answer.head_at - answer.begun)
        if not answer.is_whole or status == CLIENT_LEFT:
            self._metrics.cut.labels(route).inc()
        cause = scope["state"].get(_REFUSAL) or _cause_of(status, routed=route != _NO_ROUTE)
        if cause is not None:
            self._metrics.refused(cause)


class _WatchedAnswer:
    """An answer on its way out. Times are those of `time.perf_counter`; ``status`` is 0 until the head is sent.

    ``on_end`` is called once: in the step that sends the last of it, so that whoever has read it is counted, or when no more will come.
    """

    def __init__(self, send: Send, on_end: Callable[[], None]) -> None:
        self._send = send
        self._on_end = on_end
        self._has_ended = False
        self.begun = time.perf_counter()
        self.head_at: float | None = None
        self.status = 0
        self.is_whole = False

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.head_at = time.perf_counter()
        await self._send(message)
        if message["type"] == "http.response.body" and not message.get("more_body", False):
            self.is_whole = True
            self.end()

    def end(self) -> None:
        """Count the answer, unless it was."""
        if not self._has_ended:
            self._has_ended = True
            self._on_end()


def _cause_of(status: int, *, routed: bool) -> RefusalCause | None:
    if status == 403:  # the scope of a key is looked at by the route, where a page comes from before there is one
        return RefusalCause.AUTH if routed else RefusalCause.ORIGIN
    return _BY_STATUS.get(status)
