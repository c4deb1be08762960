"""Owns the run of one question: its deadline, what it may use, and the answer made of its last state."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from datetime import date
from typing import cast

from opentelemetry.trace import Tracer

from agents.answering.company_profile import with_stated_headcount
from agents.router import MainRouter
from agents.serving.answer_shape import to_response
from agents.state import Emit, RouterState, RunContext
from schemas.chat import ChatRequest, ChatResponse, Degradation
from utils.config.settings import Settings
from utils.law.korean_day import korean_day
from utils.observability.tracing import NO_TRACER
from utils.resilience.deadline import Deadline, DeadlineExceeded, request_time, within
from utils.routing.follow_up import told_by_user
from vectorstores.backends.server_calls import share_call_time

_ANSWER_RESERVE = 0.1  # share of the request's time kept back from model and provider calls, to answer without them


class ChatExecutor:
    """Runs the graph for a request. It comes about in the same way whether or not somebody follows it, but for model calls
    that a first word would wait for."""

    def __init__(
        self,
        settings: Settings,
        router: Callable[[], MainRouter],
        today: Callable[[], date] = korean_day,
        lease: Callable[[], AbstractContextManager[object]] = nullcontext,
        degraded: tuple[Degradation, ...] = (),
        tracer: Tracer = NO_TRACER,
    ) -> None:
        """``router`` gives the graph for a run that begins now, ``lease`` keeps what it searches open, and the same.

        ``degraded`` is so since the start.
        """
        self._settings = settings
        self._router = router
        self._lease = lease
        self._degraded = degraded
        self._tracer = tracer
        self.today = today

    async def answer(self, request: ChatRequest, request_id: str, emit: Emit | None = None) -> ChatResponse:
        """The whole answer; ``emit`` gets each event as it happens, all but ``done``. Raises as `last_state` does."""
        run = self.context(request_id, streaming=emit is not None)
        return to_response(await self.last_state(request, run, emit), request, run)

    async def last_state(self, request: ChatRequest, run: RunContext, emit: Emit | None = None) -> RouterState:
        """Return the state that the graph ends with.

        Raises:
            DeadlineExceeded: the request's time is used up.
            vectorstores.errors.VectorStoreUnavailable: nothing can be searched.
        """
        share_call_time()
        left = within(self._settings.request_timeout).remaining()
        try:
            # what is called has to leave time for an answer without it
            with self._lease(), request_time(left * (1 - _ANSWER_RESERVE)):
                async with asyncio.timeout(left):
                    return await self._run(request, run, emit)
        except TimeoutError as error:
            raise DeadlineExceeded("the request's time is used up") from error

    async def _run(self, request: ChatRequest, run: RunContext, emit: Emit | None) -> RouterState:
        graph = self._router().graph
        initial = await asyncio.to_thread(initial_state, request, self._degraded)  # it reads what the user said before
        if emit is None:
            return cast(RouterState, await graph.ainvoke(initial, context=run))
        state: RouterState = {}
        async for mode, payload in graph.astream(initial, context=run, stream_mode=["custom", "values"]):
            if mode == "custom":
                emit(payload)  # type: ignore[arg-type]
            else:
                state = cast(RouterState, payload)
        return state

    def context(self, request_id: str, *, streaming: bool = False) -> RunContext:
        """Return the context of a run that begins now."""
        model_time = within(self._settings.request_timeout).remaining() * (1 - _ANSWER_RESERVE)
        return RunContext(request_id, Deadline.after(model_time), self.today(), streaming, tracer=self._tracer)


def initial_state(request: ChatRequest, degraded: tuple[Degradation, ...] = ()) -> RouterState:
    """Return the state that the graph begins with. It reads what the user said before, tens of milliseconds for a long conversation."""
    return {
        "query": request.message,
        "history": tuple(request.history),
        "user_context": with_stated_headcount(request.user_context, request.message, told_by_user(request.history)),
        "session_state": request.session_state,
        "image": request.image,
        "degraded": degraded,
        "timings": {},
        "trace": {},
    }
