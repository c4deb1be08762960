"""A Redis of a test's own, to be broken: killed, or stopped so that it hangs."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import time
from types import TracebackType
from typing import Self

import pytest


class RedisServer:
    """``with RedisServer() as server: server.url``. Where the program is missing: a skip, or a failure if required."""

    def __init__(self) -> None:
        self._program = _program()
        with socket.create_server(("127.0.0.1", 0)) as free:
            self._port = free.getsockname()[1]
        self.url = f"redis://127.0.0.1:{self._port}/0"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = [self._program, "--port", str(self._port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until = time.monotonic() + 10
        while not self._answers():
            assert time.monotonic() < until, "redis-server did not start"
            time.sleep(0.02)

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait(10)
            self._process = None

    def hang(self) -> None:
        """Keep connections open and answer nothing."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()

    def _answers(self) -> bool:
        try:
            with socket.create_connection(("127.0.0.1", self._port), timeout=1) as connection:
                connection.sendall(b"PING\r\n")
                return connection.recv(16).startswith(b"+PONG")
        except OSError:
            return False


def _program() -> str:
    if (found := shutil.which("redis-server")) is not None:
        return found
    message = "redis-server is not installed"
    if os.environ.get("REQUIRE_SERVICES") == "1":
        pytest.fail(message)
    pytest.skip(message)
