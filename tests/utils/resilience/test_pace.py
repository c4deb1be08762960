"""Streams take turns when there are many of them, and none waits for another when there are few."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack

from utils.resilience.pace import Pace


async def test_many_streams_take_turns_and_few_do_not_wait() -> None:
    pace = Pace()
    with ExitStack() as streams:
        for _ in range(10):
            streams.enter_context(pace.joined())
        few = asyncio.create_task(pace.turn())
        await asyncio.sleep(0)
        assert few.done(), "at once"
        for _ in range(200):
            streams.enter_context(pace.joined())
        many = asyncio.create_task(pace.turn())
        await asyncio.sleep(0)
        assert not many.done()
        await many
    again = asyncio.create_task(pace.turn())
    await asyncio.sleep(0)
    assert again.done(), "who has left counts no more"
