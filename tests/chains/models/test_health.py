"""The state of a model server as its calls show it."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from chains.models.errors import AttemptFailed
from chains.models.health import ModelHealth
from chains.models.usage import ModelFailureReason, ModelPurpose
from utils.resilience.breaker import CircuitBreaker

_THRESHOLD = 2
_RECOVERY = 15.0


class _Server:
    """A model server seen through its breakers; the clock is the test's."""

    def __init__(self) -> None:
        self.now = 100.0
        self.breakers = {
            purpose: CircuitBreaker(purpose, threshold=_THRESHOLD, recovery=_RECOVERY, clock=lambda: self.now)
            for purpose in ModelPurpose
        }
        self.health = ModelHealth(self.breakers, self._look, clock=lambda: self.now)

    async def _look(self) -> None:
        """It lists its models, however little it does with them."""

    def call(self, purpose: ModelPurpose, *, hangs: bool) -> None:
        failure = AttemptFailed(ModelFailureReason.TIMEOUT)
        with suppress(AttemptFailed), self.breakers[purpose].guard(lambda _: True):
            if not hangs:
                self.health.succeeded(purpose)
                return
            self.health.failed(purpose, failure)
            raise failure

    def troubles(self) -> set[ModelPurpose]:
        return set(asyncio.run(self.health.troubles()))


def test_a_purpose_that_is_rarely_called_is_well_once_the_server_serves_again() -> None:
    server = _Server()
    for _ in range(_THRESHOLD):
        server.call(ModelPurpose.ALTERNATIVES, hangs=True)
    assert server.troubles() == {ModelPurpose.ALTERNATIVES}
    server.now += _RECOVERY + 1
    assert server.troubles() == {ModelPurpose.ALTERNATIVES}, "nothing has shown that it serves"
    server.call(ModelPurpose.GENERATION, hangs=False)
    assert server.troubles() == set()


def test_what_another_purpose_got_does_not_close_an_open_breaker() -> None:
    server = _Server()
    for _ in range(_THRESHOLD):
        server.call(ModelPurpose.EVALUATION, hangs=True)
    server.call(ModelPurpose.GENERATION, hangs=False)
    assert server.troubles() == {ModelPurpose.EVALUATION}


def test_a_single_failure_is_no_trouble() -> None:
    server = _Server()
    server.call(ModelPurpose.GENERATION, hangs=True)
    assert server.troubles() == set()
