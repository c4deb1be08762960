"""What is known of model calls without calling one: their purposes, their failures, their cost."""

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
    REJECTED = "rejected"
    GARBAGE = "garbage"
    CUT = "cut"
    CIRCUIT_OPEN = "circuit_open"
    DEADLINE = "deadline"


@dataclass(slots=True)
class ModelCall:
    """One request to a model server. Times are seconds of `time.monotonic`.

    ``first_token`` is set for streams. ``failure`` is None when the call succeeded or the caller left.
    """

    purpose: ModelPurpose
    started: float
    first_token: float | None = None
    ended: float | None = None
    input_tokens: int = 0
    output_tokens: int = 0
    failure: ModelFailureReason | None = None


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
