"""The stores of conversations: a LangGraph checkpointer each, and a lock that all processes on the store share.

A checkpointer keeps every step of a graph, also of one that fails. Here it is given nothing but finished conversations, one
checkpoint a session (its thread), and the metadata ``run_id`` names the owner: the Redis saver can look for nothing else.
"""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

from langgraph.checkpoint.base import BaseCheckpointSaver

from agents.sessions.errors import SessionStoreRefused
from utils.config.settings import Settings

Saver = BaseCheckpointSaver[Any]

_NOT_INSTALLED = "SESSION_URL: 이 저장소에 필요한 패키지가 없습니다. `make install-{extra}`로 설치해 주세요"
_UNKNOWN = "SESSION_URL: postgresql://, redis:// 또는 rediss:// 주소여야 합니다"


class SessionBackend(Protocol):
    """A kind of store. Nothing is connected to before `open` or `try_lock`.

    ``failures`` are the exceptions by which it fails; whatever else it raises is a fault of this program.
    """

    @property
    def failures(self) -> tuple[type[Exception], ...]: ...

    def open(self) -> AbstractAsyncContextManager[Saver]:
        """Connect and have tables or indexes made. Raises `SessionStoreRefused`, or one of ``failures``."""

    async def try_lock(self, name: str) -> bool:
        """Take the lock of this name; False if another process has it. It is released when the process dies."""

    async def unlock(self, name: str) -> None:
        """Release a lock, if it is held."""

    async def tidy(self, saver: Saver) -> None:
        """Have what was deleted leave the disk, where that takes more than deleting it."""

    def use(self, url: str | None) -> None:
        """Make new connections with ``url``. Raises `SessionStoreRefused`."""

    async def aclose(self) -> None:
        """Release all locks."""


def backend_of(settings: Settings) -> SessionBackend:
    """The store that the settings name; it is not connected to.

    Raises:
        SessionStoreRefused: the packages for it are not installed.
    """
    # not at the top: a service does not load the clients of stores that it does not use
    url, limit = settings.session_url, settings.session_timeout
    scheme = (url or "").partition("://")[0].partition("+")[0]
    try:
        match scheme:
            case "":
                from agents.sessions.sqlite import SqliteSessions

                return SqliteSessions(settings.data_dir, limit)
            case "postgresql" | "postgres":
                from agents.sessions.postgres import PostgresSessions

                return PostgresSessions(url or "", limit)
            case "redis" | "rediss":
                from agents.sessions.redis import RedisSessions

                return RedisSessions(url or "", limit, settings.session_max_age, settings.request_timeout)
            case _:
                raise SessionStoreRefused(_UNKNOWN)
    except ModuleNotFoundError as error:
        raise SessionStoreRefused(_NOT_INSTALLED.format(extra="redis" if "redis" in scheme else "postgres")) from error


def is_kept_anywhere(settings: Settings) -> bool:
    """Return whether there may be conversations of before: a store is named, or its file is there."""
    from agents.sessions.sqlite import database_file

    return bool(settings.session_url) or database_file(settings.data_dir).exists()
