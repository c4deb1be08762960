"""Stopping work that nobody waits for any more."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any, TypeVar

import anyio

logger = logging.getLogger(__name__)

T = TypeVar("T")
STOP_TIMEOUT = 5.0


async def cancel_and_wait(task: asyncio.Task[Any], seconds: float = STOP_TIMEOUT) -> None:
    """Cancel a task and wait for its end, at most ``seconds``, even if the caller itself is being cancelled.

    An anyio scope cancels a task again at each of its awaits; `asyncio.shield` does not help against that.
    """
    task.cancel()
    with anyio.CancelScope(shield=True):
        await asyncio.wait({task}, timeout=seconds)
    if not task.done():
        logger.error("task %s did not stop within %g s", task.get_name(), seconds)


async def close_stream(stream: object, seconds: float = STOP_TIMEOUT) -> None:
    """``aclose`` an asynchronous generator, shielded and bounded like `cancel_and_wait`."""
    aclose = getattr(stream, "aclose", None)
    if aclose is None:
        return
    with anyio.move_on_after(seconds, shield=True) as scope:
        await aclose()
    if scope.cancelled_caught:
        logger.error("stream did not stop within %g s", seconds)


async def run_while(watched: Coroutine[Any, Any, object], work: Coroutine[Any, Any, T]) -> T | None:
    """The result of ``work``, or None if ``watched`` ends first, which stops the work.

    Work that waits for nothing, such as an answer from the cache, is done before anything is watched.
    """
    run = asyncio.create_task(work, name="request")
    watcher: asyncio.Task[object] | None = None
    try:
        await asyncio.sleep(0)
        if not run.done():
            watcher = asyncio.create_task(watched, name="disconnect watcher")
            await asyncio.wait({run, watcher}, return_when=asyncio.FIRST_COMPLETED)
        return run.result() if run.done() else None
    finally:
        if watcher is not None:
            watcher.cancel()
        else:
            watched.close()
        if not run.done():
            await cancel_and_wait(run)
