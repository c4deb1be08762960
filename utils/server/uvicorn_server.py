"""The HTTP server around the application: its bounds, and how it stops."""

from __future__ import annotations

import asyncio
import socket
from dataclasses import dataclass, field
from typing import Self

import uvicorn
from starlette.types import ASGIApp

from utils.config.settings import Settings
from utils.observability.metrics import Metrics
from utils.observability.telemetry import Telemetry
from utils.server.connection_gate import ConnectionGate
from utils.server.drain import Drain
from utils.server.http_protocol import bounded_protocol

DRAIN_SECONDS = 20.0
_FAREWELL_SECONDS = 3  # to tell those that the drain leaves without an answer
_PARTING_SECONDS = 2.0  # where other processes take the next connection
_POLL_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class Runtime:
    """Objects that application and server share."""

    telemetry: Telemetry = field(default_factory=Telemetry)
    drain: Drain = field(default_factory=Drain)

    @classmethod
    def of(cls, settings: Settings) -> Self:
        """Return what a service with these settings needs; raises as `Telemetry.of`."""
        return cls(Telemetry.of(settings))

    @property
    def metrics(self) -> Metrics:
        return self.telemetry.metrics


class DrainingServer(uvicorn.Server):
    """Gives requests under way ``drain_seconds`` to finish, then ends them with an error that says so.

    Connections that wait for a request stay open for ``parting_seconds``: a client that just sends its next request on one gets
    its answer, and is told with it to connect anew, which leads it to another process.
    """

    def __init__(self, config: uvicorn.Config, drain: Drain, drain_seconds: float, parting_seconds: float) -> None:
        super().__init__(config)
        self._drain = drain
        self._drain_seconds = drain_seconds
        self._parting_seconds = parting_seconds

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._drain.begin()
        end = asyncio.get_running_loop().call_later(self._drain_seconds, self._drain.end)
        try:
            await self._part(sockets or [])
            await super().shutdown()
        finally:
            end.cancel()

    async def _part(self, sockets: list[socket.socket]) -> None:
        """Take no new connections, and wait a while for the open ones to be left."""
        for server in self.servers:
            server.close()
        for listener in sockets:
            listener.close()
        loop = asyncio.get_running_loop()
        until = loop.time() + self._parting_seconds
        while self.server_state.connections and loop.time() < until and not self.force_exit:  # noqa: ASYNC110
            await asyncio.sleep(_POLL_SECONDS)  # uvicorn tells nobody when one is lost


def build_server(
    app: ASGIApp, settings: Settings, runtime: Runtime, drain_seconds: float = DRAIN_SECONDS
) -> DrainingServer:
    """The server of ``app``; `run` it in the main thread, which then takes the signals to stop."""
    config = uvicorn.Config(
        app,
        host=settings.host,
        port=settings.port,
        http=bounded_protocol(ConnectionGate.from_settings(settings, runtime.metrics)),
        lifespan="on",
        ws="none",
        log_config=None,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=round(drain_seconds) + _FAREWELL_SECONDS,
    )
    return DrainingServer(config, runtime.drain, drain_seconds, _PARTING_SECONDS if settings.workers > 1 else 0.0)
