"""A bound on how often all streams of a process together are attended to, so that many of them cost no more than some."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

_FREE = 10  # streams that are attended to at once whenever there is something
_EACH = 0.001  # seconds a stream more lets each of them wait
_MOST = 0.2  # seconds: a reader sees five steps a second, which still reads as writing


class Pace:
    """Gives the streams that are open turns in which what has come meanwhile goes together.

    >>> with pace.joined():
    ...     await pace.turn()
    """

    def __init__(self) -> None:
        self._streams = 0

    @contextmanager
    def joined(self) -> Iterator[None]:
        """Count a stream as open for the length of the block."""
        self._streams += 1
        try:
            yield
        finally:
            self._streams -= 1

    async def turn(self) -> None:
        """Wait for the next turn of a stream; at once while there are few."""
        if self._streams > _FREE:
            await asyncio.sleep(min(_MOST, (self._streams - _FREE) * _EACH))
