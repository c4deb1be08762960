"""Purposes, failures and cost of model calls, as known without calling a model."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from schemas.chat import TokenUsage


class ModelPurpose(StrEnum):
    """Why a model is called. A closed set: it labels metrics and chooses the model."""

    UNDERSTANDING = "understanding"
    GENERATION = "generation"
    EVALUATION = "evaluation"
    ALTERNATIVES = "alternatives"


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


@dataclass(slots=True)
class ModelCall:
    """A request to a model server. Times are seconds of `time.monotonic`.

    ``first_token`` is set for streams. Neither ``succeeded`` nor a ``failure`` is set when the caller left before the end.
    """

    purpose: ModelPurpose
    started: float
    first_token: float | None = None
    ended: float | None = None
    input_tokens: int = 0
    output_tokens: int = 0
    failure: ModelFailureReason | None = None
    succeeded: bool = False

    @property
    def outcome(self) -> str:
        """``ok``, the reason of the failure, or ``left`` when nobody waited for the end. A closed set: it labels metrics."""
        if self.failure is not None:
            return self.failure.value
        return "ok" if self.succeeded else "left"


@dataclass(slots=True)
class UsageMeter:
    """Collects the model calls of one request, in the order they began, retries included."""

    calls: list[ModelCall] = field(default_factory=list)

    def total(self) -> TokenUsage:
        """The sum over all calls."""
        return TokenUsage(
            input_tokens=sum(call.input_tokens for call in self.calls),
            output_tokens=sum(call.output_tokens for call in self.calls),
            model_calls=len(self.calls),
        )
