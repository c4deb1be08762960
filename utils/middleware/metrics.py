"""Counts requests, from outside of everything that may refuse them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from utils.observability.metrics import Metrics, RefusalCause

_NO_ROUTE = "-"
_REFUSAL = "refusal"
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


class MetricsMiddleware:
    """Counts every request when its answer ends, a stream when the stream does."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        status = 0

        async def send_watched(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        self._metrics.in_flight.inc()
        try:
            await self._app(scope, receive, send_watched)
        finally:
            self._metrics.in_flight.dec()
            self._count(scope, status)

    def _count(self, scope: Scope, status: int) -> None:
        route = getattr(scope.get("route"), "path", _NO_ROUTE)
        self._metrics.requests.labels(route, f"{status // 100}xx" if status else "none").inc()
        cause = scope["state"].get(_REFUSAL) or _cause_of(status, routed=route != _NO_ROUTE)
        if cause is not None:
            self._metrics.refused(cause)


def _cause_of(status: int, *, routed: bool) -> RefusalCause | None:
    if status == 403:  # the scope of a key is looked at by the route, where a page comes from before there is one
        return RefusalCause.AUTH if routed else RefusalCause.ORIGIN
    return _BY_STATUS.get(status)
