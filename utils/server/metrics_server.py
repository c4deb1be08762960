"""The metrics on a port of their own, beside the service: no key, no page, nothing else."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from wsgiref.simple_server import WSGIRequestHandler, make_server

from prometheus_client import CollectorRegistry, make_wsgi_app
from prometheus_client.exposition import ThreadingWSGIServer

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

    class Server(ThreadingWSGIServer):
        address_family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
        allow_reuse_port = settings.workers > 1  # each process listens, and tells what all have counted

    server = make_server(settings.host, settings.metrics_port, make_wsgi_app(registry), Server, _QuietHandler)
    thread = threading.Thread(target=server.serve_forever, name="metrics", daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _QuietHandler(WSGIRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of the base class
        """Write nothing."""
