"""A span around each request of the API, which continues the trace of a caller that has one."""

from __future__ import annotations

from opentelemetry.trace import SpanKind, Status, StatusCode, Tracer
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from utils.http.route_path import route_path
from utils.observability.request_context import current_request_id

_TRACED = ("/api/", "/v1/", "/mcp")
_callers = TraceContextTextMapPropagator()


class TracingMiddleware:
    """Stands within the request's id, so that the span has it, and around everything that answers."""

    def __init__(self, app: ASGIApp, tracer: Tracer) -> None:
        self._app = app
        self._tracer = tracer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not route_path(scope).startswith(_TRACED):
            await self._app(scope, receive, send)
            return
        with self._tracer.start_as_current_span(
            scope["method"],
            context=_callers.extract(Headers(scope=scope)),
            kind=SpanKind.SERVER,
            attributes={"http.request.method": scope["method"], "bizi.request_id": current_request_id()},
            record_exception=False,
        ) as span:

            async def send_watched(message: Message) -> None:
                if message["type"] == "http.response.start":
                    span.set_attribute("http.response.status_code", message["status"])
                    if message["status"] >= 500:
                        span.set_status(Status(StatusCode.ERROR))
                await send(message)

            try:
                await self._app(scope, receive, send_watched)
            finally:
                if template := getattr(scope.get("route"), "path", None):
                    span.update_name(f"{scope['method']} {template}")
                    span.set_attribute("http.route", template)
