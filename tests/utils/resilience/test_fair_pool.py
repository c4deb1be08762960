"""Clients share the worker threads; tested by order and by counting, never by the clock."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import CancelledError, Future
from contextvars import copy_context

import pytest

from schemas.problems import ErrorCode
from utils.http.load_shedding import LoadShedder
from utils.http.problems import ProblemError
from utils.observability.request_context import bind_client
from utils.resilience.fair_pool import FairPool


class Clock:
    """A time that passes only when work says so."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Bench:
    """A pool of one thread that is held, so that what is submitted waits until `let_go`."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.pool = FairPool(1, clock=self.clock)
        self.order: list[str] = []
        self._gate = threading.Event()
        self._futures: list[Future[None]] = []
        self.submit("holder", self._gate.wait)

    def submit(self, client: str, work: object) -> Future[None]:
        def run() -> Future[None]:
            bind_client(client)
            return self.pool.submit(work)  # type: ignore[arg-type]

        future = copy_context().run(run)
        self._futures.append(future)
        return future

    def work(self, client: str, seconds: float = 1.0) -> Future[None]:
        def run() -> None:
            self.order.append(client)
            self.clock.now += seconds

        return self.submit(client, run)

    def let_go(self) -> list[str]:
        self._gate.set()
        for future in self._futures:
            if not future.cancelled():
                future.result(10)
        return self.order


@pytest.fixture
def bench() -> Iterator[Bench]:
    made = Bench()
    yield made
    made.let_go()
    made.pool.shutdown()


@pytest.mark.finding("M11")
def test_one_who_asks_much_waits_for_himself(bench: Bench) -> None:
    for _ in range(20):
        bench.work("hostile")
    for name in ("first", "second", "third"):
        bench.work(name)
    order = bench.let_go()
    assert max(order.index(name) for name in ("first", "second", "third")) <= 4


@pytest.mark.finding("M11")
def test_what_work_costs_counts_and_not_how_often(bench: Bench) -> None:
    for _ in range(10):
        bench.work("dear", 10.0)
    for _ in range(10):
        bench.work("cheap", 1.0)
    order = bench.let_go()
    assert order.index("cheap") <= 1
    assert order[: order.index("cheap") + 12].count("dear") <= 3, order


def test_the_work_of_one_client_keeps_its_order(bench: Bench) -> None:
    done: list[int] = []
    for number in range(5):
        bench.submit("one", lambda number=number: done.append(number))
    bench.let_go()
    assert done == [0, 1, 2, 3, 4]


def test_unused_time_is_not_saved_up(bench: Bench) -> None:
    bench.work("early")
    for _ in range(6):
        bench.work("busy")
    bench.let_go()
    bench.order.clear()
    held = threading.Event()
    bench.submit("busy", held.wait)
    for _ in range(3):
        bench.work("early")
        bench.work("busy")
    held.set()
    order = bench.let_go()
    assert order[:4].count("early") <= 3
    assert "busy" in order[:3]


def test_cancelled_work_is_not_done_and_makes_room(bench: Bench) -> None:
    waiting = [bench.work("one") for _ in range(5)]
    assert bench.pool.expected_wait("one") > 0
    for future in waiting:
        assert future.cancel()
    bench.work("two")
    assert bench.let_go() == ["two"]


def test_errors_and_results_come_back(bench: Bench) -> None:
    failed = bench.submit("one", lambda: 1 / 0)
    answered = bench.submit("one", lambda: 42)
    bench._futures.remove(failed)
    bench.let_go()
    with pytest.raises(ZeroDivisionError):
        failed.result(10)
    assert answered.result(10) == 42


def test_a_newcomer_finds_a_thread_free() -> None:
    pool = FairPool(4)
    held = threading.Event()

    def submit(client: str, work: object) -> Future[None]:
        context = copy_context()
        context.run(bind_client, client)
        return context.run(pool.submit, work)  # type: ignore[arg-type]

    submit("honest", lambda: None).result(10)
    hostile = [submit("hostile", held.wait) for _ in range(20)]
    try:
        for _ in range(20):
            submit("honest", lambda: None).result(10)  # while all of the other's work is held
        assert sum(future.running() for future in hostile) == 2
    finally:
        held.set()
        pool.shutdown()


def test_long_work_has_one_thread_while_others_are_active() -> None:
    clock = Clock()
    pool = FairPool(4, clock=clock)

    def submit(client: str, work: object) -> Future[None]:
        context = copy_context()
        context.run(bind_client, client)
        return context.run(pool.submit, work)  # type: ignore[arg-type]

    def long() -> None:
        clock.now += 1.0

    for number in range(60):
        submit("hostile" if number % 10 == 0 else f"honest {number}", long if number % 10 == 0 else Clock).result(10)
        clock.now += 0.01
    held = threading.Event()
    hostile = [submit("hostile", held.wait) for _ in range(5)]
    try:
        submit("honest 1", Clock).result(10)
        assert sum(future.running() for future in hostile) == 1
    finally:
        held.set()
        pool.shutdown()


def test_alone_a_client_has_all_threads() -> None:
    pool = FairPool(3)
    together = threading.Barrier(3, timeout=10)
    for future in [pool.submit(together.wait) for _ in range(3)]:
        future.result(10)
    pool.shutdown()


def test_shutting_down_ends_what_waits() -> None:
    bench = Bench()
    waiting = bench.work("one")
    stopper = threading.Thread(target=lambda: bench.pool.shutdown(wait=True, cancel_futures=True))
    stopper.start()
    with pytest.raises(CancelledError):
        waiting.result(10)
    bench._gate.set()
    stopper.join(10)
    assert not stopper.is_alive()
    with pytest.raises(RuntimeError):
        bench.pool.submit(print)


async def test_it_serves_an_event_loop() -> None:
    pool = FairPool(2)
    loop = asyncio.get_running_loop()
    assert await asyncio.gather(*(loop.run_in_executor(pool, pow, 2, n) for n in range(50))) == [
        2**n for n in range(50)
    ]
    pool.shutdown()


@pytest.mark.finding("M11")
def test_who_would_wait_in_vain_is_refused_and_others_are_not(bench: Bench) -> None:
    shedder = LoadShedder(bench.pool, request_timeout=1.0)
    shedder.check("hostile")
    while bench.pool.expected_wait("hostile") <= 0.05:
        bench.work("hostile", 0.01)
    with pytest.raises(ProblemError) as refused:
        shedder.check("hostile")
    assert refused.value.code is ErrorCode.SERVICE_UNAVAILABLE
    assert int(refused.value.headers["Retry-After"]) >= 1
    shedder.check("honest")
