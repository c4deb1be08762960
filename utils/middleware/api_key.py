"""Authentication by ``X-API-Key``; routes say which scope they need."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection

from cachetools import TTLCache
from starlette.types import ASGIApp, Receive, Scope, Send

from schemas.problems import ErrorCode
from utils.access import LOCAL_CLIENT, ApiClient, ApiKeyRing
from utils.middleware.root_path import route_path
from utils.problems import ProblemError, retry_after

logger = logging.getLogger(__name__)

API_KEY_HEADER = "X-API-Key"
_HEADER = API_KEY_HEADER.lower().encode()


class FailureThrottle:
    """Counts wrong keys by address: after ``limit`` within ``window`` seconds an address has to wait.

    Remembers at most ``addresses`` of them, so that it cannot be made to grow.
    """

    def __init__(
        self,
        limit: int = 10,
        window: float = 60.0,
        addresses: int = 10_000,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._limit = limit
        self._clock = clock
        self._window = window
        self._failures: TTLCache[str, tuple[int, float]] = TTLCache(addresses, window, clock)

    def wait(self, address: str) -> float:
        """Seconds an address has to wait; 0.0 when it may try."""
        count, first = self._failures.get(address, (0, 0.0))
        return max(0.0, first + self._window - self._clock()) if count >= self._limit else 0.0

    def record(self, address: str) -> None:
        """Count one wrong key."""
        count, first = self._failures.get(address, (0, self._clock()))
        self._failures[address] = (count + 1, first)


class ApiKeyMiddleware:
    """Puts the `ApiClient` of a request into ``scope["state"]["client"]`` or refuses it.

    ``open_paths`` need no key (and yield no client). Without configured keys every caller is `LOCAL_CLIENT`.
    """

    def __init__(
        self, app: ASGIApp, keys: ApiKeyRing, open_paths: Collection[str], throttle: FailureThrottle | None = None
    ) -> None:
        self._app = app
        self._keys = keys
        self._open_paths = frozenset(open_paths)
        self._throttle = throttle or FailureThrottle()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and route_path(scope) not in self._open_paths:
            scope.setdefault("state", {})["client"] = self._authenticate(scope)
        await self._app(scope, receive, send)

    def _authenticate(self, scope: Scope) -> ApiClient:
        if not self._keys:
            return LOCAL_CLIENT
        presented = next((value for name, value in scope["headers"] if name == _HEADER), None)
        if presented is None:
            raise ProblemError(ErrorCode.UNAUTHORIZED)
        address = scope["client"][0] if scope.get("client") else ""
        wait = self._throttle.wait(address)
        if wait:
            detail = "잘못된 API 키를 너무 많이 보냈습니다. 잠시 후 다시 시도해 주세요."
            raise ProblemError(ErrorCode.RATE_LIMITED, detail, headers=retry_after(wait))
        client = self._keys.identify(presented)
        if client is None:
            self._throttle.record(address)
            logger.warning("wrong API key from %s", address)
            raise ProblemError(ErrorCode.UNAUTHORIZED)
        return client
