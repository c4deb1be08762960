"""Authentication by ``X-API-Key``, or by ``Authorization: Bearer``; routes say which scope they need."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection
from typing import NoReturn

from cachetools import TTLCache
from starlette.types import ASGIApp, Receive, Scope, Send

from schemas.problems import ErrorCode
from utils.http.access import LOCAL_CLIENT, ApiClient, ApiKeyRing
from utils.http.client_network import network_of
from utils.http.problems import ProblemError, retry_after
from utils.http.route_path import route_path
from utils.middleware.tarpit import Tarpit

logger = logging.getLogger(__name__)

API_KEY_HEADER = "X-API-Key"
KEY_SCHEME = "APIKeyHeader"
"""The name of that header in the OpenAPI document."""
_HEADER = API_KEY_HEADER.lower().encode()
_BEARER = b"bearer "


class FailureThrottle:
    """Counts wrong keys by network: after ``limit`` within ``window`` seconds a network has to wait for its end.

    Remembers at most ``networks`` of them, so that it cannot be made to grow.
    """

    def __init__(
        self,
        limit: int = 10,
        window: float = 60.0,
        networks: int = 10_000,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._limit = limit
        self._window = window
        self._clock = clock
        self._failures: TTLCache[str, tuple[int, float]] = TTLCache(networks, window, clock)

    def record(self, address: str) -> float:
        """Count one wrong key; the seconds that this one came too early, 0.0 while the network is within its limit."""
        network, now = network_of(address), self._clock()
        count, end = self._failures.get(network, (0, now + self._window))
        if now >= end:
            count, end = 0, now + self._window
        if count >= self._limit:
            return end - now
        self._failures[network] = (count + 1, end)
        return 0.0


class ApiKeyMiddleware:
    """Puts the `ApiClient` of a request into ``scope["state"]["client"]`` or refuses it.

    ``open_paths`` need no key (and yield no client). Without configured keys every caller is `LOCAL_CLIENT`. Networks that keep
    guessing wait in the ``tarpit``.
    """

    def __init__(
        self,
        app: ASGIApp,
        keys: ApiKeyRing,
        open_paths: Collection[str],
        tarpit: Tarpit,
        throttle: FailureThrottle | None = None,
    ) -> None:
        self._app = app
        self._tarpit = tarpit
        self._keys = keys
        self._open_paths = frozenset(open_paths)
        self._throttle = throttle or FailureThrottle()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and route_path(scope) not in self._open_paths:
            scope.setdefault("state", {})["client"] = await self._authenticate(scope)
        await self._app(scope, receive, send)

    async def _authenticate(self, scope: Scope) -> ApiClient:
        if not self._keys:
            return LOCAL_CLIENT
        presented = _presented(scope)
        if presented is None:
            raise ProblemError(ErrorCode.UNAUTHORIZED)
        # Identified first: a wrong key of somebody behind the same address must not keep a right one out.
        client = self._keys.identify(presented)
        if client is None:
            await self._refuse(scope["client"][0] if scope.get("client") else "")
        return client

    async def _refuse(self, address: str) -> NoReturn:
        wait = self._throttle.record(address)
        if wait:
            await self._tarpit.hold(f"guesses:{network_of(address)}")
            detail = "잘못된 API 키를 너무 많이 보냈습니다. 잠시 후 다시 시도해 주세요."
            raise ProblemError(ErrorCode.RATE_LIMITED, detail, headers=retry_after(wait))
        logger.warning("wrong API key from %s", address)
        raise ProblemError(ErrorCode.UNAUTHORIZED)


def _presented(scope: Scope) -> bytes | None:
    """Return the key of a request: the first ``X-API-Key``, or else the token of the first ``Authorization: Bearer`` (RFC 6750)."""
    headers: list[tuple[bytes, bytes]] = scope["headers"]
    own = next((value for name, value in headers if name == _HEADER), None)
    if own is not None:
        return own
    given = next((value for name, value in headers if name == b"authorization"), b"")
    return given[len(_BEARER) :].strip() if given[: len(_BEARER)].lower() == _BEARER else None
