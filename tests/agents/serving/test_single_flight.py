"""A single run for all who ask the same at the same time: who starts it, who is told what, and when it is stopped."""

from __future__ import annotations

import asyncio
import gc
from contextlib import AsyncExitStack
from typing import Any, cast

import pytest

from agents.serving.single_flight import Flight, SingleFlight
from agents.state import Emit
from schemas.chat import ChatResponse
from schemas.events import StreamEvent, TokenEvent
from utils.resilience.pace import Pace

ANSWERS = [cast("ChatResponse", f"answer {number}") for number in range(5)]


class Runs:
    """Begins runs; each tells one piece, waits until it may ``go`` on, tells another and answers."""

    def __init__(self) -> None:
        self.go = asyncio.Event()
        self.log: list[str] = []
        self.error: Exception | None = None
        self.emits: list[bool] = []
        self._begun = 0

    async def __call__(self, emit: Emit | None) -> ChatResponse:
        self._begun += 1
        number = self._begun
        self.log.append(f"{number} begins")
        self.emits.append(emit is not None)
        tell = emit or (lambda _: None)
        tell(TokenEvent(content=f"{number}a"))
        try:
            await self.go.wait()
        except asyncio.CancelledError:
            self.log.append(f"{number} is stopped")
            raise
        if self.error:
            raise self.error
        tell(TokenEvent(content=f"{number}b"))
        self.log.append(f"{number} ends")
        return ANSWERS[number]


async def settle() -> None:
    """Let everything that can go on now do so."""
    for _ in range(10):
        await asyncio.sleep(0)


async def heard(flight: Flight) -> list[str]:
    return [told(event) async for event in flight.events()]


def told(event: StreamEvent) -> str:
    assert isinstance(event, TokenEvent)
    return event.content


class Followers:
    """Joins and leaves flights in the order a test says."""

    def __init__(self, runs: Runs) -> None:
        self.flights = SingleFlight()
        self._runs = runs
        self._stacks: dict[Flight, list[AsyncExitStack]] = {}

    async def join(self, key: str | None = "q", *, live: bool = True) -> tuple[Flight, bool]:
        stack = AsyncExitStack()
        flight, shared = await stack.enter_async_context(self.flights.join(key, self._runs, live=live))
        self._stacks.setdefault(flight, []).append(stack)
        await settle()
        return flight, shared

    async def leave(self, flight: Flight) -> None:
        await self._stacks[flight].pop().aclose()


@pytest.fixture
async def runs() -> Runs:
    return Runs()


@pytest.fixture
async def followers(runs: Runs) -> Followers:
    return Followers(runs)


async def test_equal_questions_are_one_run_and_others_are_not(runs: Runs, followers: Followers) -> None:
    first, shared_first = await followers.join("q")
    again, shared_again = await followers.join("q")
    other, shared_other = await followers.join("p")
    assert again is first
    assert other is not first
    assert [shared_first, shared_again, shared_other] == [False, True, False]
    runs.go.set()
    assert [await flight.answer() for flight in (first, again, other)] == [ANSWERS[1], ANSWERS[1], ANSWERS[2]]
    assert runs.log[:2] == ["1 begins", "2 begins"]


async def test_a_question_without_a_key_is_its_own(followers: Followers) -> None:
    (first, _), (second, shared) = await followers.join(None), await followers.join(None)
    assert first is not second
    assert not shared


async def test_whoever_comes_later_hears_everything_from_the_start(runs: Runs, followers: Followers) -> None:
    flight, _ = await followers.join()
    early = asyncio.create_task(heard(flight))
    await settle()
    await followers.join()
    late = asyncio.create_task(heard(flight))
    await settle()
    assert not early.done()
    assert not late.done()
    runs.go.set()
    assert await early == await late == ["1a", "1b"]
    assert await heard(flight) == ["1a1b"], "and after its end, what came together as one piece"


async def test_a_run_that_no_stream_began_tells_nothing(runs: Runs, followers: Followers) -> None:
    flight, _ = await followers.join(live=False)
    assert (flight.live, runs.emits) == (False, [False])
    runs.go.set()
    assert await flight.answer() == ANSWERS[1]
    assert await heard(flight) == []


async def test_a_run_goes_on_while_anybody_follows_it(runs: Runs, followers: Followers) -> None:
    flight, _ = await followers.join()
    await followers.join()
    await followers.leave(flight)
    await settle()
    assert runs.log == ["1 begins"]
    runs.go.set()
    assert await flight.answer() == ANSWERS[1]


async def test_the_last_to_leave_stops_the_run_before_going(runs: Runs, followers: Followers) -> None:
    flight, _ = await followers.join()
    await followers.leave(flight)
    assert runs.log == ["1 begins", "1 is stopped"], "without waiting any further"
    assert flight.landed
    _, shared = await followers.join()
    assert not shared


async def test_nobody_joins_a_run_that_is_being_stopped(runs: Runs, followers: Followers) -> None:
    released = asyncio.Event()

    async def slow_to_stop(_: Emit | None) -> ChatResponse:
        try:
            await asyncio.Event().wait()
        finally:
            await released.wait()
        raise AssertionError

    async def joined() -> None:
        async with followers.flights.join("q", slow_to_stop, live=False):
            await settle()

    leaving = asyncio.create_task(joined())
    await settle()
    await settle()
    assert not leaving.done(), "its run is still at its last words"
    flight, shared = await followers.join("q")
    assert not shared
    released.set()
    await leaving
    assert await followers.join("q") == (flight, True), "the run that went before takes nothing away"


async def test_a_follower_who_is_cancelled_leaves_the_run_to_the_others(runs: Runs, followers: Followers) -> None:
    flight, _ = await followers.join()
    waiting = asyncio.create_task(flight.answer())
    await settle()
    waiting.cancel()
    await settle()
    assert waiting.cancelled()
    assert not flight.landed
    runs.go.set()
    assert await flight.answer() == ANSWERS[1]


async def test_an_answer_that_is_there_is_not_shared_with_who_comes_after(runs: Runs, followers: Followers) -> None:
    first, _ = await followers.join()
    runs.go.set()
    await first.answer()
    second, shared = await followers.join()
    assert (second is first, shared) == (False, False)
    await followers.leave(first)
    runs.go.clear()
    third, shared_third = await followers.join()
    assert (third is second, shared_third) == (False, False), "the second has landed, too"
    await followers.leave(second)
    assert await followers.join() == (third, True), "leaving a landed flight does not forget the one after it"


async def test_a_failure_reaches_every_follower_and_nobody_after_them(runs: Runs, followers: Followers) -> None:
    flight, _ = await followers.join()
    await followers.join()
    runs.error = RuntimeError("꺼짐")
    runs.go.set()
    assert await heard(flight) == ["1a"], "the events end"
    for _ in range(2):
        with pytest.raises(RuntimeError, match="꺼짐"):
            await flight.answer()
        await followers.leave(flight)
    runs.error = None
    again, shared = await followers.join()
    assert not shared
    assert await again.answer() == ANSWERS[2]


async def test_a_failure_that_nobody_waits_for_leaves_no_complaint_in_the_log(runs: Runs) -> None:
    complaints: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: complaints.append(context))
    runs.error = RuntimeError("꺼짐")
    runs.go.set()
    flight = Flight(runs, live=False, pace=Pace())
    await settle()
    assert flight.landed
    del flight
    gc.collect()
    assert not complaints
