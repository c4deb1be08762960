"""A bound on how often one client may ask; it stands behind the API key, so that a client is known by its name."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from schemas.problems import ErrorCode
from utils.access import LOCAL_CLIENT, ApiClient
from utils.middleware.root_path import route_path
from utils.problems import ProblemError, retry_after
from utils.rate_limiter import Allowance, RateLimiter

# RateLimit header fields for HTTP (draft-ietf-httpapi-ratelimit-headers-07)
RATE_LIMIT_HEADERS = ("RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset")


class RateLimitMiddleware:
    """Refuses with 429 and ``Retry-After``; every counted response says what remains.

    ``limiter_of`` gives the limiter of the running service, or None when limits are off. ``open_paths`` are not counted:
    machines watch them.
    """

    def __init__(
        self, app: ASGIApp, limiter_of: Callable[[Scope], RateLimiter | None], open_paths: Collection[str]
    ) -> None:
        self._app = app
        self._limiter_of = limiter_of
        self._open_paths = frozenset(open_paths)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        counted = scope["type"] == "http" and route_path(scope) not in self._open_paths
        limiter = self._limiter_of(scope) if counted else None
        if limiter is None:
            await self._app(scope, receive, send)
            return
        allowance = await limiter.take(bucket_of(scope))
        headers = _headers(allowance)
        if not allowance.allowed:
            wait = math.ceil(allowance.retry_after)
            detail = f"요청이 너무 잦습니다. {max(1, wait)}초 뒤에 다시 시도해 주세요."
            raise ProblemError(ErrorCode.RATE_LIMITED, detail, headers={**headers, **retry_after(wait)})

        async def send_with_rest(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(headers)
            await send(message)

        await self._app(scope, receive, send_with_rest)


def bucket_of(scope: Scope) -> str:
    """Whose bucket a request draws from: its API client's, or without keys that of the address it comes from.

    The address is the peer's, or what a trusted proxy says of it (`uvicorn.middleware.proxy_headers`).
    """
    client: ApiClient = scope["state"]["client"]
    if client is not LOCAL_CLIENT:
        return f"client:{client.name}"
    return f"address:{scope['client'][0] if scope.get('client') else ''}"


def _headers(allowance: Allowance) -> dict[str, str]:
    values = (allowance.limit, allowance.remaining, math.ceil(allowance.reset_after))
    return dict(zip(RATE_LIMIT_HEADERS, map(str, values), strict=True))
