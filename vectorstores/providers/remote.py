"""A provider that is a server: whether it works, and how it is switched on and kept so."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from contextlib import suppress
from typing import Protocol

from utils.resilience.breaker import BreakerState
from vectorstores.errors import ProviderUnavailable
from vectorstores.providers.json_endpoint import CallPurpose, Observe, calling_for


class Endpoint(Protocol):
    """The part of a `JsonEndpoint` or a `RunPodEndpoint` that a provider's state is read from."""

    starting: bool
    observe: Observe

    @property
    def breaker_state(self) -> BreakerState: ...

    @property
    def served(self) -> float: ...

    @property
    def is_cold(self) -> bool: ...


class RemoteProvider(ABC):
    """Base of embedders and rerankers that are servers, called through ``_endpoint``."""

    _endpoint: Endpoint

    @property
    def breaker_state(self) -> BreakerState:
        """The state of the breaker: calls pass (closed), are refused (open), or one probe passes (half open)."""
        return self._endpoint.breaker_state

    @property
    def is_starting(self) -> bool:
        """True from `hold_back` until `start` has succeeded: questions are answered without it."""
        return self._endpoint.starting

    @property
    def is_cold(self) -> bool:
        """True if the last call found a worker that has to be switched on first."""
        return self._endpoint.is_cold

    @property
    def idle_seconds(self) -> float:
        """Seconds since the last call that succeeded."""
        return time.monotonic() - self._endpoint.served

    def observe(self, observe: Observe) -> None:
        """Have every call told."""
        self._endpoint.observe = observe

    def hold_back(self) -> None:
        """Send it no questions until it was started."""
        self._endpoint.starting = True

    def start(self) -> None:
        """Send the first request, which waits for a worker to be switched on; questions are sent from then on.

        Raises:
            ProviderUnavailable: it does not work, or not yet.
        """
        with calling_for(CallPurpose.START):
            self._first()
        self._endpoint.starting = False

    def keep_warm(self) -> None:
        """Send a request so that no worker is switched off for want of any. Raises `ProviderUnavailable`."""
        with calling_for(CallPurpose.KEEP_WARM):
            self._probe()

    def try_again(self) -> None:
        """Call the server; ``breaker_state`` tells whether that went well."""
        with calling_for(CallPurpose.PROBE), suppress(ProviderUnavailable):
            self._probe()

    def _first(self) -> object:
        """Send the first request; raises `ProviderUnavailable`."""
        return self._probe()

    @abstractmethod
    def _probe(self) -> object:
        """Send the least request that shows whether the server works; raises `ProviderUnavailable`."""
