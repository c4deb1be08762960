"""Answers to the routes: from the cache where an equal question was answered, else from the graph, once for all."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing

from agents.serving.chat_runner import ChatExecutor
from agents.serving.replay import done_event, replay
from agents.serving.session_state import with_turn
from agents.serving.single_flight import Run, SingleFlight
from agents.state import Emit
from schemas.chat import ChatRequest, ChatResponse, TokenUsage
from schemas.events import StreamEvent
from utils.resilience.redis_link import RedisLink
from utils.resilience.response_cache import AnswerBasis, ResponseCache, cache_key, is_worth_keeping

Observer = Callable[[ChatRequest, ChatResponse], None]


class CachedChat:
    """Answers questions for clients, whole or as a stream.

    ``basis`` tells what answers rest on at the moment. Without a ``cache`` every question is a run of its own.
    ``observer`` sees each answer that was computed, after it is complete. ``admit`` is called at the begin of a run, in its context, and may refuse it:
    what is kept, or computed for somebody else just now, is answered all the same.
    """

    def __init__(
        self,
        executor: ChatExecutor,
        basis: Callable[[], AnswerBasis],
        cache: ResponseCache | None,
        redis: RedisLink | None = None,
        observer: Observer | None = None,
        admit: Callable[[], None] = lambda: None,
    ) -> None:
        self._executor = executor
        self._basis = basis
        self._cache = cache
        self._redis = redis
        self._observer = observer
        self._admit = admit
        self._flights = SingleFlight()

    async def answer(self, request: ChatRequest, request_id: str, client: str) -> ChatResponse:
        """The whole answer for a client, given by name. Errors as `ChatExecutor.answer`."""
        started = time.perf_counter()
        key = self._key(request, client)
        if (kept := await self._find(key)) is not None:
            return self._shared(kept, request, request_id, started)
        async with self._flights.join(key, self._run(key, request, request_id, client), live=False) as (flight, joined):
            computed = await flight.answer()
        if joined:
            return self._shared(computed, request, request_id, started)
        return self._addressed(computed, request, request_id)

    async def stream(self, request: ChatRequest, request_id: str, client: str) -> AsyncIterator[StreamEvent]:
        """The events of the answer, ``done`` last. Closing the iterator ends the run, unless somebody else follows it.

        Errors as `ChatExecutor.answer`; events may have been handed out before.
        """
        started = time.perf_counter()
        key = self._key(request, client)
        if (kept := await self._find(key)) is not None:
            for event in replay(kept):
                yield event
            yield done_event(self._shared(kept, request, request_id, started))
            return
        async with self._flights.join(key, self._run(key, request, request_id, client), live=True) as (flight, joined):
            async with aclosing(flight.events()) as events:
                async for event in events:
                    yield event
            computed = await flight.answer()
        if not flight.live:  # it was begun by somebody who wanted the answer as a whole
            for event in replay(computed):
                yield event
        if joined:
            yield done_event(self._shared(computed, request, request_id, started))
        else:
            yield done_event(self._addressed(computed, request, request_id))

    def _key(self, request: ChatRequest, client: str) -> str | None:
        return None if self._cache is None else cache_key(request, client, self._basis())

    async def _find(self, key: str | None) -> ChatResponse | None:
        return await self._cache.get(key) if self._cache and key else None

    def _run(self, key: str | None, request: ChatRequest, request_id: str, client: str) -> Run:
        async def run(emit: Emit | None) -> ChatResponse:
            self._admit()
            response = await self._executor.answer(request, request_id, emit)
            if self._observer is not None:
                self._observer(request, response)
            # the index may have changed meanwhile: then it is an answer from neither the one nor the other
            if self._cache and key and is_worth_keeping(response) and key == self._key(request, client):
                await self._cache.put(key, response)
            return response

        return run

    def _shared(self, response: ChatResponse, request: ChatRequest, request_id: str, started: float) -> ChatResponse:
        """An answer that cost this request nothing but the time to fetch it."""
        took = round((time.perf_counter() - started) * 1000, 2)
        own = {"cached": True, "timing_metrics": {"cache": took, "total": took}, "token_usage": TokenUsage()}
        return self._addressed(response.model_copy(update=own), request, request_id)

    def _addressed(self, response: ChatResponse, request: ChatRequest, request_id: str) -> ChatResponse:
        missing = self._redis.degradation if self._redis else None
        own: dict[str, object] = {"request_id": request_id, "session_id": request.session_id}
        if response.session_state is not None:
            own["session_state"] = with_turn(response.session_state, request, response.content)
        if missing:
            own["degraded"] = [*response.degraded, missing]
        return response.model_copy(update=own)
