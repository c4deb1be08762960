"""Owns the run of one question: its deadline, what it may use, and the answer made of its last state."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import date
from typing import cast

from agents.answer_shape import to_response
from agents.company_profile import with_stated_headcount
from agents.router import MainRouter
from agents.state import Emit, RouterState, RunContext
from schemas.chat import ChatRequest, ChatResponse
from utils.config.settings import Settings
from utils.deadline import Deadline, DeadlineExceeded

_ANSWER_RESERVE = 0.1  # share of the request's time kept back from model calls, to answer without them


class ChatExecutor:
    """Runs the graph for a request. The answer is the same whether or not somebody follows how it comes about."""

    def __init__(self, settings: Settings, router: MainRouter, today: Callable[[], date] = date.today) -> None:
        self._settings = settings
        self._router = router
        self.today = today

    async def answer(self, request: ChatRequest, request_id: str, emit: Emit | None = None) -> ChatResponse:
        """The whole answer; ``emit`` gets each event as it happens, all but ``done``.

        Raises:
            DeadlineExceeded: the request's time is used up.
            vectorstores.errors.VectorStoreUnavailable: nothing can be searched.
        """
        run = self._context(request_id, streaming=emit is not None)
        try:
            async with asyncio.timeout(self._settings.request_timeout):
                state = await self._run(request, run, emit)
        except TimeoutError as error:
            raise DeadlineExceeded("the request's time is used up") from error
        return to_response(state, request, run)

    async def _run(self, request: ChatRequest, run: RunContext, emit: Emit | None) -> RouterState:
        graph, initial = self._router.graph, _initial(request)
        if emit is None:
            return cast(RouterState, await graph.ainvoke(initial, context=run))
        state: RouterState = {}
        async for mode, payload in graph.astream(initial, context=run, stream_mode=["custom", "values"]):
            if mode == "custom":
                emit(payload)  # type: ignore[arg-type]
            else:
                state = cast(RouterState, payload)
        return state

    def _context(self, request_id: str, *, streaming: bool) -> RunContext:
        model_time = self._settings.request_timeout * (1 - _ANSWER_RESERVE)
        return RunContext(request_id, Deadline.after(model_time), self.today(), streaming)


def _initial(request: ChatRequest) -> RouterState:
    return {
        "query": request.message,
        "history": tuple(request.history),
        "user_context": with_stated_headcount(request.user_context, request.message),
        "degraded": (),
        "timings": {},
        "trace": {},
    }
