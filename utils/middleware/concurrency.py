"""A bound on what one client has under way at once, streams to their end; it stands behind the rate limit, so that refusals cost, too."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from starlette.types import ASGIApp, Receive, Scope, Send

from schemas.problems import ErrorCode
from utils.config.settings import Settings
from utils.http.problems import ProblemError, retry_after
from utils.http.route_path import route_path
from utils.middleware.metrics import mark_refusal
from utils.middleware.rate_limit import bucket_of
from utils.middleware.tarpit import Tarpit
from utils.observability.metrics import RefusalCause

_WITH_KEYS = 64
_RETRY_SECONDS = 2.0  # a request takes less, and a stream may take any time


class ConcurrencyMiddleware:
    """Refuses with 429 and ``Retry-After`` the request of a client that has ``most`` under way in this process.

    Who keeps asking although refused waits in the ``tarpit``. ``open_paths`` are not counted: machines watch them.
    """

    def __init__(self, app: ASGIApp, most: int, open_paths: Collection[str], tarpit: Tarpit) -> None:
        self._app = app
        self._most = most
        self._open_paths = frozenset(open_paths)
        self._tarpit = tarpit
        self._under_way: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or route_path(scope) in self._open_paths:
            await self._app(scope, receive, send)
            return
        client = bucket_of(scope)
        if self._under_way[client] >= self._most:
            mark_refusal(scope, RefusalCause.CONCURRENCY)
            await self._tarpit.hold(client)
            detail = f"동시에 처리하는 요청은 {self._most}개까지입니다. 앞의 요청이 끝난 뒤에 다시 시도해 주세요."
            raise ProblemError(ErrorCode.TOO_MANY_AT_ONCE, detail, headers=retry_after(_RETRY_SECONDS))
        self._under_way[client] += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._under_way[client] -= 1
            if not self._under_way[client]:
                del self._under_way[client]  # or the clients of a year would be remembered


def most_at_once(settings: Settings) -> int | None:
    """Return how many requests a client may have under way; None for no limit, as without keys, where only this machine asks."""
    return settings.max_concurrent_requests or (_WITH_KEYS if settings.api_keys else None)
