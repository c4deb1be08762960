"""The health of a model server, as its calls and a look now and then show it."""

from __future__ import annotations

import math
import time
from collections.abc import Awaitable, Callable, Mapping

from chains.models.errors import REFUSALS, AttemptFailed
from chains.models.usage import ModelFailureReason, ModelPurpose
from utils.resilience.breaker import BreakerState, CircuitBreaker

_LOOK_EVERY = 60.0  # seconds without a call that tells
_LOOK_AGAIN = 10.0  # seconds, while the server is in trouble


class ModelHealth:
    """Remembers how the last call of each purpose ended; asks the server itself when nobody has called for a while.

    ``look`` raises `AttemptFailed` when the server does not answer or does not take the key.
    """

    def __init__(
        self,
        breakers: Mapping[ModelPurpose, CircuitBreaker],
        look: Callable[[], Awaitable[None]],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._breakers = breakers
        self._look = look
        self._clock = clock
        self._failed: dict[ModelPurpose, tuple[ModelFailureReason, float]] = {}
        self._served = -math.inf  # when any purpose was
        self._seen: ModelFailureReason | None = None
        self._looked: float | None = None

    def succeeded(self, purpose: ModelPurpose) -> None:
        """Note a call that came to its end."""
        self._failed.pop(purpose, None)
        self._served = self._looked = self._clock()
        self._seen = None

    def failed(self, purpose: ModelPurpose, failure: AttemptFailed) -> None:
        """Note a call that failed."""
        if failure.opens_breaker:
            self._failed[purpose] = failure.reason, self._clock()

    async def troubles(self) -> Mapping[ModelPurpose, ModelFailureReason]:
        """Return what keeps purposes from being served now, by purpose; empty when all are.

        A single failure is none: a purpose is in trouble when its breaker has opened, or when the server refused the key or
        the model, which no further call would change. Once its breaker would let a call through again, it is in trouble until the
        server has served any purpose: one that is rarely called would be so for ever.
        """
        await self._look_when_due()
        if self._seen is not None:
            return dict.fromkeys(ModelPurpose, self._seen)
        return {
            purpose: reason
            for purpose, (reason, failed) in self._failed.items()
            if reason in REFUSALS or self._is_given_up(purpose, failed)
        }

    def _is_given_up(self, purpose: ModelPurpose, failed: float) -> bool:
        state = self._breakers[purpose].state
        return state is BreakerState.OPEN or (state is BreakerState.HALF_OPEN and self._served <= failed)

    async def _look_when_due(self) -> None:
        pause = _LOOK_EVERY if self._seen is None else _LOOK_AGAIN
        if self._looked is not None and self._clock() - self._looked < pause:
            return
        self._looked = self._clock()
        try:
            await self._look()
        except AttemptFailed as failure:
            self._seen = failure.reason if failure.opens_breaker else None
        else:
            self._seen = None
