"""The load client, against a real server."""

from collections.abc import Iterator
from itertools import cycle

import pytest
from fastapi import FastAPI, Response
from pydantic import BaseModel

from evaluation.bench.load import Load, LoadClient, LoadError
from tests.support.local_server import LocalServer


class Question(BaseModel):
    message: str


@pytest.fixture(scope="module")
def client() -> Iterator[LoadClient]:
    app = FastAPI()

    @app.post("/ask")
    async def ask(question: Question) -> dict[str, str]:
        return {"said": question.message}

    @app.get("/plain")
    async def plain() -> dict[str, bool]:
        return {"ok": True}

    @app.get("/broken")
    async def broken() -> Response:
        return Response("지금은 안 됩니다", status_code=503)

    with LocalServer(app) as server:
        yield LoadClient("127.0.0.1", int(server.url.rpartition(":")[2]), {"X-Api-Key": "key"})


async def test_every_request_is_sent_once_and_timed(client: LoadClient) -> None:
    load = await client.run([client.post("/ask", {"message": "부가세 신고"})] * 30, connections=3)
    assert len(load.times_ms) == 30
    assert load.seconds > 0
    assert all(0 < time_ms <= load.seconds * 1000 for time_ms in load.times_ms)


async def test_a_load_ends_with_its_time(client: LoadClient) -> None:
    load = await client.run(cycle([client.get("/plain")]), connections=4, seconds=0.2)
    assert load.seconds >= 0.2
    assert load.rate == len(load.times_ms) / load.seconds > 0


async def test_the_answer_comes_back_whole(client: LoadClient) -> None:
    assert await client.fetch(client.post("/ask", {"message": "휴가"})) == '{"said":"휴가"}'.encode()


async def test_a_refusal_is_no_figure(client: LoadClient) -> None:
    with pytest.raises(LoadError, match=r"503.*지금은 안 됩니다"):
        await client.run(cycle([client.get("/broken")]), connections=2, seconds=5)


async def test_no_server_is_told() -> None:
    with pytest.raises(LoadError, match="no connection"):
        await LoadClient("127.0.0.1", 9).fetch(b"GET / HTTP/1.1\r\n\r\n")


def test_percentiles() -> None:
    assert Load(tuple(range(1, 102)), 1.0).percentiles == {"ms_p50": 51.0, "ms_p95": 96.0}
