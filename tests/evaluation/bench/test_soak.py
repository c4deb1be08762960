"""The long load, and what counts as growth."""

from __future__ import annotations

import os
import socket
import threading
from itertools import cycle
from pathlib import Path

import pytest
from fastapi import FastAPI

from evaluation.bench.load import LoadClient
from evaluation.bench.soak import Holding, growths, holding_of, soak, table
from tests.support.local_server import LocalServer


async def test_every_request_is_sent_and_the_process_is_looked_at_in_between() -> None:
    app = FastAPI()
    served: list[int] = []
    looks: list[int] = []

    @app.get("/{number}")
    async def answer(number: int) -> dict[str, int]:
        served.append(number)
        return {"number": number}

    with LocalServer(app) as server:
        client = LoadClient("127.0.0.1", int(server.url.rpartition(":")[2]))
        requests = [client.get(f"/{number}") for number in range(3)]

        async def look(number: int) -> None:
            looks.append(number)

        loads = await soak(client, cycle(requests), 10, 2, look, 4)
    assert looks == [4, 8, 10]
    assert sorted(served) == [0, 0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert [len(load.times_ms) for load in loads] == [4, 4, 2]


@pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="this system does not tell")
def test_what_a_process_holds_is_counted() -> None:
    before = holding_of(os.getpid(), 0)
    done = threading.Event()
    thread = threading.Thread(target=done.wait)
    thread.start()
    with socket.socket(), Path("/dev/null").open():
        now = holding_of(os.getpid(), 5)
    done.set()
    thread.join()
    assert before is not None
    assert now is not None
    assert (now.requests, now.threads - before.threads) == (5, 1)
    assert (now.descriptors - before.descriptors, now.sockets - before.sockets) == (2, 1)
    assert f"| 5 | {now.private_mb:.0f} | {now.threads} |" in table([before, now])


def looks_of(memory: list[float], descriptors: list[int]) -> list[Holding]:
    return [
        Holding(number, mb, 20, count, 5, 30)
        for number, (mb, count) in enumerate(zip(memory, descriptors, strict=True), start=1)
    ]


def test_growth_is_what_does_not_come_back() -> None:
    steady = [400.0, 500.0, *[510.0, 512.0] * 5]
    assert growths(looks_of(steady, [30] * 12)) == []
    assert growths(looks_of(steady, [30, 30, 30, 90, 30, 30, 30, 30, 95, 30, 30, 30])) == [], "they were closed again"
    assert growths(looks_of(steady, list(range(30, 90, 5)))) == ["descriptors: 45 → 65"]
    leaking = [400.0 + 30 * number for number in range(12)]
    assert growths(looks_of(leaking, [30] * 12)) == ["private_mb: 490 → 610"]
    assert growths(looks_of(leaking, [30] * 12)[:7]) == [], "too few to tell"
