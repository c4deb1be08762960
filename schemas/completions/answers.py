"""Answers of ``/v1/chat/completions``, whole and in pieces, and the models of ``/v1/models``."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from schemas.chat import AnswerMeta


class UrlCitation(BaseModel):
    """A source where the answer cites it; the offsets count the characters of the message."""

    start_index: int = Field(ge=0)
    end_index: int = Field(ge=0)
    title: str
    url: str = Field(description="Empty for a document without an address.")


class Annotation(BaseModel):
    """A citation."""

    type: Literal["url_citation"] = "url_citation"
    url_citation: UrlCitation


class CompletionMessage(BaseModel):
    """The answer with its citations; the list of sources stands at its end."""

    role: Literal["assistant"] = "assistant"
    content: str
    refusal: None = None
    annotations: list[Annotation]


class Choice(BaseModel):
    """The one answer."""

    index: Literal[0] = 0
    message: CompletionMessage
    finish_reason: Literal["stop"] = "stop"
    logprobs: None = None


class PromptTokensDetails(BaseModel):
    """Input tokens that the model server had cached."""

    cached_tokens: int


class CompletionUsage(BaseModel):
    """Tokens of all model calls of the answer; zero without a model, and of an answer from the cache."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int
    prompt_tokens_details: PromptTokensDetails


class AnswerDetails(AnswerMeta):
    """Everything that ``/api/chat`` tells of the answer but its text."""

    answer_start: int = Field(
        0, ge=0, description="Where the answer begins in the text; more than 0 where a stream was corrected."
    )
    without_effect: list[str] = Field(
        default_factory=list, description="Parameters, and roles of messages, that were taken without effect."
    )


class Completion(BaseModel):
    """A whole answer."""

    id: str
    object: Literal["chat.completion"] = "chat.completion"
    created: int = Field(description="Seconds since 1970.")
    model: str
    choices: list[Choice]
    usage: CompletionUsage
    bizi: AnswerDetails


class Delta(BaseModel):
    """An addition to the message."""

    role: Literal["assistant"] | None = None
    content: str | None = None
    annotations: list[Annotation] | None = None


class ChunkChoice(BaseModel):
    """A piece of the one answer; the last has a reason and all citations."""

    index: Literal[0] = 0
    delta: Delta
    finish_reason: Literal["stop"] | None


class CompletionChunk(BaseModel):
    """A piece of an answer; `bizi` comes with the last one, `usage` behind it where it was asked for."""

    id: str
    object: Literal["chat.completion.chunk"] = "chat.completion.chunk"
    created: int
    model: str
    choices: list[ChunkChoice]
    usage: CompletionUsage | None = None
    bizi: AnswerDetails | None = None


class ModelItem(BaseModel):
    """An assistant that answers."""

    id: str
    object: Literal["model"] = "model"
    created: int = Field(0, description="Not known of an assistant.")
    owned_by: Literal["bizi-rag"] = "bizi-rag"
    name: str = Field(description="Its label.")
    description: str


class ModelList(BaseModel):
    """The assistants that answer, the default one first."""

    object: Literal["list"] = "list"
    data: list[ModelItem]
