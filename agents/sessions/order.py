"""Order of the requests of a session: each waits for those that came before it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from agents.sessions.errors import SessionBusy


@dataclass(slots=True)
class _Queue:
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)  # fair: who waits longest is next
    present: int = 0


class TurnOrder:
    """The sessions that this process answers in, each with those who wait for it."""

    def __init__(self) -> None:
        self._queues: dict[str, _Queue] = {}

    @asynccontextmanager
    async def turn(self, name: str, seconds: float) -> AsyncIterator[None]:
        """Have the session for the length of the block.

        Raises:
            SessionBusy: it was not free within ``seconds``.
        """
        queue = self._queues.setdefault(name, _Queue())
        queue.present += 1
        try:
            try:
                async with asyncio.timeout(seconds):
                    await queue.lock.acquire()
            except TimeoutError:
                raise SessionBusy from None
            try:
                yield
            finally:
                queue.lock.release()
        finally:
            queue.present -= 1
            if not queue.present:
                del self._queues[name]
