"""Which request the running code belongs to, for log lines and problem documents."""

from __future__ import annotations

from contextvars import ContextVar

NO_REQUEST = "-"
_request_id: ContextVar[str] = ContextVar("request_id", default=NO_REQUEST)


def current_request_id() -> str:
    """The id of the request being served, or ``-`` outside of one."""
    return _request_id.get()


def bind_request_id(value: str) -> None:
    """Name the request of the current context; a server runs every request in a context of its own."""
    _request_id.set(value)
