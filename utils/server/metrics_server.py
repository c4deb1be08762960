"""The metrics on a port of their own, beside the service: no key, no page, nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from prometheus_client import CollectorRegistry, start_http_server

from utils.config.settings import Settings


@contextmanager
def metrics_served(settings: Settings, registry: CollectorRegistry) -> Iterator[None]:
    """Serve ``registry`` on ``METRICS_PORT`` while the block lasts, in threads of its own; nothing without the setting.

    Raises:
        OSError: the port cannot be used.
    """
    if settings.metrics_port is None:
        yield
        return
    server, thread = start_http_server(settings.metrics_port, settings.host, registry)
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
