"""Turns every HTTP request that would leave this machine into a test failure, whatever the code under test catches.

pytest-socket blocks such a connection too, but its error looks like an outage, which the service survives by design: a test
that forgot to script a model would go on, answered by the fallback.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import httpx2
import pytest

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


@contextmanager
def no_requests_off_this_machine() -> Iterator[list[str]]:
    """While active, yields the hosts that were asked for and refused; the caller fails the test when there are any."""
    refused: list[str] = []

    def check(host: str) -> None:
        if host.strip("[]") not in LOOPBACK:
            refused.append(host)
            raise RuntimeError(f"a test sent a request to {host}; use a scripted server on loopback")

    with pytest.MonkeyPatch.context() as patch:
        for library in (httpx, httpx2):
            _guard(patch, library, check)
        yield refused


def _guard(patch: pytest.MonkeyPatch, library: Any, check: Callable[[str], None]) -> None:
    send = library.HTTPTransport.handle_request
    asend = library.AsyncHTTPTransport.handle_async_request

    def guarded(transport: Any, request: Any) -> Any:
        check(request.url.host)
        return send(transport, request)

    async def aguarded(transport: Any, request: Any) -> Any:
        check(request.url.host)
        return await asend(transport, request)

    patch.setattr(library.HTTPTransport, "handle_request", guarded)
    patch.setattr(library.AsyncHTTPTransport, "handle_async_request", aguarded)
