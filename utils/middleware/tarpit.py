"""Answers slowly who goes on asking although refused: a loop of refusals turns some times a minute instead of hundreds."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable

from cachetools import TTLCache

HOLD_SECONDS = 2.0
_WINDOW_SECONDS = 60.0
_FREE = 10  # refusals in a window that are answered at once: an honest program that retries meets no delay
_CLIENTS = 10_000  # remembered, so that it cannot be made to grow
_SHARE_OF_CONNECTIONS = 4


class Tarpit:
    """Holds the refusals of a client after its first few in a minute, each for `HOLD_SECONDS`.

    What waits here keeps a connection. A quarter of ``connections`` may, half of these for one client; without room a refusal
    is answered at once, as if there were no tarpit.
    """

    def __init__(self, connections: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._most = max(1, connections // _SHARE_OF_CONNECTIONS)
        self._most_of_one = max(1, self._most // 2)
        self._refusals: TTLCache[str, int] = TTLCache(_CLIENTS, _WINDOW_SECONDS, clock)
        self._held: Counter[str] = Counter()

    async def hold(self, client: str) -> None:
        """Count a refusal of ``client``; return when it may be answered."""
        refusals = self._refusals.get(client, 0)
        if refusals < _FREE:
            self._refusals[client] = refusals + 1
            return
        if self._held.total() >= self._most or self._held[client] >= self._most_of_one:
            return
        self._held[client] += 1
        try:
            await asyncio.sleep(HOLD_SECONDS)
        finally:
            self._held[client] -= 1
            if not self._held[client]:
                del self._held[client]
