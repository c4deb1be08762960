"""Wire types of the stream: one model an event; ``data`` repeats the event's ``type``."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from schemas.chat import ActionItem, AnswerMeta, SentenceVerdict, SourceItem
from schemas.problems import Problem


class Stage(StrEnum):
    """A stage of the pipeline, as the user interface shows it."""

    CLASSIFY = "classify"
    DECOMPOSE = "decompose"
    RETRIEVE = "retrieve"
    GENERATE = "generate"
    EVALUATE = "evaluate"
    RETRY = "retry"


STAGE_LABELS: dict[Stage, str] = {
    Stage.CLASSIFY: "질문을 살펴보고 있습니다",
    Stage.DECOMPOSE: "질문을 나누고 있습니다",
    Stage.RETRIEVE: "관련 문서를 찾고 있습니다",
    Stage.GENERATE: "답변을 작성하고 있습니다",
    Stage.EVALUATE: "답변을 근거와 대조하고 있습니다",
    Stage.RETRY: "다른 검색으로 다시 확인하고 있습니다",
}


class StatusEvent(BaseModel):
    """A stage begins."""

    type: Literal["status"] = "status"
    stage: Stage
    label: str


class SourceEvent(BaseModel):
    """One numbered source, before the first token."""

    type: Literal["source"] = "source"
    source: SourceItem


class TokenEvent(BaseModel):
    """A piece of the answer; pieces follow each other and never repeat."""

    type: Literal["token"] = "token"
    content: str


class CheckEvent(BaseModel):
    """The verdict on one finished sentence."""

    type: Literal["check"] = "check"
    check: SentenceVerdict


class ActionEvent(BaseModel):
    """A next step."""

    type: Literal["action"] = "action"
    action: ActionItem


class ReplaceEvent(BaseModel):
    """The whole new answer and its sources, in place of what was streamed."""

    type: Literal["replace"] = "replace"
    reason: Literal["retry", "grounding", "degraded"]
    content: str
    sources: list[SourceItem]


class ErrorEvent(BaseModel):
    """The stream ends here."""

    type: Literal["error"] = "error"
    problem: Problem


class DoneEvent(AnswerMeta):
    """Always last after success: everything of the answer but its text."""

    type: Literal["done"] = "done"


StreamEvent = Annotated[
    StatusEvent | SourceEvent | TokenEvent | CheckEvent | ActionEvent | ReplaceEvent | ErrorEvent | DoneEvent,
    Field(discriminator="type"),
]
