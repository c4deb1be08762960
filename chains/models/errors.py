"""Failures of a model call, from the single attempt up to what callers see."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chains.models.usage import ModelFailureReason

if TYPE_CHECKING:
    from langchain_core.messages.ai import UsageMetadata

_SERVER_FAULTS = frozenset(
    {
        ModelFailureReason.TIMEOUT,
        ModelFailureReason.RATE_LIMITED,
        ModelFailureReason.SERVER_ERROR,
        ModelFailureReason.UNREACHABLE,
        ModelFailureReason.CUT,
    }
)
_RETRYABLE = _SERVER_FAULTS | {ModelFailureReason.GARBAGE, ModelFailureReason.EMPTY}
# Another call would be refused as well, until somebody corrects the settings or the account.
REFUSALS = frozenset({ModelFailureReason.UNAUTHORIZED, ModelFailureReason.UNKNOWN_MODEL})


class AttemptFailed(Exception):
    """A failed attempt; raised by chat models, seen by `LanguageModel` only.

    ``retry_after`` is in seconds; ``usage`` is what the server says that a text took which cannot be used.
    """

    def __init__(
        self, reason: ModelFailureReason, retry_after: float | None = None, usage: UsageMetadata | None = None
    ) -> None:
        super().__init__(reason.value)
        self.reason = reason
        self.retry_after = retry_after
        self.usage = usage

    @property
    def retryable(self) -> bool:
        return self.reason in _RETRYABLE

    @property
    def server_fault(self) -> bool:
        """True if the server failed, and may do better soon (a refused or misunderstood request would not)."""
        return self.reason in _SERVER_FAULTS

    @property
    def opens_breaker(self) -> bool:
        """True if the failure counts against the model server: calls that cannot succeed now should not be made."""
        return self.server_fault or self.reason in REFUSALS


class ModelUnavailable(Exception):
    """The model gave nothing usable within its tries and the deadline."""

    def __init__(self, reason: ModelFailureReason) -> None:
        super().__init__(reason.value)
        self.reason = reason


class ModelStreamCut(ModelUnavailable):
    """The model failed after it had handed out part of its text: that part has to be replaced."""
