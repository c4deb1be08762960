"""Fetching from public addresses, against a server on loopback that stands for the internet where a test says so."""

from __future__ import annotations

import asyncio
import ipaddress
from collections.abc import Iterator, Sequence

import pytest
from fastapi import FastAPI
from fastapi.responses import RedirectResponse, Response, StreamingResponse

from tests.support.local_server import LocalServer
from tests.support.media import PNG
from utils.media.fetching import FetchRefused, IPAddress, PublicFetcher, is_public, resolved

HOME = ipaddress.ip_address("127.0.0.1")


@pytest.fixture(scope="module")
def server() -> Iterator[LocalServer]:
    app = FastAPI()
    app.add_api_route("/a.png", lambda: Response(PNG, media_type="image/png"))
    app.add_api_route("/inside", lambda: RedirectResponse("http://127.0.0.2:1/secret"))
    app.add_api_route("/moved", lambda: RedirectResponse("/a.png"))
    app.add_api_route("/round", lambda: RedirectResponse("/round"))
    app.add_api_route("/file", lambda: RedirectResponse("file:///etc/passwd"))
    app.add_api_route("/large", lambda: StreamingResponse(iter([bytes(4096)] * 64)))
    with LocalServer(app) as running:
        yield running


def fetched(address: str, *resolutions: Sequence[str], seconds: float = 5.0) -> bytes:
    """Fetch as a service for which 127.0.0.1 is a public address; ``resolutions`` are the addresses of any name, call by call."""
    left = list(resolutions)

    async def resolve(host: str, port: int) -> Sequence[str]:
        return left.pop(0) if left else await resolved(host, port)

    def allows(address: IPAddress) -> bool:
        return address == HOME

    return asyncio.run(PublicFetcher(seconds, 10_000, allows, resolve).fetch(address))


def test_a_picture_is_fetched_also_where_it_has_moved_to(server: LocalServer) -> None:
    assert fetched(f"{server.url}/a.png") == PNG
    assert fetched(f"{server.url}/moved") == PNG


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("inside", "not a public address"),
        ("round", "too many redirects"),
        ("file", "not an address of the web"),
        ("large", "more bytes"),
        ("missing", "status 404"),
    ],
)
def test_what_an_address_leads_to_is_looked_at_like_the_address(server: LocalServer, path: str, told: str) -> None:
    with pytest.raises(FetchRefused, match=told):
        fetched(f"{server.url}/{path}")


def test_a_name_is_looked_up_once_and_what_was_checked_is_connected_to(server: LocalServer) -> None:
    port = server.url.rsplit(":", 1)[1]
    address = f"http://rebound.example:{port}/a.png"
    assert fetched(address, ["127.0.0.1"], ["10.0.0.1"]) == PNG, "the second look-up would have led inside"
    with pytest.raises(FetchRefused, match="public"):
        fetched(address, ["127.0.0.1", "10.0.0.1"])
    with pytest.raises(FetchRefused, match="no address"):
        fetched(address, ["nonsense"])


@pytest.mark.parametrize("address", ["ftp://127.0.0.1/a", "http://user@127.0.0.1/a", "http:///a", "http://[::1/a"])
def test_only_addresses_of_the_web_are_asked(address: str) -> None:
    with pytest.raises(FetchRefused):
        fetched(address)


def test_the_service_itself_asks_nobody_within_the_house(server: LocalServer) -> None:
    with pytest.raises(FetchRefused, match="not a public address"):
        asyncio.run(PublicFetcher(5.0, 10_000).fetch(f"{server.url}/a.png"))


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("8.8.8.8", True),
        ("2606:4700::1111", True),
        ("127.0.0.1", False),
        ("10.1.2.3", False),
        ("169.254.169.254", False),
        ("100.64.0.1", False),
        ("0.0.0.0", False),
        ("224.0.0.1", False),
        ("::1", False),
        ("fd00::1", False),
        ("::ffff:10.0.0.1", False),
        ("64:ff9b::a00:1", False),
        ("2002:a00:1::", False),
    ],
)
def test_addresses_of_the_open_internet(address: str, public: bool) -> None:
    assert is_public(ipaddress.ip_address(address)) is public
