"""The end of a service that still answers: who has waited for the whole drain is told, and not just cut off."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial

from schemas.problems import ErrorCode
from utils.http.problems import ProblemError, retry_after

_RETRY_SECONDS = 5.0
_DETAIL = "서비스를 다시 시작하고 있어 답변을 마치지 못했습니다. 잠시 후 다시 시도해 주세요."


class Drain:
    """Ends what is still under way when the time to finish is used up."""

    def __init__(self) -> None:
        self._blocks: set[asyncio.Timeout] = set()
        self._is_over = False
        self.is_closing = False

    def begin(self) -> None:
        """Say that no new connection is taken: whoever still asks on an old one is told to open another next time."""
        self.is_closing = True

    def end(self) -> None:
        """Interrupt every block of `interruptible`, also those to come. In the event loop."""
        self._is_over = True
        for block in self._blocks:
            block.reschedule(asyncio.get_running_loop().time())

    @asynccontextmanager
    async def interruptible(self) -> AsyncIterator[Callable[[], None]]:
        """Run a block of the current task until `end`; calling what is yielded lets it finish all the same.

        Raises:
            ProblemError: the service stops (503).
        """
        if self._is_over:
            raise _stopping()
        block = asyncio.timeout(None)
        try:
            async with block:
                self._blocks.add(block)
                try:
                    yield partial(self._blocks.discard, block)
                finally:
                    self._blocks.discard(block)
        except TimeoutError:
            if block.expired():
                raise _stopping() from None
            raise


def _stopping() -> ProblemError:
    return ProblemError(ErrorCode.SERVICE_UNAVAILABLE, _DETAIL, headers=retry_after(_RETRY_SECONDS))
