"""A TCP proxy in front of a server, which can be broken: it refuses, hangs, is slow, or passes everything on."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
from collections.abc import Coroutine
from types import TracebackType
from typing import Any, Self, TypeVar

T = TypeVar("T")

_HOST = "127.0.0.1"
_PIECE = 65_536
_START_SECONDS = 10.0


class BreakableProxy:
    """``with BreakableProxy(host, port) as proxy: proxy.port``. It keeps its port however often it is broken."""

    def __init__(self, host: str, port: int) -> None:
        self._upstream = host, port
        self._socket = _bound(0)
        self.port: int = self._socket.getsockname()[1]
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="proxy", daemon=True)
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.Task[None]] = set()
        self._passes = asyncio.Event()
        self._delay = 0.0

    def pass_on(self) -> None:
        """Pass everything on, also what has hung until now."""
        self._wait_for(self._set(delay=0.0, passes=True))

    def hang(self) -> None:
        """Accept connections, keep those that are open, and pass nothing on."""
        self._wait_for(self._set(delay=0.0, passes=False))

    def slow(self, seconds: float) -> None:
        """Pass each piece of an answer on ``seconds`` later."""
        self._wait_for(self._set(delay=seconds, passes=True))

    def refuse(self) -> None:
        """Cut all connections and refuse new ones."""
        self._wait_for(self._close())

    def __enter__(self) -> Self:
        self._thread.start()
        self.pass_on()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.refuse()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_START_SECONDS)
        self._loop.close()
        self._socket.close()

    def _wait_for(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(_START_SECONDS)

    async def _set(self, *, delay: float, passes: bool) -> None:
        self._delay = delay
        self._passes.set() if passes else self._passes.clear()
        if self._server is None:
            self._server = await asyncio.start_server(self._handle, sock=self._socket)

    async def _close(self) -> None:
        if self._server is not None:
            self._server.close()
            self._server = None
            self._socket = _bound(
                self.port
            )  # bound, not listening: nobody else gets the port, and connecting is refused
        tasks = list(self._open)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.ensure_future(self._connect(reader, writer))
        self._open.add(task)
        task.add_done_callback(self._open.discard)
        with contextlib.suppress(asyncio.CancelledError):
            await task

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writers = [writer]
        try:
            await self._passes.wait()
            back, forth = await asyncio.open_connection(*self._upstream)
            writers.append(forth)
            async with asyncio.TaskGroup() as group:
                group.create_task(self._copy(reader, forth, late=False))
                group.create_task(self._copy(back, writer, late=True))
        except (OSError, ExceptionGroup):
            return
        finally:
            for other in writers:
                other.transport.abort()

    async def _copy(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter, *, late: bool) -> None:
        while piece := await source.read(_PIECE):
            if late:
                await asyncio.sleep(self._delay)
            await self._passes.wait()
            sink.write(piece)
            await sink.drain()
        raise ConnectionResetError  # ends the other direction, too


def _bound(port: int) -> socket.socket:
    bound = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    bound.bind((_HOST, port))
    return bound
