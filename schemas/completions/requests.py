"""Requests of ``/v1/chat/completions``: what is read of them, what is taken without effect, and what is refused."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue, StrictBool, StringConstraints
from pydantic_core import PydanticCustomError

from schemas.chat import ImageAddress, SessionId, SessionState, ShortText, Strict, UserContext
from schemas.values import JsonNumber

_ABSENT: list[JsonValue] = [None, False, 0, "none", [], {}]
_MOST_MESSAGES = 500
_MOST_PARTS = 50


def _absent(value: JsonValue) -> JsonValue:
    """Return a value that asks for nothing; raises for any other."""
    if value not in _ABSENT:
        raise PydanticCustomError("not_supported", "not supported")
    return value


NoEffect = Annotated[JsonValue, Field(description="Taken without effect.")]
"""A parameter of models, of which an answer from documents knows nothing."""
Unsupported = Annotated[
    JsonValue,
    AfterValidator(_absent),
    Field(
        description="Not supported: a value that asks for something is refused.", json_schema_extra={"enum": _ABSENT}
    ),
]


class TextPart(Strict):
    """A piece of a message."""

    type: Literal["text"]
    text: str


class ImageAddressPart(Strict):
    """Where a picture is, or its data."""

    url: ImageAddress
    detail: Literal["auto", "low", "high"] | None = None


class ImagePart(Strict):
    """A picture that a question is about."""

    type: Literal["image_url"]
    image_url: ImageAddressPart


Text = str | Annotated[list[TextPart], Field(min_length=1, max_length=_MOST_PARTS)]
Parts = Annotated[
    list[Annotated[TextPart | ImagePart, Field(discriminator="type")]], Field(min_length=1, max_length=_MOST_PARTS)
]


class InstructionMessage(Strict):
    """Instructions to a model; taken without effect, as the assistants have their own."""

    role: Literal["system", "developer"]
    content: Text
    name: ShortText | None = None


class UserMessage(Strict):
    """A question."""

    role: Literal["user"]
    content: str | Parts
    name: ShortText | None = None


class AssistantMessage(BaseModel):
    """An answer of before, as it was given: what else stands in it, such as annotations, is left aside."""

    model_config = ConfigDict(extra="ignore")

    role: Literal["assistant"]
    content: Text | None = None
    tool_calls: Unsupported = None
    function_call: Unsupported = None
    audio: Unsupported = None


CompletionInput = Annotated[InstructionMessage | UserMessage | AssistantMessage, Field(discriminator="role")]


class StreamOptions(Strict):
    """Options of a stream."""

    include_usage: StrictBool | None = None
    include_obfuscation: StrictBool | None = Field(None, description="Taken without effect.")


class ResponseFormat(Strict):
    """The form of an answer, which is text."""

    type: Literal["text"]


class CompletionRequest(Strict):
    """A conversation that ends with a question."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {"model": "bizi", "messages": [{"role": "user", "content": "부가가치세는 언제까지 신고해야 하나요?"}]}
            ]
        },
    )

    model: Annotated[str, StringConstraints(min_length=1, max_length=64)] = Field(
        description="The name of an assistant; `GET /v1/models` lists them."
    )
    messages: Annotated[list[CompletionInput], Field(min_length=1, max_length=_MOST_MESSAGES)] = Field(
        description="The last is the question, of 1 to 2,000 characters; of those before it the last 20 of user and assistant are read."
    )
    stream: StrictBool | None = None
    stream_options: StreamOptions | None = None
    n: Annotated[int, Field(ge=1, le=1), JsonNumber] | None = None
    response_format: ResponseFormat | None = None
    modalities: Annotated[list[Literal["text"]], Field(max_length=1)] | None = None
    user: ShortText | None = Field(None, description="As `user_context.user_id`, which it stands in for.")

    session_id: SessionId | None = Field(None, description="As of `/api/chat`.")
    user_context: UserContext | None = Field(None, description="As of `/api/chat`.")
    session_state: SessionState | None = Field(None, description="As of `/api/chat`.")
    debug: StrictBool = Field(False, description="As of `/api/chat`.")

    tools: Unsupported = None
    tool_choice: Unsupported = None
    functions: Unsupported = None
    function_call: Unsupported = None
    logprobs: Unsupported = None
    top_logprobs: Unsupported = None
    audio: Unsupported = None
    web_search_options: Unsupported = None

    temperature: NoEffect = None
    top_p: NoEffect = None
    max_tokens: NoEffect = None
    max_completion_tokens: NoEffect = None
    stop: NoEffect = None
    seed: NoEffect = None
    presence_penalty: NoEffect = None
    frequency_penalty: NoEffect = None
    logit_bias: NoEffect = None
    reasoning_effort: NoEffect = None
    verbosity: NoEffect = None
    prediction: NoEffect = None
    parallel_tool_calls: NoEffect = None
    service_tier: NoEffect = None
    store: NoEffect = None
    metadata: NoEffect = None
    safety_identifier: NoEffect = None
    prompt_cache_key: NoEffect = None
    prompt_cache_retention: NoEffect = None


WITHOUT_EFFECT = frozenset(
    name for name, field in CompletionRequest.model_fields.items() if field.description == "Taken without effect."
)
"""The parameters that are taken without effect."""
