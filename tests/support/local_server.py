"""Any ASGI app on a real loopback socket, in a thread of its own."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from types import TracebackType
from typing import Literal, Self

import uvicorn
from fastapi import FastAPI


class LocalServer:
    """``with LocalServer(app) as server: server.url``. Handlers wait with ``pause``, so that the exit is prompt."""

    def __init__(self, app: FastAPI, lifespan: Literal["on", "off"] = "off") -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        config = uvicorn.Config(app, log_level="critical", timeout_graceful_shutdown=1, lifespan=lifespan)
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._loop: asyncio.AbstractEventLoop | None = None
        self.closing = asyncio.Event()

    async def pause(self, seconds: float | None) -> None:
        """Wait ``seconds`` (None: for ever), or until the server stops."""
        try:
            await asyncio.wait_for(self.closing.wait(), seconds)
        except TimeoutError:
            return

    def __enter__(self) -> Self:
        self._thread.start()
        until = time.monotonic() + 60
        while not self._server.started:
            if time.monotonic() > until:
                raise TimeoutError("the local server did not start")
            time.sleep(0.005)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.should_exit = True
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self.closing.set)
        self._thread.join(timeout=10)
        self._socket.close()

    def _run(self) -> None:
        async def serve() -> None:
            self._loop = asyncio.get_running_loop()
            await self._server.serve(sockets=[self._socket])

        asyncio.run(serve())
