"""Real servers for tests: the address of one that runs, else a skip with the reason, or a failure where it is required."""

from __future__ import annotations

import os
import shutil
import socket
from typing import Literal
from urllib.parse import urlsplit

import pytest

ServiceName = Literal["postgresql", "mysql", "redis", "chromium"]

_DEFAULT_URLS = {
    "postgresql": "postgresql+psycopg://postgres@127.0.0.1:5432/test",
    "mysql": "mysql+pymysql://root@127.0.0.1:3306/test",
    "redis": "redis://127.0.0.1:6379/15",
}
_REMEDIES = {
    "postgresql": "start PostgreSQL on loopback or set TEST_POSTGRESQL_URL",
    "mysql": "start MySQL or MariaDB on loopback or set TEST_MYSQL_URL",
    "redis": "start Redis on loopback or set TEST_REDIS_URL",
    "chromium": "install chromium (apt-get install chromium)",
}


def require_service(name: ServiceName) -> str:
    """The URL of a running server (or the path of the browser).

    Without it the test is skipped; with ``REQUIRE_SERVICES=1`` in the environment it fails.
    """
    if (found := _find_browser() if name == "chromium" else _find_server(name)) is not None:
        return found
    message = f"{name} is not there: {_REMEDIES[name]}"
    if os.environ.get("REQUIRE_SERVICES") == "1":
        pytest.fail(message)
    pytest.skip(message)


def _find_browser() -> str | None:
    return shutil.which("chromium")


def _find_server(name: str) -> str | None:
    url = os.environ.get(f"TEST_{name.upper()}_URL") or _DEFAULT_URLS[name]
    parts = urlsplit(url)
    try:
        socket.create_connection((parts.hostname or "127.0.0.1", parts.port or 0), timeout=2).close()
    except OSError:
        return None
    return url
