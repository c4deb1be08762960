"""Where the service is, and with which key."""

from __future__ import annotations

import httpx

from bizi_client.generated.client import AuthenticatedClient

Client = AuthenticatedClient
"""A client of the service; `connect` makes one."""
_SECONDS = 65.0  # the service itself gives up after sixty


def connect(url: str, key: str = "", seconds: float = _SECONDS) -> Client:
    """Return a client of the service at ``url``, for the functions of `bizi_client.generated.api` and for `stream`.

    Nothing is sent yet. ``seconds`` is the longest wait for a connection and for each piece of an answer.
    """
    return Client(
        base_url=url,
        token=key,
        prefix="",
        auth_header_name="X-API-Key",
        timeout=httpx.Timeout(seconds),
        raise_on_unexpected_status=True,
    )
