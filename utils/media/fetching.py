"""Fetches pictures from public addresses: none within the house can be reached by naming it.

The address that a name stands for is looked up once and checked, and that one is connected to: a name that stands for another
address a moment later (DNS rebinding) gains nothing. A redirect is another connection, and checked like the first.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import ssl
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import aclosing
from typing import Any
from urllib.parse import urljoin, urlsplit

import httpcore2

IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
"""Returns the addresses that a name stands for."""

_MOST_REDIRECTS = 3
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_HEADERS = {"User-Agent": "bizi-rag", "Accept": "image/png, image/jpeg, image/webp, image/gif"}


class FetchRefused(Exception):
    """Nothing was fetched; the message, for the log, says why and names no address."""


def is_public(address: IPAddress) -> bool:
    """Return True for an address of the open internet, also where it stands within one of IPv6."""
    if isinstance(address, ipaddress.IPv6Address):
        within = address.ipv4_mapped or address.sixtofour or (address.teredo or (None, None))[1]
        if address in _NAT64:
            within = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        if within is not None:
            return is_public(within)
    return address.is_global and not address.is_multicast and not address.is_reserved


async def resolved(host: str, port: int) -> Sequence[str]:
    """Return the addresses of a name, by the resolver of the system."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(entry[4][0]) for entry in found]


class _PublicBackend(httpcore2.AsyncNetworkBackend):
    """Connects to the addresses that ``allows`` lets pass."""

    def __init__(self, allows: Callable[[IPAddress], bool], resolve: Resolve) -> None:
        self._allows = allows
        self._resolve = resolve
        self._network = httpcore2.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - the interface of httpcore
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        try:
            found = [ipaddress.ip_address(text.partition("%")[0]) for text in await self._resolve(host, port)]
        except (OSError, ValueError) as error:
            raise FetchRefused("the name stands for no address") from error
        # one that is not allowed is enough: a name of the open internet stands for public addresses alone
        if not found or not all(map(self._allows, found)):
            raise FetchRefused("not a public address")
        return await self._network.connect_tcp(str(found[0]), port, timeout, local_address, socket_options)


class PublicFetcher:
    """Fetches what is at an http(s) address. ``allows`` tells the addresses that may be connected to."""

    def __init__(
        self,
        seconds: float,
        most: int,
        allows: Callable[[IPAddress], bool] = is_public,
        resolve: Resolve = resolved,
    ) -> None:
        self._seconds = seconds
        self._most = most
        self._backend = _PublicBackend(allows, resolve)

    async def fetch(self, address: str) -> bytes:
        """Return the body at an address, of at most the bytes allowed. No proxy is asked and no cookie sent.

        Raises:
            FetchRefused: it is not public, or gave no body in time.
        """
        context = ssl.create_default_context()
        try:
            async with (
                asyncio.timeout(self._seconds),
                httpcore2.AsyncConnectionPool(ssl_context=context, network_backend=self._backend) as pool,
            ):
                for _ in range(_MOST_REDIRECTS + 1):
                    body, elsewhere = await self._once(pool, address)
                    if elsewhere is None:
                        return body
                    address = urljoin(address, elsewhere)
        except TimeoutError as error:
            raise FetchRefused("it took too long") from error
        except (httpcore2.NetworkError, httpcore2.ProtocolError, httpcore2.TimeoutException, OSError) as error:
            raise FetchRefused(type(error).__name__) from error
        raise FetchRefused("too many redirects")

    async def _once(self, pool: httpcore2.AsyncConnectionPool, address: str) -> tuple[bytes, str | None]:
        """The body of one answer, or where it sends to."""
        try:
            parts = urlsplit(address)
            is_web = parts.scheme in ("http", "https") and parts.hostname is not None and parts.port != 0
        except ValueError:
            is_web = False
        if not is_web or not address.isascii():
            raise FetchRefused("not an address of the web")
        if parts.username is not None:
            raise FetchRefused("an address with a user")
        async with pool.stream("GET", address, headers=list(_HEADERS.items())) as answer:
            if answer.status in _REDIRECTS:
                location = dict(answer.headers).get(b"location") or dict(answer.headers).get(b"Location")
                if location is None:
                    raise FetchRefused("a redirect to nowhere")
                return b"", location.decode("ascii", errors="replace")
            if answer.status != 200:
                raise FetchRefused(f"status {answer.status}")
            body = bytearray()
            async with aclosing(answer.aiter_stream()) as pieces:
                async for piece in pieces:
                    body += piece
                    if len(body) > self._most:
                        raise FetchRefused("more bytes than a picture may have")
            return bytes(body), None
