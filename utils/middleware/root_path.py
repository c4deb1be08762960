"""A proxy prefix such as ``/rag``, whether the proxy cuts it off or not."""

from __future__ import annotations

from starlette.types import ASGIApp, Receive, Scope, Send


class RootPathMiddleware:
    """Names the prefix in the scope; the router ignores it where a path begins with it."""

    def __init__(self, app: ASGIApp, root_path: str) -> None:
        self._app = app
        self._root_path = root_path.rstrip("/")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._root_path and scope["type"] == "http":
            scope["root_path"] = self._root_path
        await self._app(scope, receive, send)
