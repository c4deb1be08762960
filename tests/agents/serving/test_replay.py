"""A kept answer told as a stream: the same events in the same order, each sentence with its verdict."""

from __future__ import annotations

from typing import Any

import pytest

from agents.serving.replay import done_event, replay
from schemas.chat import (
    ActionItem,
    ActionType,
    ChatResponse,
    Evaluation,
    Grounding,
    SentenceVerdict,
    SourceItem,
    Verdict,
)
from schemas.events import ActionEvent, CheckEvent, SourceEvent, Stage, StatusEvent, TokenEvent

FIRST, SECOND, REST = "25일 이내에 신고합니다. [1]", "\n늦으면 가산세가 붙습니다. [1]", "\n\n더 필요한 것이 있나요?"
CONTENT = FIRST + SECOND + REST
STAGES = ("classify", "decompose", "retrieve", "generate", "evaluate")


def verdict(start: int, end: int) -> SentenceVerdict:
    return SentenceVerdict(start=start, end=end, verdict=Verdict.SUPPORTED, sources=[1])


def answer(**changes: Any) -> ChatResponse:
    sentences = [verdict(0, len(FIRST)), verdict(len(FIRST) + 1, len(FIRST + SECOND))]
    fields: dict[str, Any] = {
        "content": CONTENT,
        "domain": "finance_tax",
        "domains": ["finance_tax"],
        "kind": "consult",
        "sources": [SourceItem(index=1, title="안내", content="25일", source="국세청")],
        "actions": [ActionItem(type=ActionType.TAX_CALENDAR, label="일정", description="기한", params={})],
        "evaluation": Evaluation(total_score=90, passed=True, grounding=Grounding(passed=True, sentences=sentences)),
        "timing_metrics": dict.fromkeys(STAGES, 1.0),
        "model": "extractive",
        "request_id": "r",
    }
    return ChatResponse(**(fields | changes))


def test_events_come_in_the_order_in_which_they_first_came() -> None:
    told = [type(event) for event in replay(answer())]
    before, after = [StatusEvent] * 4, [ActionEvent, StatusEvent]
    assert told == [*before, SourceEvent, TokenEvent, CheckEvent, TokenEvent, CheckEvent, TokenEvent, *after]
    stages = [event.stage for event in replay(answer()) if isinstance(event, StatusEvent)]
    assert stages == [Stage(name) for name in STAGES]


def test_each_sentence_is_a_piece_and_nothing_of_the_text_is_lost() -> None:
    pieces = [event.content for event in replay(answer()) if isinstance(event, TokenEvent)]
    assert pieces == [FIRST, SECOND, REST]


@pytest.mark.parametrize("content", [CONTENT, ""])
def test_without_an_evaluation_the_text_is_one_piece(content: str) -> None:
    events = list(replay(answer(content=content, evaluation=None, sources=[], actions=[], timing_metrics={})))
    assert events == ([TokenEvent(content=content)] if content else [])


def test_a_stage_that_took_no_time_did_not_run() -> None:
    retried = answer(timing_metrics={"generate": 1.0, "retry": 2.0, "total": 3.0})
    stages = [event.stage for event in replay(retried) if isinstance(event, StatusEvent)]
    assert stages == [Stage.GENERATE, Stage.RETRY]


def test_the_last_event_has_all_but_the_text() -> None:
    kept = answer(cached=True, session_id="s")
    assert done_event(kept).model_dump(exclude={"type"}) | {"content": CONTENT} == kept.model_dump()
