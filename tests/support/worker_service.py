"""The whole service in several processes, started as an operator starts it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import httpx

from utils.config.settings import PROJECT_ROOT


class WorkerService:
    """``python main.py`` with ``WORKERS``; its log goes to ``log``."""

    def __init__(self, environment: Mapping[str, str], log: Path) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = log
        with log.open("w") as output:
            self.process = subprocess.Popen(
                [sys.executable, "main.py"],
                cwd=PROJECT_ROOT,
                env={**os.environ, **environment, "PORT": str(self.port)},
                stdout=output,
                stderr=subprocess.STDOUT,
            )

    def workers(self) -> list[int]:
        """The processes that serve or are about to, the oldest first."""
        listed = subprocess.run(
            ["pgrep", "-P", str(self.process.pid), "-f", "spawn_main"], capture_output=True, text=True, check=False
        )
        return sorted(map(int, listed.stdout.split()))

    def wait_for_starts(self, count: int, seconds: float = 200) -> list[int]:
        """Return the workers, once as many have started since the beginning."""
        until = time.monotonic() + seconds
        while self.log.read_text().count("Application startup complete") < count:
            assert self.process.poll() is None, self.log.read_text()[-3000:]
            assert time.monotonic() < until, self.log.read_text()[-3000:]
            time.sleep(0.2)
        return self.workers()

    @contextmanager
    def client_of(self, worker: int, **headers: str) -> Iterator[httpx.Client]:
        """Yield a client whose one connection is served by ``worker``: the others stand still while it connects."""
        others = [pid for pid in self.workers() if pid != worker]
        with httpx.Client(
            base_url=self.url, timeout=60, headers=headers, limits=httpx.Limits(max_connections=1)
        ) as client:
            for pid in others:
                os.kill(pid, signal.SIGSTOP)
            try:
                client.get("/health/live").raise_for_status()
            finally:
                for pid in others:
                    os.kill(pid, signal.SIGCONT)
            yield client

    def stop(self) -> int:
        """End it as an operator does; the result is its exit code."""
        self.process.terminate()
        return self.process.wait(90)
