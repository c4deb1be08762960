"""A load client over plain sockets: it takes little of the processor that it shares with the service it measures."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

_LENGTH = re.compile(rb"^content-length:\s*(\d+)\r$", re.IGNORECASE | re.MULTILINE)
_REQUEST_TIMEOUT = 60.0


class LoadError(OSError):
    """The service did not answer as it should; what it is measured at would mean nothing."""


@dataclass(frozen=True, slots=True)
class Load:
    """Milliseconds of each request, in the order in which they ended, and seconds of all together."""

    times_ms: tuple[float, ...]
    seconds: float

    @property
    def percentiles(self) -> dict[str, float]:
        """``ms_p50`` and ``ms_p95``."""
        p50, p95 = np.percentile(self.times_ms, (50, 95)).tolist()
        return {"ms_p50": p50, "ms_p95": p95}

    @property
    def rate(self) -> float:
        """Requests a second."""
        return len(self.times_ms) / self.seconds


class LoadClient:
    """Sends requests to one address over kept-alive connections."""

    def __init__(self, host: str, port: int, headers: Mapping[str, str] | None = None) -> None:
        self._host = host
        self._port = port
        self._head = _lines(headers)

    def get(self, path: str) -> bytes:
        """The bytes of a GET request."""
        return f"GET {path} HTTP/1.1\r\nHost: {self._host}\r\n{self._head}\r\n".encode()

    def post(self, path: str, document: object, headers: Mapping[str, str] | None = None) -> bytes:
        """The bytes of a POST request of a JSON document, with headers of its own."""
        body = json.dumps(document, ensure_ascii=False).encode()
        head = f"POST {path} HTTP/1.1\r\nHost: {self._host}\r\n{self._head}{_lines(headers)}Content-Type: application/json\r\n"
        return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body

    async def fetch(self, request: bytes) -> bytes:
        """The body of one answer. Raises `LoadError`."""
        connection = await self._connect()
        try:
            return await connection.send(request)
        finally:
            connection.close()

    async def run(self, requests: Iterable[bytes], connections: int = 1, seconds: float | None = None) -> Load:
        """Send the requests over so many connections at once; ``seconds`` ends it before the requests do.

        Raises:
            LoadError: an answer other than 200, or none.
        """
        waiting = iter(requests)
        opened = [await self._connect() for _ in range(connections)]
        started = time.perf_counter()
        until = started + seconds if seconds is not None else None
        times: list[float] = []
        try:
            async with asyncio.TaskGroup() as group:
                for connection in opened:
                    group.create_task(_work(connection, waiting, until, times))
        except* LoadError as group_error:
            raise group_error.exceptions[0] from None
        finally:
            for connection in opened:
                connection.close()
        return Load(tuple(times), time.perf_counter() - started)

    async def open(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """A connection of one's own. Raises OSError."""
        return await asyncio.open_connection(self._host, self._port)

    async def _connect(self) -> _Connection:
        try:
            return _Connection(*await self.open())
        except OSError as error:
            raise LoadError(f"no connection to {self._host}:{self._port}: {error}") from error


class _Connection:
    """A kept-alive HTTP/1.1 connection; responses need a Content-Length."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def send(self, request: bytes) -> bytes:
        self._writer.write(request)
        try:
            async with asyncio.timeout(_REQUEST_TIMEOUT):
                head = await self._reader.readuntil(b"\r\n\r\n")
                length = _LENGTH.search(head)
                body = await self._reader.readexactly(int(length[1])) if length else b""
        except (TimeoutError, asyncio.IncompleteReadError, OSError) as error:
            raise LoadError(f"no whole answer: {error or type(error).__name__}") from error
        if head.split(maxsplit=2)[1] != b"200" or length is None:
            raise LoadError(
                f"not an answer to measure: {head.splitlines()[0].decode()} {body[:200].decode(errors='replace')}"
            )
        return body

    def close(self) -> None:
        self._writer.close()


def _lines(headers: Mapping[str, str] | None) -> str:
    return "".join(f"{name}: {value}\r\n" for name, value in (headers or {}).items())


async def _work(connection: _Connection, waiting: Iterator[bytes], until: float | None, times: list[float]) -> None:
    for request in waiting:
        started = time.perf_counter()
        await connection.send(request)
        ended = time.perf_counter()
        times.append((ended - started) * 1000)
        if until is not None and ended >= until:
            return
