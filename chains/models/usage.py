"""Purposes, failures and cost of model calls, as known without calling a model."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from schemas.chat import TokenUsage
from utils.config.settings import LLMProvider, Settings
from utils.usage.records import UsageCounts, estimated_tokens

if TYPE_CHECKING:
    from langchain_core.messages.ai import UsageMetadata


class ModelPurpose(StrEnum):
    """Why a model is called. A closed set: it labels metrics and chooses the model."""

    UNDERSTANDING = "understanding"
    GENERATION = "generation"
    EVALUATION = "evaluation"
    ALTERNATIVES = "alternatives"
    IMAGE = "image"  # describing a picture
    TALK = "talk"  # everyday talk, and turning away other subjects
    VOICE = "voice"  # writing down a recording


class ModelFailureReason(StrEnum):
    """Why a model call gave nothing usable. A closed set: it labels metrics and degradations."""

    TIMEOUT = "timeout"
    RATE_LIMITED = "rate_limited"
    SERVER_ERROR = "server_error"
    UNREACHABLE = "unreachable"
    UNAUTHORIZED = "unauthorized"  # the server does not take the key
    UNKNOWN_MODEL = "unknown_model"  # the server does not know the model
    REJECTED = "rejected"
    GARBAGE = "garbage"
    EMPTY = "empty"  # nothing but white space
    CUT = "cut"  # the connection ended before the text did
    TRUNCATED = "truncated"  # the model's own limit of tokens ended the text
    FILTERED = "filtered"  # the server's content filter ended or refused the text
    TOO_LONG = "too_long"  # more text than an answer may have
    REPEATED_PROMPT = "repeated_prompt"  # the text repeats a line of the system prompt
    CIRCUIT_OPEN = "circuit_open"
    DEADLINE = "deadline"
    BUDGET = "budget"  # the client has used up its budget: nothing was asked


# The server did not take the request, or says so: it charges nothing.
_NOT_SERVED = frozenset(
    {
        ModelFailureReason.RATE_LIMITED,
        ModelFailureReason.SERVER_ERROR,
        ModelFailureReason.UNREACHABLE,
        ModelFailureReason.UNAUTHORIZED,
        ModelFailureReason.UNKNOWN_MODEL,
        ModelFailureReason.REJECTED,
    }
)


@dataclass(slots=True)
class ModelCall:
    """A request to a model server. Times are seconds of `time.monotonic`.

    ``first_token`` is set for streams. Neither ``succeeded`` nor a ``failure`` is set when the caller left before the end.
    ``prompt_bytes`` and ``written_bytes`` (UTF-8) are what tokens are estimated by where the server reports none.
    """

    purpose: ModelPurpose
    started: float
    first_token: float | None = None
    ended: float | None = None
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    prompt_bytes: int = 0
    written_bytes: int = 0
    is_estimated: bool = False
    failure: ModelFailureReason | None = None
    succeeded: bool = False

    @property
    def outcome(self) -> str:
        """``ok``, the reason of the failure, or ``left`` when nobody waited for the end. A closed set: it labels metrics."""
        if self.failure is not None:
            return self.failure.value
        return "ok" if self.succeeded else "left"

    def report(self, usage: UsageMetadata) -> None:
        """Take down what the server says; its last report counts."""
        self.input_tokens, self.output_tokens = usage["input_tokens"], usage["output_tokens"]
        self.cached_tokens = usage.get("input_token_details", {}).get("cache_read") or 0

    def settle(self) -> UsageCounts:
        """Return what the call took, at its end; tokens that nobody reported are estimated from now on.

        A call that the server did not take costs nothing. One that was given up on, or broke off, may cost all of its prompt.
        """
        is_reported = self.input_tokens > 0 or self.output_tokens > 0
        if not is_reported and (self.written_bytes or self.failure not in _NOT_SERVED):
            self.is_estimated = True
            self.input_tokens = estimated_tokens(self.prompt_bytes)
            self.output_tokens = estimated_tokens(self.written_bytes)
        return UsageCounts.of_call(
            self.input_tokens, self.output_tokens, self.cached_tokens, estimated=self.is_estimated
        )


@dataclass(slots=True)
class UsageMeter:
    """Collects the model calls of one request, in the order they began, retries included."""

    calls: list[ModelCall] = field(default_factory=list)

    def total(self) -> TokenUsage:
        """The sum over all calls."""
        return TokenUsage(
            input_tokens=sum(call.input_tokens for call in self.calls),
            cached_input_tokens=sum(call.cached_tokens for call in self.calls),
            output_tokens=sum(call.output_tokens for call in self.calls),
            model_calls=len(self.calls),
            estimated=any(call.is_estimated for call in self.calls),
        )


def model_names(settings: Settings) -> dict[ModelPurpose, str]:
    """Return the names of the configured models by purpose."""
    if settings.effective_llm_provider is LLMProvider.LOCAL and settings.local_llm:
        return dict.fromkeys(ModelPurpose, settings.local_llm)
    understanding = settings.openai_understanding_model or settings.openai_model
    return {
        ModelPurpose.UNDERSTANDING: understanding,
        ModelPurpose.GENERATION: settings.openai_model,
        ModelPurpose.EVALUATION: settings.openai_evaluation_model or settings.openai_model,
        ModelPurpose.ALTERNATIVES: understanding,
        ModelPurpose.IMAGE: settings.openai_image_model or settings.openai_model,
        ModelPurpose.TALK: settings.openai_talk_model or settings.openai_model,
        ModelPurpose.VOICE: settings.openai_transcription_model,
    }
