"""A bound on how often one client may ask; it stands behind the API key, so that a client is known by its name."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from schemas.problems import ErrorCode
from utils.http.access import LOCAL_CLIENT, ApiClient
from utils.http.client_network import network_of
from utils.http.problems import ProblemError, retry_after
from utils.http.rate_limiter import Allowance, RateLimiter
from utils.http.route_path import route_path
from utils.middleware.tarpit import Tarpit
from utils.observability.request_context import bind_client

# RateLimit header fields for HTTP (draft-ietf-httpapi-ratelimit-headers-07)
RATE_LIMIT_HEADERS = ("RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset")


class RateLimitMiddleware:
    """Refuses with 429 and ``Retry-After``; every counted response says what remains.

    ``limiter_of`` gives the limiter of the running service, or None when limits are off. ``open_paths`` are not counted:
    machines watch them. Who keeps asking although refused waits in the ``tarpit``. What a request costs beyond being one is shared out by `utils.resilience.fair_pool`, which learns here whose it is.
    """

    def __init__(
        self,
        app: ASGIApp,
        limiter_of: Callable[[Scope], RateLimiter | None],
        open_paths: Collection[str],
        tarpit: Tarpit,
    ) -> None:
        self._app = app
        self._limiter_of = limiter_of
        self._tarpit = tarpit
        self._open_paths = frozenset(open_paths)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or route_path(scope) in self._open_paths:
            await self._app(scope, receive, send)
            return
        client = bucket_of(scope)
        bind_client(client)
        limiter = self._limiter_of(scope)
        if limiter is None:
            await self._app(scope, receive, send)
            return
        allowance = await limiter.take(client)
        if not allowance.allowed:
            await self._tarpit.hold(client)
        check_allowed(allowance)
        headers = _headers(allowance)

        async def send_with_rest(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(headers)
            await send(message)

        await self._app(scope, receive, send_with_rest)


def check_allowed(allowance: Allowance | None) -> None:
    """Raise where a client has asked too often or too much.

    Raises:
        ProblemError: the client has to wait (429).
    """
    if allowance is not None and not allowance.allowed:
        wait = math.ceil(allowance.retry_after)
        detail = f"요청이 너무 잦습니다. {max(1, wait)}초 뒤에 다시 시도해 주세요."
        raise ProblemError(ErrorCode.RATE_LIMITED, detail, headers={**_headers(allowance), **retry_after(wait)})


def bucket_of(scope: Scope) -> str:
    """Whose bucket a request draws from: its API client's, or without keys that of the address it comes from.

    The address is the peer's, or what a trusted proxy says of it (`uvicorn.middleware.proxy_headers`).
    """
    client: ApiClient = scope["state"]["client"]
    if client is not LOCAL_CLIENT:
        return f"client:{client.name}"
    return f"address:{network_of(scope['client'][0]) if scope.get('client') else ''}"


def _headers(allowance: Allowance) -> dict[str, str]:
    values = (allowance.limit, allowance.remaining, math.ceil(allowance.reset_after))
    return dict(zip(RATE_LIMIT_HEADERS, map(str, values), strict=True))
