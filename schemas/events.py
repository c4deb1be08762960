"""Wire types of the stream: one model for each event; ``data`` repeats the event's ``type``.

Events in order of appearance. Each step may have several events or none, except the last:

1. ``status``: a stage before the answer begins: classify, decompose, retrieve, generate.
2. ``source``: a numbered source that the answer may cite; all of them come before the first token. ``done`` lists those that it cites.
3. ``token``, ``check``: the answer piece by piece; the verdict on a sentence comes after the piece that ends it.
4. ``replace``: reason ``degraded``; the model broke off, and a quoted answer takes the place of what was streamed.
5. ``action``: a next step.
6. ``status``: evaluate, then retry if the evaluation failed.
7. ``replace``: reason ``retry`` if the retry found a better answer; reason ``grounding`` if unsupported sentences were removed.
8. ``done``, ``error``: the end. ``error`` may also come earlier and then ends the stream.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, GetJsonSchemaHandler
from pydantic_core import CoreSchema

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
    """A numbered source that the answer may cite; all of them come before the first token."""

    type: Literal["source"] = "source"
    source: SourceItem


class TokenEvent(BaseModel):
    """A piece of the answer; pieces follow each other and never repeat."""

    type: Literal["token"] = "token"
    content: str


class CheckEvent(BaseModel):
    """The verdict on a finished sentence, equal to its verdict in the whole answer."""

    type: Literal["check"] = "check"
    check: SentenceVerdict


class ActionEvent(BaseModel):
    """A next step."""

    type: Literal["action"] = "action"
    action: ActionItem


class ReplaceEvent(BaseModel):
    """A whole new answer with the sources that it cites; it replaces everything streamed before."""

    type: Literal["replace"] = "replace"
    reason: Literal["retry", "grounding", "degraded"]
    content: str
    sources: list[SourceItem]


class ErrorEvent(BaseModel):
    """The problem that ended the stream; always last."""

    type: Literal["error"] = "error"
    problem: Problem


class DoneEvent(AnswerMeta):
    """The answer without its text; always last after success."""

    type: Literal["done"] = "done"


StreamEvent = Annotated[
    StatusEvent | SourceEvent | TokenEvent | CheckEvent | ActionEvent | ReplaceEvent | ErrorEvent | DoneEvent,
    Field(discriminator="type"),
]


class _JsonText:
    """Describes a value that travels as the text of its JSON."""

    def __get_pydantic_json_schema__(self, core_schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {"type": "string", "contentMediaType": "application/json", "contentSchema": handler(core_schema)}


class StreamFrame(BaseModel):
    """An event as it is sent: its name and its data."""

    event: Literal["status", "source", "token", "check", "action", "replace", "error", "done"]
    id: str = Field(description="1, 2, 3 …", pattern="^[1-9][0-9]*$")
    data: Annotated[StreamEvent, _JsonText()]
