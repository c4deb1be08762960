"""The service as it runs: ``python main.py`` in a process of its own, on a free loopback port."""

from __future__ import annotations

import os
import secrets
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from evaluation.bench.load import LoadClient
from evaluation.bench.machine import Memory, memory_of, processor_seconds_of
from utils.config.settings import PROJECT_ROOT
from utils.middleware.api_key import API_KEY_HEADER

HOST = "127.0.0.1"
_START_TIMEOUT = 180.0
_STOP_TIMEOUT = 40.0  # longer than the service drains streams
_POLL_SECONDS = 0.01


class ServiceFailed(OSError):
    """The service did not start; the message ends with what it said last."""


class RunningService:
    """``with RunningService(data_dir, log) as service``: started and ready; stopped on leaving.

    The extractive answer serves and nothing is limited or cached, unless ``settings`` (environment names) say otherwise.
    """

    def __init__(
        self, data_dir: Path, log: Path, settings: Mapping[str, str] | None = None, checkout: Path = PROJECT_ROOT
    ) -> None:
        """``checkout``: the folder whose ``main.py`` is started, of another version of the code for a comparison."""
        self._log = log
        self._checkout = checkout
        self.port = _free_port()
        key = secrets.token_hex(16)
        headers = {API_KEY_HEADER: key}
        self.address = f"http://{HOST}:{self.port}", headers
        """Where it is, and what every request has to carry."""
        self.client = LoadClient(HOST, self.port, headers)
        self._environment = {
            "DATA_DIR": str(data_dir.resolve()),
            "HOST": HOST,
            "PORT": str(self.port),
            "API_KEYS": f"bench={key}:chat",
            "LLM_PROVIDER": "extractive",
            "ENABLE_RATE_LIMIT": "false",
            "ENABLE_RESPONSE_CACHE": "false",
            "LOG_LEVEL": "WARNING",
            **(settings or {}),
        }
        self._process: subprocess.Popen[bytes] | None = None
        self.seconds_to_ready = 0.0
        self.processor_seconds_to_ready: float | None = None

    def __enter__(self) -> Self:
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        started = time.perf_counter()
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, "main.py"],
                cwd=self._checkout,
                env=environment | self._environment,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        try:
            self._wait_until_ready(self._process, started + _START_TIMEOUT)
        except BaseException:
            self._stop()
            raise
        self.seconds_to_ready = time.perf_counter() - started
        self.processor_seconds_to_ready = processor_seconds_of(self._process.pid)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop()

    @property
    def pid(self) -> int | None:
        """The process; None while it does not run."""
        return None if self._process is None else self._process.pid

    def memory(self) -> Memory | None:
        """Return the memory of the process; None if the system does not tell."""
        return None if self._process is None else memory_of(self._process.pid)

    def processor_seconds(self) -> float | None:
        """Return the seconds that the process has computed so far; None where the system does not tell."""
        return None if self._process is None else processor_seconds_of(self._process.pid)

    def _wait_until_ready(self, process: subprocess.Popen[bytes], until: float) -> None:
        url = f"http://{HOST}:{self.port}/health/ready"
        while True:
            try:
                with urllib.request.urlopen(url, timeout=5):
                    return
            except (urllib.error.URLError, OSError):
                pass  # not listening, or not ready yet
            if process.poll() is not None or time.perf_counter() > until:
                said = self._log.read_text(encoding="utf-8", errors="replace").splitlines()[-5:]
                raise ServiceFailed("the service did not start: " + " | ".join(said))
            time.sleep(_POLL_SECONDS)

    def _stop(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.terminate()
        try:
            process.wait(_STOP_TIMEOUT)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _free_port() -> int:
    with socket.create_server((HOST, 0)) as taken:
        port: int = taken.getsockname()[1]
        return port
