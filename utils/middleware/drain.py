"""At the end of the drain a request without an answer gets one that says so."""

from __future__ import annotations

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from utils.server.drain import Drain


class DrainMiddleware:
    """Interrupts requests whose answer has not begun; a stream that has begun ends itself (`routes.chat`)."""

    def __init__(self, app: ASGIApp, drain: Drain) -> None:
        self._app = app
        self._drain = drain

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        async with self._drain.interruptible() as spare:

            async def send_watched(message: Message) -> None:
                spare()
                if message["type"] == "http.response.start" and self._drain.is_closing:
                    message["headers"] = [*message.get("headers", ()), (b"connection", b"close")]
                await send(message)

            await self._app(scope, receive, send_watched)
