"""Which request the running code belongs to, and whose it is: for log lines, problem documents and a fair share of work."""

from __future__ import annotations

from contextvars import ContextVar

REQUEST_ID_HEADER = "X-Request-ID"
NO_REQUEST = "-"
NO_CLIENT = ""
_request_id: ContextVar[str] = ContextVar("request_id", default=NO_REQUEST)
_client: ContextVar[str] = ContextVar("client", default=NO_CLIENT)


def current_request_id() -> str:
    """The id of the request being served, or ``-`` outside of one."""
    return _request_id.get()


def bind_request_id(value: str) -> None:
    """Name the request of the current context; a server runs every request in a context of its own."""
    _request_id.set(value)


def current_client() -> str:
    """Whose request is being served (`utils.middleware.rate_limit.bucket_of`); empty for the service's own work."""
    return _client.get()


def bind_client(value: str) -> None:
    """Name whose request the current context serves."""
    _client.set(value)
