"""Bounds on request bodies: their size, counted on the bytes that arrive and not on what a header promises, and their time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from utils.http.route_path import route_path

_BYTES_PER_SECOND = 32_768  # what a client has to send to be given another second
_CLOSE = {"Connection": "close"}


class BodyLimitMiddleware:
    """Refuses bodies over ``limit`` bytes with 413 as soon as the first byte too many arrives, and slow ones with 408.

    A body may be waited for ``timeout`` seconds and a second more for each 32 KiB received. Only waiting counts, not what the
    service does with it meanwhile. ``of_paths`` are other sizes, by path.
    """

    def __init__(self, app: ASGIApp, limit: int, timeout: float, of_paths: Mapping[str, int] | None = None) -> None:
        self._app = app
        self._limit = limit
        self._timeout = timeout
        self._of_paths = of_paths or {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        limit = self._of_paths.get(route_path(scope), self._limit)
        received = 0
        waited = 0.0
        more = True

        async def receive_counted() -> Message:
            nonlocal received, waited, more
            if not more:
                return await receive()  # for the client to leave, for as long as it likes to stay
            started = time.monotonic()
            try:
                async with asyncio.timeout(self._timeout + received / _BYTES_PER_SECOND - waited):
                    message = await receive()
            except TimeoutError:
                raise HTTPException(408, headers=_CLOSE) from None
            waited += time.monotonic() - started
            more = message.get("more_body", False)
            received += len(message.get("body", b""))
            if received > limit:
                # FastAPI passes on an HTTPException met while it reads a body and turns all others into 400.
                raise HTTPException(413)
            return message

        await self._app(scope, receive_counted, send)
