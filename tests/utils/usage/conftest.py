"""Real stores of usage, empty."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.services import require_service
from tests.support.usage_stores import SECONDS, own_database
from utils.observability.request_context import NO_CLIENT, bind_client
from utils.usage.store import UsageStore


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.services)])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """A database that nobody else has."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'usage' / 'usage.db'}"
        return
    with own_database(require_service("postgresql")) as url:
        yield url


@pytest.fixture
def store(url: str) -> Iterator[UsageStore]:
    """A store with nothing in it."""
    store = UsageStore(url, SECONDS)
    yield store
    store.close()


@pytest.fixture(autouse=True)
def _nobody_is_served() -> Iterator[None]:
    yield
    bind_client(NO_CLIENT)
