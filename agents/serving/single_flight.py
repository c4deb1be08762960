"""A single run of the graph for everybody who asks the same at the same time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Iterator, Sequence
from contextlib import asynccontextmanager
from itertools import groupby
from typing import Any

from agents.state import Emit
from schemas.chat import ChatResponse
from schemas.events import StreamEvent, TokenEvent
from utils.resilience.cancellation import cancel_and_wait
from utils.resilience.pace import Pace

Run = Callable[[Emit | None], Coroutine[Any, Any, ChatResponse]]


class Flight:
    """A run with its followers. It belongs to none of them: it goes on while one is left and stops with the last.

    ``live``: it was begun by a stream, so its events can be followed.
    """

    def __init__(self, run: Run, *, live: bool, pace: Pace) -> None:
        self.live = live
        self._pace = pace
        self._events: list[StreamEvent] = []
        self._news = asyncio.Event()
        self._followers = 0
        self._task = asyncio.create_task(run(self._emit if live else None), name="answer")
        self._task.add_done_callback(self._end)

    @property
    def landed(self) -> bool:
        """True if the run has ended; who comes now asks anew."""
        return self._task.done()

    @asynccontextmanager
    async def followed(self, last_leaves: Callable[[], None]) -> AsyncIterator[None]:
        """Follow for the length of the block; ``last_leaves`` is called before the run is stopped for want of followers."""
        self._followers += 1
        try:
            yield
        finally:
            self._followers -= 1
            if not self._followers:
                last_leaves()
                if not self.landed:
                    await cancel_and_wait(self._task)

    async def answer(self) -> ChatResponse:
        """The answer, or the run's error."""
        return await asyncio.shield(self._task)

    async def events(self) -> AsyncGenerator[StreamEvent, None]:
        """All events of a live flight, those before this follower came included, until the run ends.

        Pieces of the answer that have come together are handed out as one; with many followers each gets them in turns.
        """
        seen = 0
        with self._pace.joined():
            while True:
                news = self._news
                if seen < len(self._events):
                    fresh, seen = self._events[seen:], len(self._events)
                    for event in _joined(fresh):
                        yield event
                    if isinstance(fresh[-1], TokenEvent):
                        await self._pace.turn()
                elif self.landed:
                    return
                else:
                    await news.wait()

    def _emit(self, event: StreamEvent) -> None:
        self._events.append(event)
        self._announce()

    def _end(self, task: asyncio.Task[ChatResponse]) -> None:
        if not task.cancelled():
            task.exception()  # looked at, whether or not a follower is left to be told
        self._announce()

    def _announce(self) -> None:
        self._news.set()
        self._news = asyncio.Event()


def _joined(events: Sequence[StreamEvent]) -> Iterator[StreamEvent]:
    """The events; pieces of the answer right after one another as one piece."""
    for is_text, group in groupby(events, lambda event: isinstance(event, TokenEvent)):
        if is_text:
            yield TokenEvent(content="".join(event.content for event in group if isinstance(event, TokenEvent)))
        else:
            yield from group


class SingleFlight:
    """The runs under way, by what is asked."""

    def __init__(self) -> None:
        self._flights: dict[str, Flight] = {}
        self._pace = Pace()

    @asynccontextmanager
    async def join(self, key: str | None, run: Run, *, live: bool) -> AsyncIterator[tuple[Flight, bool]]:
        """The flight for ``key``, and whether it was under way already. None is equal to nothing, itself included."""
        under_way = self._flights.get(key) if key else None
        if under_way and under_way.landed:
            under_way = None
        flight = under_way or Flight(run, live=live, pace=self._pace)
        if key:
            self._flights[key] = flight
        async with flight.followed(lambda: self._forget(key, flight)):
            yield flight, under_way is not None

    def _forget(self, key: str | None, flight: Flight) -> None:
        if key and self._flights.get(key) is flight:
            del self._flights[key]
