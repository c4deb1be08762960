"""Bounds on request bodies: their size, counted on the bytes that arrive and not on what a header promises, and their time."""

from __future__ import annotations

import asyncio
import re
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
    service does with it meanwhile. ``of_paths`` are other sizes, by path; one with ``*`` in it is for any one segment there.
    """

    def __init__(self, app: ASGIApp, limit: int, timeout: float, of_paths: Mapping[str, int] | None = None) -> None:
        self._app = app
        self._limit = limit
        self._timeout = timeout
        self._of_paths = {path: size for path, size in (of_paths or {}).items() if "*" not in path}
        self._of_patterns = [
            (re.compile(re.escape(path).replace(r"\*", "[^/]+")), size)
            for path, size in (of_paths or {}).items()
            if "*" in path
        ]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        limit = self._limit_of(route_path(scope))
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

    def _limit_of(self, path: str) -> int:
        if (limit := self._of_paths.get(path)) is not None:
            return limit
        return next((size for pattern, size in self._of_patterns if pattern.fullmatch(path)), self._limit)
