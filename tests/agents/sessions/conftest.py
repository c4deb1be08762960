"""Real stores of conversations, empty."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from agents.sessions.store import SessionStore
from tests.support.services import require_service
from tests.support.session_stores import Clock, backend_at, own_schema, store_of


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.services)])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """A place for conversations that nobody else has."""
    if request.param == "sqlite":
        yield str(tmp_path)
        return
    with own_schema(require_service("postgresql")) as url:
        yield url


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def store(place: str, clock: Clock) -> AsyncIterator[SessionStore]:
    """A running store whose time a test moves."""
    store = store_of(backend_at(place), clock)
    async with store.running():
        yield store
