"""Wire types of trying out domain data: the domains that a question gets, why, and which questions a change would move."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from schemas.administration.domains import DomainEdit, DomainFile, PackChange
from schemas.chat import Message, Strict
from schemas.values import JsonNumber

KeptSet = Literal["examples", "units", "log"]
QuestionSet = Literal["examples", "units", "log", "given"]
"""Representative questions of the packs; phrasings of the answer units; recent questions of the log; those of the request."""


def _every_set() -> list[KeptSet]:
    return ["examples", "units", "log"]


class PreviewRequest(Strict):
    """A question to route, as a user would type it."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"question": "퇴직금은 언제까지 줘야 하나요?"}]}
    )

    question: Message


class DomainScore(BaseModel):
    """A domain's part in the routing of a question."""

    key: str
    label: str
    chosen: bool
    score: float = Field(description="Probability, if the question is for the service.")
    contributions: dict[str, float] = Field(description="What each feature adds to the log odds of the score.")
    matched: list[str] = Field(description="Keywords and rules that were found.")
    excluded: bool = Field(description="A cue says that the keywords do not mean the domain.")


class NearExample(BaseModel):
    """A representative question near the question."""

    question: str
    of: str = Field(description="Key of its domain or kind of rejection.")
    similarity: float = Field(description="Cosine.")


class RoutePreview(BaseModel):
    """The routing of a question by the rules, and its grounds."""

    question: str
    read_as: str = Field(description="The question with its spelling put right and in Korean.")
    kind: str
    domains: list[str]
    confidence: float
    method: str
    overruled: bool = Field(description="A cited article or an answer unit decided, against what the words say.")
    relevance: float = Field(description="Probability that the question is for the service.")
    relevance_threshold: float
    score_threshold: float = Field(description="From here on a domain is chosen beside the best.")
    scores: list[DomainScore]
    cues: list[str] = Field(description="Words that speak for turning it away, with the kind of rejection.")
    stock_phrase: str | None = Field(description="Kind of rejection of a message that is nothing but a stock phrase.")
    nearest: list[NearExample]
    model_decides: bool = Field(description="A model is configured and classifies in answers; here it was not asked.")


class DryRunRequest(Strict):
    """A change to try out, as edits or as files that take the place of everything, and the questions to try it on."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {
                    "edits": [
                        {
                            "op": "add",
                            "part": "keywords",
                            "key": "hr_labor",
                            "entry": {"tier": "core", "word": "수습"},
                        }
                    ],
                    "questions": ["수습기간에는 최저임금을 덜 줘도 되나요?"],
                    "sets": ["examples"],
                }
            ]
        },
    )

    edits: list[DomainEdit] = Field(default_factory=list, max_length=100)
    files: list[DomainFile] | None = Field(None, max_length=100)
    questions: list[Message] = Field(default_factory=list, max_length=500)
    sets: list[KeptSet] = Field(default_factory=_every_set, max_length=3)
    per_set: Annotated[int, Field(ge=1, le=2_000), JsonNumber] = Field(
        300, description="Questions of each set, drawn evenly from all of it; of the log the latest."
    )


class Routed(BaseModel):
    """The domains of a question."""

    kind: str
    domains: list[str]


class MovedQuestion(BaseModel):
    """A question that would be routed otherwise."""

    question: str
    set: QuestionSet
    before: Routed
    after: Routed
    order_only: bool = Field(description="The same domains in another order.")


class TriedSet(BaseModel):
    """A set of questions that a change was tried on."""

    name: QuestionSet
    questions: int
    tried: int = Field(description="Fewer than `questions` where the time was up.")
    moved: int
    note: str = ""


class DryRun(BaseModel):
    """Outcome of a dry run: nothing has been stored. The rules route, as they do in answers without a model."""

    changes: list[PackChange]
    sets: list[TriedSet]
    moved: list[MovedQuestion] = Field(description="The first 500.")
    complete: bool = Field(description="Every question was tried before the time was up.")
