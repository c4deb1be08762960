"""A run of a question: a single index version, a deadline, and what the message itself tells."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import nullcontext
from datetime import date
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from agents.router import MainRouter
from agents.serving.chat_runner import ChatExecutor
from agents.state import RouterState, RunContext
from schemas.chat import ChatRequest, Component, Degradation
from schemas.events import StreamEvent, TokenEvent
from tests.support.small_index import SmallKnowledge, record, write_lines
from tests.support.small_searcher import live_search
from utils.config.settings import Settings
from utils.resilience.deadline import DeadlineExceeded
from vectorstores.live.live_search import LiveSearch

HR = "hr_labor_db"
TODAY = date(2026, 11, 23)
QUESTION = ChatRequest(message="직원이 3명인데 임금은 언제 주나요?")
PIECES = (TokenEvent(content="매달 "), TokenEvent(content="줍니다."))
Node = Callable[[RouterState, RunContext], Awaitable[RouterState]]


class OneNode:
    """A graph of a single node."""

    def __init__(self, node: Node) -> None:
        self._node = node

    async def ainvoke(self, initial: RouterState, context: RunContext) -> RouterState:
        return await self._node(initial, context)

    async def astream(
        self, initial: RouterState, context: RunContext, stream_mode: list[str]
    ) -> AsyncIterator[tuple[str, Any]]:
        assert stream_mode == ["custom", "values"]
        for piece in PIECES:
            yield "custom", piece
        yield "values", await self._node(initial, context)


def executor(node: Node, *, live: LiveSearch | None = None, **settings: Any) -> ChatExecutor:
    router = cast(MainRouter, SimpleNamespace(graph=OneNode(node)))
    lease = nullcontext if live is None else live.lease
    return ChatExecutor(Settings(**settings), lambda: router, lambda: TODAY, lease)


async def last_state(chat: ChatExecutor, *, streaming: bool = False) -> RouterState:
    events: list[StreamEvent] = []
    run = chat.context("r", streaming=streaming)
    state = await chat.last_state(QUESTION, run, events.append if streaming else None)
    assert events == (list(PIECES) if streaming else [])
    return state


async def as_begun(initial: RouterState, context: RunContext) -> RouterState:
    return initial


@pytest.fixture
def knowledge(tmp_path: Path) -> SmallKnowledge:
    made = SmallKnowledge(Settings(data_dir=tmp_path / "data"))
    made.add(write_lines(tmp_path / "a.jsonl", record("A", "임금")))
    return made


@pytest.fixture
def live(knowledge: SmallKnowledge) -> Iterator[LiveSearch]:
    search = live_search(knowledge)
    yield search
    search.close()


@pytest.mark.parametrize("streaming", [False, True])
async def test_a_run_searches_one_index_version_though_another_comes_meanwhile(
    streaming: bool, knowledge: SmallKnowledge, live: LiveSearch, tmp_path: Path
) -> None:
    seen: list[int] = []

    async def node(initial: RouterState, context: RunContext) -> RouterState:
        seen.append(live.searcher.index.collections[HR].size)
        if len(seen) == 1:
            knowledge.add(write_lines(tmp_path / "b.jsonl", record("B", "연차")))
            assert await live.refresh()
        seen.append(await asyncio.to_thread(lambda: live.searcher.index.collections[HR].size))
        return initial

    chat = executor(node, live=live)
    await last_state(chat, streaming=streaming)
    assert seen == [1, 1]
    await last_state(chat, streaming=streaming)
    assert seen[2:] == [2, 2], "the next run begins with the new version"


async def test_a_run_begins_with_what_the_message_tells_and_what_was_away_at_the_start() -> None:
    away = (Degradation(component=Component.WEIGHTS, reason="배우지 않은 가중치"),)
    router = cast(MainRouter, SimpleNamespace(graph=OneNode(as_begun)))
    state = await last_state(ChatExecutor(Settings(), lambda: router, degraded=away))
    assert (state["query"], state["history"], state["degraded"]) == (QUESTION.message, (), away)
    context = state["user_context"]
    assert context is not None
    assert context.company is not None
    assert context.company.employee_count == 3


async def test_a_run_that_takes_too_long_ends_with_the_time_of_the_request() -> None:
    async def never(initial: RouterState, context: RunContext) -> RouterState:
        await asyncio.Event().wait()
        return initial

    with pytest.raises(DeadlineExceeded):
        await last_state(executor(never, request_timeout=1.0))


def test_a_tenth_of_the_time_is_kept_to_answer_without_a_model() -> None:
    chat = executor(as_begun, request_timeout=50.0)
    run = chat.context("r", streaming=True)
    assert 44 < run.deadline.remaining() <= 45
    assert (run.request_id, run.today, run.streaming) == ("r", TODAY, True)
