"""A server program of a test's own, to be broken: killed, or stopped so that it hangs, and let go on."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import time
from abc import ABC, abstractmethod
from contextlib import suppress
from types import TracebackType
from typing import Self

import pytest


class OwnServer(ABC):
    """``with RedisServer() as server: server.port``. It is broken with all that it started."""

    user: str | None = None
    """Who runs it, where the tests run as root and the program refuses to."""

    def __init__(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self._process: subprocess.Popen[bytes] | None = None

    @abstractmethod
    def _command(self) -> list[str]: ...

    @abstractmethod
    def _answers(self) -> bool: ...

    def start(self) -> None:
        """Start, with the data of before, and wait until it answers."""
        self._process = subprocess.Popen(
            self._command(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            user=self.user if os.geteuid() == 0 else None,
        )
        until = time.monotonic() + 60
        while not self._answers():
            assert time.monotonic() < until, f"{self._command()[0]} did not start"
            time.sleep(0.02)

    def kill(self) -> None:
        if self._process is not None:
            self._signal(signal.SIGKILL)
            self._process.wait(10)
            self._process = None

    def hang(self) -> None:
        """Keep connections open and answer nothing."""
        self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Go on after `hang`."""
        self._signal(signal.SIGCONT)

    def _signal(self, number: int) -> None:
        """To the server and to what it started; PostgreSQL puts each connection into a process group of its own."""
        assert self._process is not None
        for process in _family(self._process.pid):
            with suppress(ProcessLookupError):
                os.kill(process, number)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()


def _family(process: int) -> list[int]:
    """A process, its children and theirs."""
    listed = subprocess.run(["pgrep", "-P", str(process)], capture_output=True, text=True, check=False).stdout
    return [process, *(descendant for child in listed.split() for descendant in _family(int(child)))]


def program(name: str, folder: str | None = None) -> str:
    """The path of a program. Where it is missing: a skip, or a failure if services are required."""
    if (found := shutil.which(name, path=folder)) is not None:
        return found
    message = f"{name} is not installed"
    if os.environ.get("REQUIRE_SERVICES") == "1":
        pytest.fail(message)
    pytest.skip(message)
