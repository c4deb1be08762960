"""A Redis of a test's own."""

from __future__ import annotations

import socket

from tests.support.own_server import OwnServer, program


class RedisServer(OwnServer):
    """``options`` are those of the command line."""

    def __init__(self, *options: str) -> None:
        super().__init__()
        self._program = program("redis-server")
        self._options = options
        self.url = f"redis://127.0.0.1:{self.port}/0"

    def _command(self) -> list[str]:
        return [
            *(self._program, "--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"),
            *self._options,
        ]

    def _answers(self) -> bool:
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=1) as connection:
                connection.sendall(b"PING\r\n")
                return connection.recv(16).startswith((b"+PONG", b"-NOAUTH"))
        except OSError:
            return False
