"""Every request has one total time, which all that it calls obeys (`utils.resilience.deadline.within`)."""

from __future__ import annotations

from starlette.types import ASGIApp, Receive, Scope, Send

from utils.resilience.deadline import request_time


class DeadlineMiddleware:
    """Begins the time of each request; ``seconds`` is ``REQUEST_TIMEOUT``."""

    def __init__(self, app: ASGIApp, seconds: float) -> None:
        self._app = app
        self._seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        with request_time(self._seconds):
            await self._app(scope, receive, send)
