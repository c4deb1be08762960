"""Limit the number of connections, in all and of one address."""

from __future__ import annotations

import resource
from collections import defaultdict
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Protocol, Self

from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from utils.config.settings import Settings
from utils.http.client_network import network_of
from utils.observability.metrics import Metrics, RefusalCause

_MOST_CONNECTIONS = 4096
_MOST_TURNED_AWAY = 64
_LINGER_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """Bounds of connections: bytes, counts and seconds.

    ``linger`` and ``ignored``: how long, and how many bytes of, what a refused client still sends is read and forgotten.
    """

    connections: int
    per_address: int
    head_bytes: int
    head_timeout: float
    write_timeout: float
    linger: float
    headers: int = 100
    pipelined: int = 16
    ignored: int = 1_048_576

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        """The configured limits; where none is set, shares of what the process may open."""
        connections = settings.max_connections or min(_MOST_CONNECTIONS, max(2, _descriptors() // 2))
        return cls(
            connections=connections,
            per_address=settings.max_connections_per_address or max(1, connections // 2),
            head_bytes=settings.max_head_bytes,
            head_timeout=settings.head_timeout,
            write_timeout=settings.write_timeout,
            linger=min(_LINGER_SECONDS, settings.write_timeout),
        )


class Connection(Protocol):
    """The part of a connection that the gate uses."""

    @property
    def peer(self) -> str | None: ...

    @property
    def idle_since(self) -> float | None:
        """The loop's time since when it waits for a request; None while one is served."""

    def drop(self) -> None: ...


class ConnectionGate:
    """Lets connections in while there is room.

    Without room the one that has been idle the longest is dropped for the new one, so that connections which ask for nothing
    keep nobody out; only when all are busy the new one is turned away. ``is_exempt`` tells peers that speak for many clients: they count
    in all and not as one address.
    """

    def __init__(self, limits: ConnectionLimits, is_exempt: Callable[[str], bool], metrics: Metrics) -> None:
        self.limits = limits
        self.metrics = metrics
        self._is_exempt = is_exempt
        self._open: dict[Connection, str | None] = {}
        self._of_network: defaultdict[str, set[Connection]] = defaultdict(set)
        self._turned_away: set[Connection] = set()

    @classmethod
    def from_settings(cls, settings: Settings, metrics: Metrics) -> Self:
        """The gate as configured; proxies are recognised as where their headers are read."""
        proxies = ProxyHeadersMiddleware(_nothing, list(settings.trusted_proxies)).trusted_hosts
        return cls(ConnectionLimits.from_settings(settings), proxies.__contains__, metrics)

    @property
    def is_flooded(self) -> bool:
        """True if so many connections are refused that none is told why."""
        return len(self._turned_away) > _MOST_TURNED_AWAY

    def admit(self, connection: Connection) -> bool:
        """Count a connection, or turn it away; either way `release` it when it is lost."""
        peer = connection.peer
        network = None if peer is None or self._is_exempt(peer) else network_of(peer)
        siblings: Collection[Connection] = self._of_network[network] if network else ()
        crowded = siblings if len(siblings) >= self.limits.per_address else None
        if crowded is None and len(self._open) >= self.limits.connections:
            crowded = self._open
        if crowded is not None and not self._drop_idle(crowded):
            self._turned_away.add(connection)
            self.metrics.refused(RefusalCause.CONNECTIONS)
            return False
        self._open[connection] = network
        if network:
            self._of_network[network].add(connection)
        self.metrics.connections.set(len(self._open))
        return True

    def release(self, connection: Connection) -> None:
        """Forget a connection."""
        self._turned_away.discard(connection)
        network = self._open.pop(connection, None)
        if network:
            self._of_network[network].discard(connection)
            if not self._of_network[network]:
                del self._of_network[network]
        self.metrics.connections.set(len(self._open))

    def _drop_idle(self, connections: Collection[Connection]) -> bool:
        idle = [(since, connection) for connection in connections if (since := connection.idle_since) is not None]
        if not idle:
            return False
        _, longest = min(idle, key=lambda pair: pair[0])
        self.release(longest)
        self.metrics.refused(RefusalCause.CONNECTIONS)
        longest.drop()
        return True


def _descriptors() -> int:
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 2 * _MOST_CONNECTIONS if soft == resource.RLIM_INFINITY else soft


async def _nothing(*_: object) -> None:
    """Stand in for the application where only the list of proxies is read."""
