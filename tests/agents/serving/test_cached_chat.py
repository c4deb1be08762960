"""Equal questions share an answer: it is kept, computed once for all who ask at the same time, and never given to another client."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

import pytest

from agents.serving.cached_chat import CachedChat
from agents.state import Emit
from schemas.chat import (
    ActionItem,
    ActionType,
    ChatRequest,
    ChatResponse,
    CompanyProfile,
    Component,
    Degradation,
    Evaluation,
    Grounding,
    SentenceVerdict,
    SourceItem,
    TokenUsage,
    Turn,
    UserContext,
    Verdict,
)
from schemas.events import DoneEvent, StreamEvent, TokenEvent
from utils.resilience.response_cache import AnswerBasis, ResponseCache

VAT = ChatRequest(message="부가가치세는 언제까지 신고하나요?")
CONTENT = "확정신고는 25일 이내입니다. [1] 홈택스에서 합니다. [1]"
BASIS = AnswerBasis("bizi", "1.0", "settings", "extractive", "prompts", "index-1", "domains", "2026-11-20")


def evaluation(passed: bool = True) -> Evaluation:
    spans = [(0, 19), (20, len(CONTENT))]
    verdicts = [SentenceVerdict(start=start, end=end, verdict=Verdict.SUPPORTED, sources=[1]) for start, end in spans]
    return Evaluation(total_score=90, passed=passed, grounding=Grounding(passed=passed, sentences=verdicts))


class Executor:
    """Answers when ``gate`` opens; counts its runs and those that were stopped."""

    def __init__(self) -> None:
        self.gate = asyncio.Event()
        self.gate.set()
        self.runs = 0
        self.stopped = 0
        self.error: Exception | None = None
        self.changes: dict[str, Any] = {}

    async def answer(self, request: ChatRequest, request_id: str, emit: Emit | None = None) -> ChatResponse:
        self.runs += 1
        if emit:
            emit(TokenEvent(content=CONTENT[:5]))
        try:
            await self.gate.wait()
        except asyncio.CancelledError:
            self.stopped += 1
            raise
        if self.error:
            raise self.error
        if emit:
            emit(TokenEvent(content=CONTENT[5:]))
        response = ChatResponse(
            content=CONTENT,
            domain="finance_tax",
            domains=["finance_tax"],
            kind="consult",
            sources=[SourceItem(index=1, title="제49조", content="25일", source="법령")],
            actions=[ActionItem(type=ActionType.TAX_CALENDAR, label="일정", description="신고 일정")],
            evaluation=evaluation(),
            timing_metrics={"classify": 1, "retrieve": 2, "generate": 3, "evaluate": 1, "total": 7},
            token_usage=TokenUsage(input_tokens=10, output_tokens=5, model_calls=1),
            session_id=request.session_id,
            model="extractive",
            request_id=request_id,
        )
        return response.model_copy(update=self.changes)


@pytest.fixture
async def executor() -> Executor:
    return Executor()


def chat_of(executor: Executor, basis: Callable[[], AnswerBasis] = lambda: BASIS) -> CachedChat:
    return CachedChat(executor, basis, ResponseCache(10, 3600))  # type: ignore[arg-type]


async def told(chat: CachedChat, request: ChatRequest = VAT, client: str = "web") -> list[StreamEvent]:
    return [event async for event in chat.stream(request, "stream", client)]


def text_of(events: list[StreamEvent]) -> str:
    return "".join(event.content for event in events if isinstance(event, TokenEvent))


async def test_an_equal_question_is_answered_from_the_cache(executor: Executor) -> None:
    chat = chat_of(executor)
    first = await chat.answer(VAT, "first", "web")
    asked_again = ChatRequest(message="  부가가치세는   언제까지\n신고하나요? ", session_id="s1")
    second = await chat.answer(asked_again, "second", "web")
    assert executor.runs == 1
    assert (first.cached, second.cached) == (False, True)
    assert (second.request_id, second.session_id) == ("second", "s1")
    assert (second.content, second.sources, second.evaluation) == (first.content, first.sources, first.evaluation)
    assert second.token_usage.model_calls == 0, "it cost nothing"
    assert second.timing_metrics["total"] < 1000


async def test_without_a_cache_every_question_is_a_run(executor: Executor) -> None:
    chat = CachedChat(executor, lambda: BASIS, None)  # type: ignore[arg-type]
    answers = await asyncio.gather(*(chat.answer(VAT, str(number), "web") for number in range(3)))
    assert executor.runs == 3
    assert not any(answer.cached for answer in answers)


OTHERS = {
    "client": (VAT, "mobile"),
    "user": (VAT.model_copy(update={"user_context": UserContext(user_id="u2")}), "web"),
    "type of user": (VAT.model_copy(update={"user_context": UserContext(user_type="sme_owner")}), "web"),
    "company": (VAT.model_copy(update={"user_context": UserContext(company=CompanyProfile(employee_count=3))}), "web"),
    "history": (VAT.model_copy(update={"history": [Turn(role="user", content="간이과세자예요")]}), "web"),
    "question": (ChatRequest(message="부가가치세는 어디에 신고하나요?"), "web"),
}


@pytest.mark.parametrize(("request_", "client"), OTHERS.values(), ids=OTHERS)
async def test_what_is_known_of_one_asker_never_answers_another(
    executor: Executor, request_: ChatRequest, client: str
) -> None:
    chat = chat_of(executor)
    await chat.answer(VAT, "first", "web")
    assert not (await chat.answer(request_, "second", client)).cached
    assert executor.runs == 2


@pytest.mark.parametrize("changed", [field.name for field in fields(AnswerBasis)])
async def test_a_change_of_what_answers_rest_on_makes_old_answers_unreachable(executor: Executor, changed: str) -> None:
    basis = [BASIS]
    chat = chat_of(executor, lambda: basis[0])
    await chat.answer(VAT, "first", "web")
    basis[0] = replace(BASIS, **{changed: "new"})
    assert not (await chat.answer(VAT, "second", "web")).cached
    assert (await chat.answer(VAT, "third", "web")).cached


async def test_an_answer_that_straddles_an_ingest_is_not_kept(executor: Executor) -> None:
    basis = [BASIS]
    chat = chat_of(executor, lambda: basis[0])
    executor.gate.clear()
    asked = asyncio.create_task(chat.answer(VAT, "first", "web"))
    await asyncio.sleep(0)
    basis[0] = replace(BASIS, index="index-2")
    executor.gate.set()
    await asked
    basis[0] = BASIS  # rolled back
    assert not (await chat.answer(VAT, "second", "web")).cached


@pytest.mark.parametrize("component", [Component.LLM, Component.VECTOR, Component.BM25, Component.RERANK])
async def test_a_poorer_answer_is_not_kept(executor: Executor, component: Component) -> None:
    executor.changes = {"degraded": [Degradation(component=component, reason="없음")]}
    chat = chat_of(executor)
    await chat.answer(VAT, "first", "web")
    assert not (await chat.answer(VAT, "second", "web")).cached


async def test_an_answer_that_failed_its_evaluation_is_not_kept(executor: Executor) -> None:
    executor.changes = {"evaluation": evaluation(passed=False)}
    chat = chat_of(executor)
    await chat.answer(VAT, "first", "web")
    assert not (await chat.answer(VAT, "second", "web")).cached


@pytest.mark.parametrize("component", [Component.REDIS, Component.DOMAIN_DB])
async def test_an_answer_as_good_as_ever_is_kept(executor: Executor, component: Component) -> None:
    executor.changes = {"degraded": [Degradation(component=component, reason="없음")]}
    chat = chat_of(executor)
    await chat.answer(VAT, "first", "web")
    assert (await chat.answer(VAT, "second", "web")).cached


async def test_equal_questions_at_the_same_time_are_computed_once(executor: Executor) -> None:
    chat = chat_of(executor)
    executor.gate.clear()
    answers = [asyncio.create_task(chat.answer(VAT, f"a{number}", "web")) for number in range(5)]
    streams = [asyncio.create_task(told(chat)) for _ in range(3)]
    await asyncio.sleep(0.01)
    executor.gate.set()
    responses, events = await asyncio.gather(*answers), await asyncio.gather(*streams)
    assert executor.runs == 1
    assert [response.request_id for response in responses] == [f"a{number}" for number in range(5)]
    assert [response.cached for response in responses] == [False, True, True, True, True]
    assert {text_of(event) for event in events} == {CONTENT}


async def test_the_first_who_leaves_takes_nothing_from_the_others(executor: Executor) -> None:
    chat = chat_of(executor)
    executor.gate.clear()
    first, second = (asyncio.create_task(chat.answer(VAT, name, "web")) for name in ("first", "second"))
    await asyncio.sleep(0.01)
    first.cancel()
    await asyncio.wait({first})
    assert first.cancelled()
    executor.gate.set()
    assert (await second).content == CONTENT
    assert (executor.runs, executor.stopped) == (1, 0)


async def test_a_stream_that_breaks_off_leaves_its_follower_the_whole_answer(executor: Executor) -> None:
    chat = chat_of(executor)
    executor.gate.clear()
    first = chat.stream(VAT, "first", "web")
    assert isinstance(await anext(first), TokenEvent)
    follower = asyncio.create_task(told(chat))
    await asyncio.sleep(0.01)
    await first.aclose()  # type: ignore[attr-defined]
    executor.gate.set()
    events = await follower
    assert text_of(events) == CONTENT
    assert isinstance(events[-1], DoneEvent)
    assert (executor.runs, executor.stopped) == (1, 0)


async def test_when_all_have_left_the_work_stops(executor: Executor) -> None:
    chat = chat_of(executor)
    executor.gate.clear()
    waiting = [asyncio.create_task(chat.answer(VAT, "a", "web")), asyncio.create_task(told(chat))]
    await asyncio.sleep(0.01)
    for task in waiting:
        task.cancel()
    await asyncio.wait(waiting)
    assert executor.stopped == 1
    executor.gate.set()
    assert not (await chat.answer(VAT, "b", "web")).cached


async def test_a_failure_reaches_everybody_once_and_is_forgotten(executor: Executor) -> None:
    chat = chat_of(executor)
    executor.gate.clear()
    executor.error = RuntimeError("broken")
    waiting = [asyncio.create_task(chat.answer(VAT, "a", "web")), asyncio.create_task(told(chat))]
    await asyncio.sleep(0.01)
    executor.gate.set()
    results = await asyncio.gather(*waiting, return_exceptions=True)
    assert [type(result) for result in results] == [RuntimeError, RuntimeError]
    executor.error = None
    assert not (await chat.answer(VAT, "b", "web")).cached


async def test_a_kept_answer_streams_like_a_fresh_one(executor: Executor) -> None:
    chat = chat_of(executor)
    whole = await chat.answer(VAT, "first", "web")
    events = await told(chat)
    kinds = [event.type for event in events]
    assert kinds == [
        *["status"] * 3, "source", "token", "check", "token", "check", "action", "status", "done",
    ]  # fmt: skip
    assert text_of(events) == whole.content
    done = events[-1]
    assert isinstance(done, DoneEvent)
    assert (done.cached, done.request_id, done.sources) == (True, "stream", whole.sources)
    assert executor.runs == 1
    assert (await chat.answer(VAT, "third", "web")).timing_metrics.keys() == {"cache", "total"}


async def test_an_answer_that_was_streamed_is_kept_for_all(executor: Executor) -> None:
    chat = chat_of(executor)
    events = await told(chat)
    assert isinstance(events[-1], DoneEvent)
    assert not events[-1].cached
    assert (await chat.answer(VAT, "second", "web")).cached
    assert executor.runs == 1


async def test_whoever_watches_sees_each_computed_answer_once(executor: Executor) -> None:
    seen: list[str] = []
    chat = CachedChat(
        executor,  # type: ignore[arg-type]
        lambda: BASIS,
        ResponseCache(10, 3600),
        observer=lambda request, response: seen.append(response.request_id),
    )
    await chat.answer(VAT, "first", "web")
    await chat.answer(VAT, "second", "web")
    assert seen == ["first"]
