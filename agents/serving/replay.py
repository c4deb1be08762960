"""A finished answer told once more as a stream."""

from __future__ import annotations

from collections.abc import Iterator

from schemas.chat import AnswerMeta, ChatResponse, SentenceVerdict
from schemas.events import (
    STAGE_LABELS,
    ActionEvent,
    CheckEvent,
    DoneEvent,
    SourceEvent,
    Stage,
    StatusEvent,
    StreamEvent,
    TokenEvent,
)


def replay(response: ChatResponse) -> Iterator[StreamEvent]:
    """The events of an answer but ``done``, in the order in which it was first told; a ``replace`` is told as the answer.

    Each sentence is one piece with its verdict after it, and the stages are those that the answer spent time in. The sources are
    those that it cites: what it could have cited is no longer of interest.
    """
    stages = [stage for stage in Stage if stage.value in response.timing_metrics]
    before = [stage for stage in stages if stage not in _AFTER_THE_ANSWER]
    yield from (StatusEvent(stage=stage, label=STAGE_LABELS[stage]) for stage in before)
    yield from (SourceEvent(source=source) for source in response.sources)
    checks = response.evaluation.grounding.sentences if response.evaluation else []
    yield from _sentences(response.content, checks)
    yield from (ActionEvent(action=action) for action in response.actions)
    yield from (StatusEvent(stage=stage, label=STAGE_LABELS[stage]) for stage in stages if stage in _AFTER_THE_ANSWER)


def done_event(response: ChatResponse) -> DoneEvent:
    """The last event of a stream: everything of the answer but its text."""
    return DoneEvent(**{name: getattr(response, name) for name in AnswerMeta.model_fields})


_AFTER_THE_ANSWER = frozenset({Stage.EVALUATE, Stage.RETRY})


def _sentences(content: str, checks: list[SentenceVerdict]) -> Iterator[StreamEvent]:
    told = 0
    for check in checks:
        yield TokenEvent(content=content[told : check.end])
        yield CheckEvent(check=check)
        told = check.end
    if told < len(content):
        yield TokenEvent(content=content[told:])
