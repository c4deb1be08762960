from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import anyio
import pytest

from utils.resilience.cancellation import cancel_and_wait, close_stream, run_while


def test_a_task_is_awaited_even_inside_a_cancelled_scope() -> None:
    async def scenario() -> bool:
        cleaned = False

        async def work() -> None:
            nonlocal cleaned
            try:
                await asyncio.sleep(60)
            finally:
                await asyncio.sleep(0.02)
                cleaned = True

        async def owner() -> None:
            task = asyncio.create_task(work())
            try:
                await asyncio.sleep(60)
            finally:
                await cancel_and_wait(task)

        async with anyio.create_task_group() as group:
            group.start_soon(owner)
            await asyncio.sleep(0.01)
            group.cancel_scope.cancel()
        return cleaned

    assert asyncio.run(scenario())


def test_waiting_is_bounded(caplog: pytest.LogCaptureFixture) -> None:
    async def scenario() -> None:
        release = asyncio.Event()

        async def stubborn() -> None:
            while not release.is_set():
                try:
                    await release.wait()
                except asyncio.CancelledError:
                    continue

        task = asyncio.create_task(stubborn(), name="stubborn")
        await asyncio.sleep(0)
        await cancel_and_wait(task, 0.02)
        release.set()
        await task

    asyncio.run(scenario())
    assert "stubborn" in caplog.text


def test_run_while_gives_the_result_the_error_or_nothing() -> None:
    async def forever() -> None:
        await asyncio.sleep(60)

    async def never() -> int:
        await asyncio.sleep(60)
        return 2

    async def at_once() -> int:
        return 1

    async def fail() -> int:
        raise KeyError("x")

    async def scenario() -> None:
        assert await run_while(forever(), at_once()) == 1
        assert await run_while(at_once(), never()) is None
        with pytest.raises(KeyError):
            await run_while(forever(), fail())

    asyncio.run(scenario())


def test_closing_a_stream_runs_its_end() -> None:
    ended = []

    async def events() -> AsyncIterator[int]:
        try:
            yield 1
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(0)
            ended.append(True)

    async def scenario() -> None:
        stream = events()
        await anext(stream)
        await close_stream(stream)
        await close_stream(object())

    asyncio.run(scenario())
    assert ended
