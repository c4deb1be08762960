"""Paths that the router would take for another path."""

from __future__ import annotations

from starlette.types import ASGIApp, Receive, Scope, Send

from schemas.problems import ErrorCode
from utils.http.problems import ProblemError


class RequestPathMiddleware:
    """Refuses with 404 a path with a line feed in it, which no route can match as it is.

    The router's patterns end with ``$``, which matches before a last line feed too: ``/documents/GUIDE%0A`` would
    delete ``GUIDE``.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and "\n" in scope["path"]:
            raise ProblemError(ErrorCode.NOT_FOUND)
        await self._app(scope, receive, send)
