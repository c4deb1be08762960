"""The store of the conversations for the life of a service: what refuses to work keeps it from starting."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext

from agents.sessions.errors import SessionStoreRefused
from agents.sessions.store import SessionStore
from utils.config.settings import Settings
from utils.middleware.error_boundary import StartupError


def session_store(settings: Settings) -> SessionStore | None:
    """The store of the conversations; None where there is nothing to keep or to remove. Raises `StartupError`."""
    try:
        return SessionStore.from_settings(settings)
    except SessionStoreRefused as error:
        raise StartupError(f"시작할 수 없습니다. {error}") from error


@asynccontextmanager
async def kept_sessions(store: SessionStore | None) -> AsyncIterator[None]:
    """Keep the store running for the block. Conversations of before expire even where sessions are off.

    Raises:
        StartupError: the store can never work.
    """
    try:
        async with store.running() if store else nullcontext():
            yield
    except SessionStoreRefused as error:
        raise StartupError(f"시작할 수 없습니다. {error}") from error
