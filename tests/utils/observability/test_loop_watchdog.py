"""The watchdog reports an event loop that is blocked."""

from __future__ import annotations

import asyncio
import logging
import time

import pytest

from utils.observability.loop_watchdog import LoopWatchdog


def hold_the_loop(seconds: float) -> None:
    time.sleep(seconds)


async def test_a_loop_that_stands_still_is_counted_and_its_stack_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    lags: list[float] = []
    blocks: list[int] = []
    watchdog = LoopWatchdog(lags.append, lambda: blocks.append(1), interval=0.01, threshold=0.2)
    with caplog.at_level(logging.ERROR, logger="utils.observability.loop_watchdog"):
        async with watchdog.running():
            await asyncio.sleep(0.05)
            for _ in range(2):
                hold_the_loop(0.5)
                await asyncio.sleep(0.05)
    assert len(blocks) == 2
    assert max(lags) >= 0.4
    assert len(caplog.records) == 1, "no more than one stack a minute"
    assert "hold_the_loop" in caplog.text


async def test_what_the_loop_calculates_is_told_from_what_it_waits_for() -> None:
    held: list[float] = []

    class Recording(LoopWatchdog):
        def record(self, late: float, seconds: float) -> None:
            held.append(seconds)

    async with Recording(lambda _: None, lambda: None, interval=0.01).running():
        await asyncio.sleep(0.05)
        hold_the_loop(0.3)
        await asyncio.sleep(0.05)
        assert max(held) < 0.25
        until = time.thread_time() + 0.3
        while time.thread_time() < until:
            pass
        await asyncio.sleep(0.05)
    assert max(held) >= 0.3


async def test_it_ends_with_its_block() -> None:
    lags: list[float] = []
    async with LoopWatchdog(lags.append, lambda: None, interval=0.01).running():
        await asyncio.sleep(0.05)
    seen = len(lags)
    await asyncio.sleep(0.05)
    assert len(lags) == seen > 0
