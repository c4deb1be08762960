"""The stub service on a real socket."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest

from main import create_app
from tests.contract.stub_service import StubServices
from tests.support.loop_guard import loop_stays_free
from utils.config.settings import Settings
from utils.server.uvicorn_server import Runtime, build_server

CHAT_KEY = "chat-key-0123456789"
ADMIN_KEY = "admin-key-0123456789"


class Service:
    """A running service: its address, its application and the stubs behind it."""

    def __init__(self, stubs: StubServices, runtime: Runtime | None = None, **settings: Any) -> None:
        self.stubs = stubs
        runtime = runtime or Runtime()
        configured = make_settings(**settings)
        self.app = create_app(configured, stubs, runtime)
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._server = build_server(self.app, configured, runtime, drain_seconds=1)
        self._thread = threading.Thread(target=self._server.run, kwargs={"sockets": [self._socket]}, daemon=True)

    def start(self) -> None:
        self._thread.start()
        until = time.monotonic() + 10
        while not self._server.started:
            assert time.monotonic() < until, "the service did not start"
            time.sleep(0.005)

    def stop(self) -> None:
        self._server.should_exit = True
        self._thread.join(10)
        self._socket.close()

    def client(self) -> httpx.Client:
        return httpx.Client(base_url=self.url, timeout=10, trust_env=False, verify=False)  # no TLS to set up


def make_settings(**settings: Any) -> Settings:
    """Tests ask more often than a client may, and few read the schema, which takes a second to make: both are on when asked for."""
    return Settings(**{"enable_rate_limit": False, "enable_docs": False} | settings)


@contextmanager
def running(stubs: StubServices | None = None, runtime: Runtime | None = None, **settings: Any) -> Iterator[Service]:
    service = Service(stubs or StubServices(), runtime, **settings)
    service.start()
    try:
        yield service
    finally:
        service.stop()


@pytest.fixture(scope="session")
def service() -> Iterator[Service]:
    with running(enable_docs=True) as service:
        yield service


@pytest.fixture(scope="session")
def client(service: Service) -> Iterator[httpx.Client]:
    with service.client() as client:
        yield client


@pytest.fixture(scope="session")
def guarded() -> Iterator[Service]:
    """The service with a chat key and an admin key."""
    keys = f"web={CHAT_KEY}:chat,ops={ADMIN_KEY}:admin|documents"
    with running(api_keys=keys, enable_docs=True) as service:
        yield service


@pytest.fixture(autouse=True)
def _loop_stays_free() -> Iterator[None]:
    with loop_stays_free():
        yield
