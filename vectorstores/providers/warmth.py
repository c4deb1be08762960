"""Switches a provider on when the service starts, and keeps it on while it is used; in a thread, so that nothing waits for it.

A serverless worker that has nothing to do is taken away. Until it is there again, which takes up to minutes, questions are
answered without it. A request now and then keeps it, and costs what a worker costs.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone

from utils.config.provider_settings import Hours
from utils.config.settings import EmbeddingProvider, RerankProvider, Settings
from utils.observability.sparse_log import SparseLog
from vectorstores.errors import ProviderUnavailable
from vectorstores.providers.remote import RemoteProvider

logger = logging.getLogger(__name__)
_log = SparseLog(logger)

_KOREA = timezone(timedelta(hours=9), "KST")
_START_SECONDS = 2.0  # that the start of the service waits; a provider that takes longer is used once it is there
_AGAIN = 5.0  # seconds between two tries of the first request
_LOOK = 1.0  # seconds between two looks at the clock


def korean_hour() -> int:
    """Return the hour of the day in Korea, where the users are; it has no summer time."""
    return datetime.now(UTC).astimezone(_KOREA).hour


@dataclass(frozen=True, slots=True)
class KeepWarm:
    """A request once nobody has sent any for ``seconds``, within ``hours`` (None: at any time)."""

    seconds: float
    hours: Hours | None = None
    hour: Callable[[], int] = korean_hour

    def is_due(self, idle: float) -> bool:
        """Return whether a provider that has been idle for ``idle`` seconds is to be sent a request."""
        return idle >= self.seconds and (self.hours is None or self.hours.hold(self.hour()))


class ProviderWarmth:
    """The thread of one provider, given by ``name``; without ``keep`` it ends when the provider works for the first time."""

    def __init__(self, name: str, provider: RemoteProvider, keep: KeepWarm | None) -> None:
        self._name = name
        self._provider = provider
        self._keep = keep
        self._stop = threading.Event()
        self._started = threading.Event()
        # not of a pool: a worker that never comes must not hold up the end of the process
        self._thread = threading.Thread(target=self._run, name=f"warmth of {name}", daemon=True)

    def begin(self) -> None:
        """Have the provider started; until then no question is sent to it."""
        self._provider.hold_back()
        self._thread.start()

    def wait(self, seconds: float) -> bool:
        """Wait until the provider works, at most ``seconds``; blocking."""
        return self._started.wait(seconds)

    def end(self) -> None:
        """Send nothing more; what is under way is not waited for."""
        self._stop.set()

    def _run(self) -> None:
        began = time.monotonic()
        while not self._stop.is_set():
            try:
                self._provider.start()
            except ProviderUnavailable as error:
                _log.warning(f"{self._name}: 아직 쓸 수 없어 그것 없이 답합니다. {error}")
                self._stop.wait(_AGAIN)
            else:
                logger.info("%s: %.1f초 만에 켜졌습니다.", self._name, time.monotonic() - began)
                self._started.set()
                break
        if self._keep is not None:
            self._keep_warm(self._keep)

    def _keep_warm(self, keep: KeepWarm) -> None:
        tried = 0.0
        while not self._stop.wait(min(_LOOK, keep.seconds)):
            # of a provider that fails the breaker and health take care, no sooner than it is due again
            if not keep.is_due(self._provider.idle_seconds) or time.monotonic() - tried < keep.seconds:
                continue
            tried = time.monotonic()
            try:
                self._provider.keep_warm()
            except ProviderUnavailable as error:
                _log.warning(f"{self._name}: 켜 두기 위한 요청이 실패했습니다. {error}")


def begin_all(settings: Settings, providers: Mapping[str, RemoteProvider]) -> list[ProviderWarmth]:
    """Have ``providers`` started, by what they do (``embedding``, ``rerank``), and wait a moment for those that are there already.

    Workers of RunPod are kept warm from then on if the settings ask for it. Blocking.
    """
    serverless = {
        "embedding": settings.embedding_provider is EmbeddingProvider.RUNPOD,
        "rerank": settings.rerank_provider is RerankProvider.RUNPOD,
    }
    hours = settings.runpod_keep_warm_hours
    keep = (
        KeepWarm(settings.runpod_keep_warm_seconds, Hours.read(hours) if hours else None)
        if settings.runpod_keep_warm_seconds
        else None
    )
    warmths = [
        ProviderWarmth(name, provider, keep if serverless[name] else None) for name, provider in providers.items()
    ]
    for warmth in warmths:
        warmth.begin()
    wait_for_all(warmths, _START_SECONDS)
    return warmths


def wait_for_all(warmths: Sequence[ProviderWarmth], seconds: float) -> None:
    """Wait until all work, at most ``seconds`` together; blocking."""
    until = time.monotonic() + seconds
    for warmth in warmths:
        warmth.wait(max(0.0, until - time.monotonic()))
