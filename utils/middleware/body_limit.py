"""A bound on request bodies, counted on the bytes that arrive and not on what a header promises."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from utils.middleware.root_path import route_path


class BodyLimitMiddleware:
    """Refuses bodies over ``limit`` bytes with 413 as soon as the first byte too many arrives.

    ``of_paths`` are other limits, by path.
    """

    def __init__(self, app: ASGIApp, limit: int, of_paths: Mapping[str, int] | None = None) -> None:
        self._app = app
        self._limit = limit
        self._of_paths = of_paths or {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        limit = self._of_paths.get(route_path(scope), self._limit)
        received = 0

        async def receive_counted() -> Message:
            nonlocal received
            message = await receive()
            if message["type"] == "http.request":
                received += len(message.get("body", b""))
                if received > limit:
                    # FastAPI passes on an HTTPException met while it reads a body and turns all others into 400.
                    raise HTTPException(413)
            return message

        await self._app(scope, receive_counted, send)
