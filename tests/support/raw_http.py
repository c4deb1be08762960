"""Connections of a client that keeps to no rule: bytes in, bytes out."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any


def connect(port: int, source: str = "127.0.0.1") -> socket.socket:
    """A connection to a local server, from any loopback address."""
    return socket.create_connection(("127.0.0.1", port), timeout=10, source_address=(source, 0))


@contextmanager
def connections(port: int, count: int, first: bytes = b"", source: str = "127.0.0.1") -> Iterator[list[socket.socket]]:
    """So many connections that have each sent ``first``."""
    with ExitStack() as stack:
        opened = []
        for _ in range(count):
            connection = stack.enter_context(connect(port, source))
            connection.sendall(first)
            opened.append(connection)
        yield opened


def head(method: str, path: str, *headers: str, end: bool = True) -> bytes:
    """A request head; without its ``end`` it goes on."""
    lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", *headers]
    return ("\r\n".join(lines) + ("\r\n\r\n" if end else "\r\n")).encode()


def post(path: str, document: object, *headers: str) -> bytes:
    """A whole request with a JSON body."""
    body = json.dumps(document).encode()
    return head("POST", path, "Content-Type: application/json", f"Content-Length: {len(body)}", *headers) + body


def read_to_end(connection: socket.socket, seconds: float = 10) -> bytes:
    """Everything until the server closes; a connection that stays open fails with `TimeoutError`."""
    connection.settimeout(seconds)
    received = b""
    try:
        while piece := connection.recv(65_536):
            received += piece
    except ConnectionResetError:
        pass
    return received


def send_until_refused(connection: socket.socket, piece: bytes, most: int) -> int:
    """Send ``piece`` again and again until the server closes, at most ``most`` bytes; the bytes that it took."""
    sent = 0
    try:
        while sent < most:
            connection.sendall(piece)
            sent += len(piece)
    except (ConnectionError, TimeoutError):
        pass
    return sent


def problem_of(response: bytes) -> dict[str, Any]:
    """The problem document of a response, whose head agrees with it."""
    first, _, rest = response.partition(b"\r\n")
    fields, _, body = rest.partition(b"\r\n\r\n")
    assert b"application/problem+json" in fields.lower(), response[:300]
    document: dict[str, Any] = json.loads(body)
    assert int(first.split()[1]) == document["status"]
    return document
