"""Owns the run of one question: its task, its deadline, its events, its end when the client leaves."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from datetime import date
from typing import cast

from agents.answer_shape import to_response
from agents.router import MainRouter
from agents.state import RouterState, RunContext
from schemas.chat import AnswerMeta, ChatRequest, ChatResponse
from schemas.events import DoneEvent, StreamEvent
from utils.cancellation import cancel_and_wait
from utils.config.settings import Settings
from utils.deadline import Deadline, DeadlineExceeded

_ANSWER_RESERVE = 0.1  # share of the request's time kept back from model calls, to answer without them

_END = object()


class ChatExecutor:
    """Runs the graph for a request, as one answer or as a stream of events; both give the same answer."""

    def __init__(self, settings: Settings, router: MainRouter, today: Callable[[], date] = date.today) -> None:
        self._settings = settings
        self._router = router
        self._today = today

    async def answer(self, request: ChatRequest, request_id: str) -> ChatResponse:
        """The whole answer.

        Raises:
            DeadlineExceeded: the request's time is used up.
            vectorstores.errors.VectorStoreUnavailable: nothing can be searched.
        """
        run = self._context(request_id, streaming=False)
        try:
            async with asyncio.timeout(self._settings.request_timeout):
                state = cast(RouterState, await self._router.graph.ainvoke(_initial(request), context=run))
        except TimeoutError as error:
            raise DeadlineExceeded("the request's time is used up") from error
        return to_response(state, request, run)

    async def stream(self, request: ChatRequest, request_id: str) -> AsyncIterator[StreamEvent]:
        """The events of the answer as they happen, ``done`` last. Closing the iterator ends the run.

        Raises:
            As `answer`; events may have been handed out before.
        """
        queue: asyncio.Queue[StreamEvent | object] = asyncio.Queue()
        task = asyncio.create_task(self._run(request, self._context(request_id, streaming=True), queue))
        try:
            while (event := await queue.get()) is not _END:
                yield event  # type: ignore[misc]
            response = await task
            yield DoneEvent(**{name: getattr(response, name) for name in AnswerMeta.model_fields})
        finally:
            if not task.done():
                await cancel_and_wait(task)

    async def _run(
        self, request: ChatRequest, run: RunContext, queue: asyncio.Queue[StreamEvent | object]
    ) -> ChatResponse:
        state: RouterState = {}
        try:
            async with asyncio.timeout(self._settings.request_timeout):
                async for mode, payload in self._router.graph.astream(
                    _initial(request), context=run, stream_mode=["custom", "values"]
                ):
                    if mode == "custom":
                        queue.put_nowait(payload)
                    else:
                        state = cast(RouterState, payload)
        except TimeoutError as error:
            raise DeadlineExceeded("the request's time is used up") from error
        finally:
            queue.put_nowait(_END)
        return to_response(state, request, run)

    def _context(self, request_id: str, *, streaming: bool) -> RunContext:
        model_time = self._settings.request_timeout * (1 - _ANSWER_RESERVE)
        return RunContext(request_id, Deadline.after(model_time), self._today(), streaming)


def _initial(request: ChatRequest) -> RouterState:
    return {
        "query": request.message,
        "history": tuple(request.history),
        "user_context": request.user_context,
        "degraded": (),
        "timings": {},
        "trace": {},
    }
