"""Writing an answer: what a stream hears and when, and what stands in for a model that fails."""

from __future__ import annotations

from datetime import date

import pytest

from agents.answering.prompt_builder import GenerationTask
from agents.generator import ResponseGeneratorAgent, verdict_of
from agents.retrieval.agent_set import AgentSet
from agents.state import Answer, RunContext
from chains.context import readable
from chains.extractive_task import ExtractiveTask
from chains.models.usage import ModelFailureReason
from schemas.chat import Component, Verdict
from schemas.events import CheckEvent, ReplaceEvent, StreamEvent, TokenEvent
from tests.support.hits import make_hit
from tests.support.packs import shipped_packs
from tests.support.routing import LABOR
from tests.support.written_model import WrittenChatModel, chain_of, language_model
from utils.grounding.check import AnswerChecker
from utils.grounding.sources import grounding_sources
from utils.question_decomposer import SubQuery
from utils.resilience.deadline import Deadline

QUESTION = "퇴직금은 언제까지 지급하나요?"
TEXT = "퇴직금은 퇴직한 날부터 14일 이내에 지급합니다."
QUOTED = WrittenChatModel(pieces=(f"{TEXT} ", "[1]"))
PIECES = ("퇴직금은 14일", " 이내에 지급합니다. [1] 늦으면", " 이자가 99%입니다. [1]")
CONTENT = "".join(PIECES)


def task() -> GenerationTask:
    [document] = readable([make_hit(TEXT, 0.9)], 4_000, 24_000)
    return GenerationTask(
        question=QUESTION,
        parts=(SubQuery(LABOR, QUESTION),),
        packed=(document,),
        actions=(),
        profile="",
        facts={},
        user_text=QUESTION,
        notes="",
    )


async def written(
    chat: WrittenChatModel | None, *, streamed: bool = True, quoted: WrittenChatModel = QUOTED
) -> tuple[Answer, list[StreamEvent]]:
    """The answer of ``chat``, or of the extractive model where there is no other, and the events of its stream."""
    events: list[StreamEvent] = []
    extractive = language_model("extractive", quoted)
    chain = chain_of(extractive if chat is None else language_model("gpt", chat))
    agents = AgentSet(shipped_packs(), chain)
    run = RunContext("1", Deadline.after(10), date(2026, 1, 1), streaming=streamed)
    generator = ResponseGeneratorAgent(chain, agents, extractive, AnswerChecker())
    return await generator.generate(task(), run, events.append if streamed else None), events


def heard(events: list[StreamEvent]) -> list[str]:
    """Pieces as they are, verdicts in brackets."""
    lines = []
    for event in events:
        match event:
            case TokenEvent():
                lines.append(event.content)
            case CheckEvent():
                lines.append(f"({event.check.verdict})")
            case ReplaceEvent():
                lines.append(f"<{event.reason}> {event.content}")
    return lines


async def test_each_sentence_is_checked_as_soon_as_it_is_finished() -> None:
    answer, events = await written(WrittenChatModel(pieces=PIECES))
    assert heard(events) == [*PIECES[:2], "(supported)", PIECES[2], "(unsupported)"]
    assert (answer.content, answer.model, answer.degraded) == (CONTENT, "gpt", ())


async def test_the_verdicts_of_the_stream_are_those_of_the_whole_answer() -> None:
    answer, events = await written(WrittenChatModel(pieces=tuple(CONTENT)))
    whole = AnswerChecker().check(answer.content, grounding_sources(answer.documents), QUESTION)
    checks = [event.check for event in events if isinstance(event, CheckEvent)]
    assert checks == [verdict_of(check) for check in whole.sentences]
    assert [check.unsupported_claims for check in checks] == [[], ["99%"]]
    assert [answer.content[check.start : check.end].strip()[-3:] for check in checks] == ["[1]", "[1]"]


async def test_nobody_who_does_not_listen_is_told() -> None:
    answer, events = await written(WrittenChatModel(pieces=PIECES), streamed=False)
    assert answer.content == CONTENT
    assert events == []


async def test_the_sources_are_the_documents_of_the_task() -> None:
    answer, _ = await written(WrittenChatModel(pieces=PIECES))
    assert [(source.index, source.content) for source in answer.sources] == [(1, TEXT)]
    assert answer.documents == task().documents


async def test_a_model_that_writes_nothing_is_stood_in_for_in_the_same_stream() -> None:
    answer, events = await written(WrittenChatModel(failure=ModelFailureReason.TIMEOUT))
    assert "".join(heard(events)[:-1]) == answer.content == f"{TEXT} [1]"
    assert heard(events)[-1] == f"({Verdict.SUPPORTED})"
    assert answer.model == "extractive"
    assert [(lack.component, lack.reason) for lack in answer.degraded] == [(Component.LLM, "generation: timeout")]


async def test_what_a_model_wrote_before_it_broke_off_is_replaced_as_a_whole() -> None:
    answer, events = await written(WrittenChatModel(pieces=PIECES[:2], failure=ModelFailureReason.CUT))
    assert heard(events) == [*PIECES[:2], "(supported)", f"<degraded> {TEXT} [1]"]
    assert isinstance(events[-1], ReplaceEvent)
    assert events[-1].sources == list(answer.sources)
    assert (answer.content, answer.model) == (f"{TEXT} [1]", "extractive")
    assert [lack.reason for lack in answer.degraded] == ["generation: cut"]


@pytest.mark.parametrize("pieces", [(), PIECES[:2]])
async def test_a_silent_attempt_falls_back_too(pieces: tuple[str, ...]) -> None:
    failing = WrittenChatModel(pieces=pieces, failure=ModelFailureReason.SERVER_ERROR)
    answer, events = await written(failing, streamed=False)
    assert (answer.content, answer.model, events) == (f"{TEXT} [1]", "extractive", [])
    assert [lack.reason for lack in answer.degraded] == ["generation: server_error"]


async def test_a_model_reads_the_prompt_and_the_extractive_one_the_task() -> None:
    chat = WrittenChatModel(pieces=PIECES)
    await written(chat)
    [(messages, given)] = chat.asked
    assert given is None
    assert QUESTION in str(messages[1].content)
    assert TEXT in str(messages[1].content)
    quoted = WrittenChatModel(pieces=(TEXT, " [1]"))
    answer, _ = await written(None, quoted=quoted)
    [(messages, given)] = quoted.asked
    assert messages == []
    assert isinstance(given, ExtractiveTask)
    assert (given.question, given.documents[0].domain) == (QUESTION, LABOR)
    assert (answer.model, answer.degraded) == ("extractive", ())
