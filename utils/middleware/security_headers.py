"""Add security headers to every response: no guessing of types, no frames, no scripts, no cached copies.

The values follow the OWASP REST security cheat sheet; a response that needs other ones (the docs page) sets its own.
"""

from __future__ import annotations

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

SECURITY_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cache-Control": "no-store",  # questions and answers hold what people told of themselves
}


class SecurityHeadersMiddleware:
    """Adds `SECURITY_HEADERS` where a response has none of its own; what may not be reused is not stored either."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in SECURITY_HEADERS.items():
                    headers.setdefault(name, value)
                if headers["Cache-Control"] == "no-cache":  # FastAPI's event streams
                    headers["Cache-Control"] = "no-cache, no-store"
            await send(message)

        await self._app(scope, receive, send_with_headers)
