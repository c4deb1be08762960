"""Results of costly calls, kept for a while, each made once for everybody who asks for it at the same time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from cachetools import TTLCache

from utils.resilience.cancellation import cancel_and_wait

Result = TypeVar("Result")


@dataclass(slots=True)
class _Call(Generic[Result]):
    task: asyncio.Task[Result]
    waiting: int = 0


class SharedResults(Generic[Result]):
    """The ``size`` results used last, for ``ttl`` seconds. For one event loop."""

    def __init__(self, size: int, ttl: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._kept: TTLCache[str, Result] = TTLCache(size, ttl, clock)
        self._under_way: dict[str, _Call[Result]] = {}

    def kept(self, key: str) -> Result | None:
        """The result that is there already."""
        return self._kept.get(key)

    async def made(self, key: str, make: Callable[[], Coroutine[Any, Any, Result]]) -> Result:
        """The result of ``make``, which is called unless an equal call is under way; it is kept from then on.

        Its error goes to all who wait for it and is not kept. A call belongs to none of them: it stops with the last.
        """
        call = self._under_way.get(key)
        if call is None or call.task.done():
            call = self._under_way[key] = _Call(asyncio.create_task(self._make(key, make), name="shared call"))
        call.waiting += 1
        try:
            return await asyncio.shield(call.task)
        finally:
            call.waiting -= 1
            if not call.waiting:
                if self._under_way.get(key) is call:
                    del self._under_way[key]
                if not call.task.done():
                    await cancel_and_wait(call.task)

    async def _make(self, key: str, make: Callable[[], Coroutine[Any, Any, Result]]) -> Result:
        result = await make()
        self._kept[key] = result
        return result
