"""A proxy that is broken in each way, seen by a client of the server behind it."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

import httpx
import pytest

from evaluation.chaos.proxy import BreakableProxy
from tests.support.scripted_openai import ScriptedOpenAI

BODY = {"model": "m", "input": ["글"]}


@pytest.fixture
def proxy() -> Iterator[BreakableProxy]:
    with ScriptedOpenAI() as server, BreakableProxy("127.0.0.1", urlsplit(server.url).port or 0) as running:
        yield running


def post(client: httpx.Client, seconds: float) -> int:
    return client.post("/v1/embeddings", json=BODY, timeout=seconds).status_code


def test_each_break_and_the_way_back(proxy: BreakableProxy) -> None:
    with httpx.Client(base_url=f"http://127.0.0.1:{proxy.port}") as client:
        assert post(client, 30) == 200
        proxy.hang()
        with pytest.raises(httpx.ReadTimeout):  # on the connection that is open
            post(client, 0.2)
        with pytest.raises(httpx.ReadTimeout):  # on a new one, which is accepted
            post(client, 0.2)
        proxy.refuse()
        with pytest.raises(httpx.ConnectError):
            post(client, 30)
        proxy.slow(0.3)
        with pytest.raises(httpx.ReadTimeout):
            post(client, 0.1)
        assert post(client, 30) == 200
        proxy.refuse()
        proxy.pass_on()
        assert post(client, 30) == 200
