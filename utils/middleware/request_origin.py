"""Stop requests that a foreign web page makes a browser send.

A page may send a form to any address without asking first (CSRF), and may make a name of its own point at the loopback
address (DNS rebinding). Both middlewares look at every request, whatever its route, so a route to come is covered too.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Collection

from starlette.types import ASGIApp, Receive, Scope, Send

from schemas.problems import ErrorCode
from utils.http.problems import ProblemError
from utils.sanitizing.sanitize import printable

logger = logging.getLogger(__name__)

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_AUTHORITY = re.compile(r"(?:\[([0-9a-f:.]{2,45})\]|([a-z0-9._-]{1,253}))(?::[0-9]{1,5})?")
_OWN_FETCH_SITES = frozenset({"same-origin", "none"})  # none: typed in, a bookmark
_SHOWN_ORIGIN = 200


class HostMiddleware:
    """Refuses with 421 what is not addressed to one of ``names`` (any port); without ``names`` every name is served.

    A page reaches a loopback service under its own name once that name resolves to 127.0.0.1, and is then of one origin
    with it. The name it has to use is the one thing it cannot change.
    """

    def __init__(self, app: ASGIApp, names: Collection[str]) -> None:
        self._app = app
        self._names = frozenset(name.lower().strip("[]") for name in names)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and self._names:
            hosts = _values(scope, b"host")
            if len(hosts) != 1 or _name_of(hosts[0]) not in self._names:
                raise ProblemError(ErrorCode.MISDIRECTED_REQUEST)
        await self._app(scope, receive, send)


class OriginMiddleware:
    """Refuses with 403 what a page of another origin sends to change something, unless the origin is one of ``allowed``.

    Clients that are no browsers send neither ``Origin`` nor ``Sec-Fetch-Site`` and pass.
    """

    def __init__(self, app: ASGIApp, allowed: Collection[str]) -> None:
        self._app = app
        self._allowed = frozenset(origin.lower() for origin in allowed)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] not in SAFE_METHODS and not self._is_own(scope):
            origin = printable(", ".join(_values(scope, b"origin")), _SHOWN_ORIGIN)
            logger.warning("refused a request from a page of %s; CORS_ORIGINS names the pages that may", origin or "?")
            detail = "다른 웹 페이지가 보낸 요청은 받지 않습니다."
            raise ProblemError(ErrorCode.FORBIDDEN, detail)
        await self._app(scope, receive, send)

    def _is_own(self, scope: Scope) -> bool:
        origins = _values(scope, b"origin")
        if origins and self._allowed.issuperset(origins):
            return True
        if not origins and not any(name == b"sec-fetch-site" for name, _ in scope["headers"]):
            return True  # no browser
        hosts = _values(scope, b"host")
        # the scheme is left open: a proxy in front may end TLS, and a page of the other scheme is no "same-origin" site
        same = {f"{scheme}://{hosts[0]}" for scheme in ("http", "https")} if len(hosts) == 1 else set()
        sites = _values(scope, b"sec-fetch-site")
        return same.issuperset(origins) and _OWN_FETCH_SITES.issuperset(sites)


def _values(scope: Scope, header: bytes) -> list[str]:
    return [value.decode("latin-1").strip().lower() for name, value in scope["headers"] if name == header]


def _name_of(authority: str) -> str | None:
    found = _AUTHORITY.fullmatch(authority)
    return (found.group(1) or found.group(2)) if found else None
