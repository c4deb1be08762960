"""The way to a store of conversations: bounded in time, guarded by a breaker, and opened anew after a failure."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import AsyncExitStack
from typing import Any, TypeVar

import anyio

from agents.sessions.backends import Saver, SessionBackend
from agents.sessions.errors import SessionStoreRefused, SessionsUnavailable
from utils.observability.sparse_log import SparseLog
from utils.resilience.breaker import CircuitBreaker, CircuitOpen
from utils.resilience.deadline import Deadline, DeadlineExceeded, within

logger = logging.getLogger(__name__)

T = TypeVar("T")

_FAILURES = 2
_RECOVERY = 5.0
_CLOSE_SECONDS = 3.0
_AWAY = "대화 저장소를 쓸 수 없습니다."


class StoreLink:
    """The open store. A call that fails or takes too long costs the connection, and with it whatever it left half done."""

    def __init__(self, backend: SessionBackend, seconds: float) -> None:
        self.backend = backend
        self._seconds = seconds
        # ValueError: of what cannot be decoded, or of a connection that was closed after somebody else's failure
        self._failures: tuple[type[Exception], ...] = (*backend.failures, ValueError, TimeoutError, SessionStoreRefused)
        self._breaker = CircuitBreaker("sessions", threshold=_FAILURES, recovery=_RECOVERY)
        self._opening = asyncio.Lock()
        self._opened: tuple[Saver, AsyncExitStack] | None = None
        self._tasks: set[asyncio.Task[Any]] = set()
        self._log = SparseLog(logger)

    async def use(self, work: Callable[[Saver], Awaitable[T]], seconds: float | None = None) -> T:
        """The result of work with the saver.

        Work that has begun is finished even if whoever asked for it has gone, unless its ``seconds`` have passed, or the time of the
        request it is for.

        Raises:
            SessionsUnavailable: the store is away, too slow, or refuses.
        """
        return await self._guarded(self._with_saver(work), within(seconds or self._seconds))

    async def lock(self, name: str) -> bool:
        """Take the lock of all processes on the store; False if another one has it. Raises as `use`."""
        return await self._guarded(self.backend.try_lock(name), within(self._seconds))

    async def unlock(self, name: str) -> None:
        """Release a lock, even for whoever is being cancelled; where that fails it is released with the connection."""
        released = self.in_background(self._guarded(self.backend.unlock(name), Deadline.after(self._seconds)))
        with anyio.CancelScope(shield=True):
            await asyncio.wait({released}, timeout=self._seconds)

    def in_background(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Begin work that nobody has to wait for."""
        task = asyncio.create_task(work, name="sessions")
        self._tasks.add(task)
        task.add_done_callback(self._forget)
        return task

    async def aclose(self) -> None:
        """Wait for what is under way, and close; bounded in time."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=_CLOSE_SECONDS)
        self._give_up()
        self.in_background(self.backend.aclose())
        await asyncio.wait(self._tasks, timeout=_CLOSE_SECONDS)

    async def _guarded(self, work: Coroutine[Any, Any, T], deadline: Deadline) -> T:
        try:
            with self._breaker.guard(_is_fault):
                return await self._bounded(work, deadline)
        except CircuitOpen as error:
            work.close()
            raise SessionsUnavailable(str(error)) from error
        except self._failures as error:
            detail = error if isinstance(error, SessionStoreRefused) else type(error).__name__
            self._log.warning(f"{_AWAY} ({detail})")
            self._give_up()
            raise SessionsUnavailable(type(error).__name__) from error

    async def _bounded(self, work: Coroutine[Any, Any, T], deadline: Deadline) -> T:
        """Wait for work, but not for its end when it is given up: a connection that hangs may not even be cancelled."""
        task = self.in_background(work)
        try:
            await asyncio.wait({task}, timeout=deadline.remaining())
        except asyncio.CancelledError:
            with anyio.CancelScope(shield=True):
                await asyncio.wait({task}, timeout=deadline.remaining())
            raise
        if not task.done():
            task.cancel()
            raise DeadlineExceeded if deadline.of_request else TimeoutError
        return task.result()

    async def _with_saver(self, work: Callable[[Saver], Awaitable[T]]) -> T:
        return await work(await self._saver())

    async def _saver(self) -> Saver:
        async with self._opening:
            if self._opened is None:
                stack = AsyncExitStack()
                self._opened = await stack.enter_async_context(self.backend.open()), stack
            return self._opened[0]

    def _give_up(self) -> None:
        """Close the connection in the background; the next call opens another."""
        if self._opened is not None:
            _, stack = self._opened
            self._opened = None
            self.in_background(stack.aclose())

    def _forget(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # looked at, whether or not anybody is left to be told


def _is_fault(error: Exception) -> bool:
    """Return False where the request's time ended before that of the call, which says nothing of the store."""
    return not isinstance(error, DeadlineExceeded)
