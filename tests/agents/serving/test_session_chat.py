"""Conversations by ``session_id``: the same answers as with the history sent along, and only what was finished is kept."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from agents.serving.session_chat import SessionChat
from agents.sessions.conversation import Owner
from agents.sessions.store import SessionStore
from schemas.chat import ChatRequest, ChatResponse, Component, Turn, UserContext
from schemas.events import DoneEvent, ReplaceEvent, StreamEvent, TokenEvent
from tests.support.session_stores import backend_at, store_of
from tests.support.telling_executor import TellingExecutor
from utils.resilience.cancellation import close_stream

WEB = Owner("web")


@dataclass
class Bench:
    """A chat over a real store, and the executor behind it."""

    executor: TellingExecutor
    store: SessionStore
    chat: SessionChat

    async def ask(self, message: str, session: str | None = "s", client: str = "web", **more: object) -> ChatResponse:
        request = ChatRequest.model_validate({"message": message, "session_id": session, **more})
        return await self.chat.answer(request, f"json {message}", client)

    async def told(self, message: str, session: str | None = "s", **more: object) -> list[StreamEvent]:
        request = ChatRequest.model_validate({"message": message, "session_id": session, **more})
        return [event async for event in self.chat.stream(request, f"stream {message}", "web")]

    async def kept(self, session: str = "s", owner: Owner = WEB) -> list[tuple[str | None, str | None]]:
        conversation = await self.store.read(owner, session)
        return [(turn.question, turn.answer) for turn in conversation.turns] if conversation else []


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    executor, store = TellingExecutor(), store_of(backend_at(str(tmp_path)), max_turns=20)
    async with store.running():
        yield Bench(executor, store, SessionChat(executor.cached(), store))


def written(events: list[StreamEvent]) -> str:
    text = ""
    for event in events:
        match event:
            case TokenEvent():
                text += event.content
            case ReplaceEvent():
                text = event.content
    return text


async def test_a_follow_up_by_session_is_asked_as_with_its_history(bench: Bench) -> None:
    first = await bench.ask("퇴직금은요?")
    second = await bench.ask("언제까지요?")
    third = await bench.told("안 주면요?")
    history = [
        {"role": "user", "content": "퇴직금은요?"},
        {"role": "assistant", "content": first.content},
        {"role": "user", "content": "언제까지요?"},
        {"role": "assistant", "content": second.content},
    ]
    assert [request.history for request in bench.executor.received] == [
        [Turn.model_validate(turn) for turn in history[:count]] for count in (0, 2, 4)
    ]
    done = third[-1]
    assert isinstance(done, DoneEvent)
    assert (first.session_id, done.session_id, first.degraded, done.degraded) == ("s", "s", [], [])

    by_history = await bench.ask("언제까지요?", None, history=history[:2])
    streamed = await bench.told("안 주면요?", None, history=history)
    assert by_history.content == second.content
    assert written(streamed) == written(third)
    assert len(bench.executor.received) == 3, "it was answered from the cache: the key holds the history of the session"


async def test_an_equal_question_after_another_conversation_is_another_question(bench: Bench) -> None:
    await bench.ask("퇴직금은요?", "a")
    await bench.ask("부가세는요?", "b")
    await bench.ask("퇴직금은요?", "c")
    answers = {session: await bench.ask("언제까지요?", session) for session in ("a", "b", "c")}
    assert {session: answer.cached for session, answer in answers.items()} == {"a": False, "b": False, "c": True}
    assert [texts[:1] for texts in bench.executor.histories()] == [[], [], ["퇴직금은요?"], ["부가세는요?"]]
    assert answers["c"].session_id == "c"
    assert len(await bench.kept("c")) == 2, "a turn that was answered from the cache is a turn"


async def test_what_is_streamed_is_kept_as_it_was_finished(bench: Bench) -> None:
    events = [await bench.told(message) for message in ("처음", "고침", "처음")]
    assert await bench.kept() == [
        (message, written(told)) for message, told in zip(("처음", "고침", "처음"), events, strict=True)
    ]
    assert [event.type for event in events[1]] == ["token", "replace", "done"]


async def test_a_turn_that_failed_is_not_kept(bench: Bench) -> None:
    await bench.ask("처음")
    with pytest.raises(RuntimeError):
        await bench.ask("버그")
    with pytest.raises(RuntimeError):
        await bench.told("버그")
    await bench.ask("다음")
    assert [question for question, _ in await bench.kept()] == ["처음", "다음"]
    assert bench.executor.histories()[-1][0::2] == ["처음"]


async def test_a_turn_that_its_client_leaves_is_not_kept_and_holds_up_nobody(bench: Bench) -> None:
    bench.executor.gate.clear()
    waiting = asyncio.create_task(bench.ask("떠남"))
    await bench.executor.begun.wait()
    waiting.cancel()
    await asyncio.wait([waiting])
    events = bench.chat.stream(ChatRequest(message="떠남 2", session_id="s"), "left", "web")
    assert isinstance(await anext(events), TokenEvent)
    await close_stream(events)
    bench.executor.gate.set()
    await bench.ask("다음")
    assert [question for question, _ in await bench.kept()] == ["다음"]


async def test_a_history_that_is_sent_along_wins_and_is_kept(bench: Bench) -> None:
    await bench.ask("잊힐 말")
    history = [{"role": "user", "content": "창업해요"}, {"role": "user", "content": "카페예요"}]
    answer = await bench.ask("신고는요?", history=history)
    await bench.ask("언제까지요?")
    assert bench.executor.histories()[1:] == [
        ["창업해요", "카페예요"],
        ["창업해요", "카페예요", "신고는요?", answer.content],
    ]
    assert (await bench.kept())[:2] == [("창업해요", None), ("카페예요", None)]


async def test_a_session_of_another_client_or_user_is_not_read(bench: Bench) -> None:
    await bench.ask("비밀", client="web", user_context={"user_id": "kim"})
    for client, user in (("web", "lee"), ("web", None), ("app", "kim")):
        await bench.ask("뭐라고 했죠?", client=client, user_context=UserContext(user_id=user))
    assert [texts for texts in bench.executor.histories() if texts] == []
    await bench.ask("뭐라고 했죠?", client="web", user_context={"user_id": "kim"})
    assert bench.executor.histories()[-1][0] == "비밀"


async def test_without_a_session_nothing_is_kept(bench: Bench) -> None:
    await bench.ask("질문", None)
    await bench.told("다른 질문", None)
    assert await bench.store.listed(WEB, 10, None) == ([], None)


async def test_questions_asked_at_once_are_answered_in_their_order(bench: Bench) -> None:
    asked = [asyncio.create_task(bench.ask("하나"))]
    await asyncio.sleep(0)
    asked.append(asyncio.create_task(bench.ask("둘")))
    await asyncio.sleep(0)
    streamed = asyncio.create_task(bench.told("셋"))
    await asyncio.gather(*asked, streamed)
    assert [question for question, _ in await bench.kept()] == ["하나", "둘", "셋"]
    assert [texts[0::2] for texts in bench.executor.histories()] == [[], ["하나"], ["하나", "둘"]]


async def test_where_conversations_cannot_be_read_the_history_of_the_request_serves(tmp_path: Path) -> None:
    (tmp_path / "sessions").write_bytes(b"")  # no folder, so no file
    executor, store = TellingExecutor(), store_of(backend_at(str(tmp_path)))
    async with store.running():
        bench = Bench(executor, store, SessionChat(executor.cached(), store))
        plain = await bench.ask("처음", None)
        first = await bench.ask("처음")
        second = (await bench.told("다음", history=[{"role": "user", "content": "카페예요"}]))[-1]
    assert isinstance(second, DoneEvent)
    assert [lack.component for lack in (*plain.degraded, *first.degraded, *second.degraded)] == [Component.SESSIONS] * 2
    assert first.degraded[0].reason != second.degraded[0].reason
    assert executor.histories() == [[], ["카페예요"]]
    assert (first.content, first.cached) == (plain.content, True)


async def test_an_answer_that_cannot_be_kept_says_so(bench: Bench, tmp_path: Path) -> None:
    await bench.ask("처음")
    saver = await bench.store._link._saver()
    await saver.conn.execute("PRAGMA query_only = ON")  # type: ignore[attr-defined]
    events = await bench.told("다음")
    done = events[-1]
    assert isinstance(done, DoneEvent)
    assert [lack.component for lack in done.degraded] == [Component.SESSIONS]
    assert "2개의 말 뒤에" in written(events)
    again = await bench.ask("그다음")
    assert again.degraded == [], "the connection is a new one"
    assert [question for question, _ in await bench.kept()] == ["처음", "그다음"]
