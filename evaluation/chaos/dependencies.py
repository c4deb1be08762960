"""Servers that a service depends on, started for a trial or reached through a proxy, and the ways to break them."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from evaluation.chaos.proxy import BreakableProxy

HOST = "127.0.0.1"
_START_SECONDS = 60.0
_POLL_SECONDS = 0.05
_STOP_SECONDS = 10.0


class Dependency(ABC):
    """A server with the ways to break it.

    ``component`` is what an answer names while it is away, ``notice`` the seconds after which every answer has to: zero where
    each question calls it.
    """

    def __init__(self, name: str, component: str, notice: float = 0.0) -> None:
        self.name = name
        self.component = component
        self.notice = notice

    @property
    @abstractmethod
    def port(self) -> int:
        """The port at which the service finds it."""

    @property
    @abstractmethod
    def breaks(self) -> Mapping[str, Callable[[], None]]:
        """The ways to break it, by what the table calls them."""

    @abstractmethod
    def restore(self) -> None:
        """Have it work again, and wait until it does."""

    @abstractmethod
    def __enter__(self) -> Self: ...

    @abstractmethod
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class OwnProcess(Dependency):
    """A program that is started for the trial; ``command`` is made from the port that it is given."""

    def __init__(self, name: str, component: str, command: Callable[[int], Sequence[str]]) -> None:
        super().__init__(name, component)
        self._port = _free_port()
        self._command = command
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def port(self) -> int:
        return self._port

    @property
    def breaks(self) -> Mapping[str, Callable[[], None]]:
        return {"is killed": self._kill, "hangs": self._freeze, "is killed and started at once": self._restart}

    def restore(self) -> None:
        if self._process is None:
            self._start()
        else:
            self._process.send_signal(signal.SIGCONT)

    def __enter__(self) -> Self:
        self._start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._kill()

    def _start(self) -> None:
        command = self._command(self._port)
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # noqa: S603
        until = time.monotonic() + _START_SECONDS
        while not _listens(self._port):
            if self._process.poll() is not None or time.monotonic() > until:
                raise OSError(f"{command[0]} did not start")
            time.sleep(_POLL_SECONDS)

    def _kill(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait(_STOP_SECONDS)

    def _freeze(self) -> None:
        if self._process is not None:
            self._process.send_signal(signal.SIGSTOP)

    def _restart(self) -> None:
        self._kill()
        self._start()


class BehindProxy(Dependency):
    """A server that runs anyway and is reached through a proxy: it is the way to it that is broken."""

    def __init__(self, name: str, component: str, address: tuple[str, int], notice: float = 0.0) -> None:
        super().__init__(name, component, notice)
        self._proxy = BreakableProxy(*address)

    @property
    def port(self) -> int:
        return self._proxy.port

    @property
    def breaks(self) -> Mapping[str, Callable[[], None]]:
        return {"refuses": self._proxy.refuse, "hangs": self._proxy.hang}

    def restore(self) -> None:
        self._proxy.pass_on()

    def __enter__(self) -> Self:
        self._proxy.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._proxy.__exit__(kind, error, trace)


def chroma_process(folder: Path) -> OwnProcess:
    """A Chroma server that stores in ``folder``."""
    program = str(Path(sys.executable).parent / "chroma")
    return OwnProcess(
        "Chroma server",
        "vector",
        lambda port: [program, "run", "--path", str(folder), "--host", HOST, "--port", str(port)],
    )


def redis_process() -> OwnProcess:
    """A Redis that keeps nothing on disk."""
    return OwnProcess(
        "Redis",
        "redis",
        lambda port: ["redis-server", "--port", str(port), "--bind", HOST, "--save", "", "--appendonly", "no"],
    )


def stub_process(name: str, component: str) -> OwnProcess:
    """An embedding, rerank or model server that says the same of everything, quickly."""
    options = ("--tokens", "20", "--pace", "200", "--think", "0.02")
    return OwnProcess(
        name,
        component,
        lambda port: [sys.executable, "-m", "evaluation.bench.model_stub", str(port), *options],
    )


def _listens(port: int) -> bool:
    with suppress(OSError), socket.create_connection((HOST, port), timeout=1):
        return True
    return False


def _free_port() -> int:
    with socket.create_server((HOST, 0)) as taken:
        port: int = taken.getsockname()[1]
        return port
