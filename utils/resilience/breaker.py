"""A circuit breaker: stop calling a dependency that keeps failing, and try again now and then.

Nygard 2007, "Release It!". Closed until ``threshold`` consecutive failures, then open for ``recovery`` seconds, then
half open: one probe is let through, and its outcome closes or reopens the circuit.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum

logger = logging.getLogger(__name__)


class BreakerState(StrEnum):
    """States of a breaker."""

    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half_open"


class CircuitOpen(RuntimeError):
    """The call was not made: the dependency failed too often. ``retry_after`` is in seconds."""

    def __init__(self, name: str, retry_after: float) -> None:
        super().__init__(f"{name} failed too often; next try in {retry_after:.1f} s")
        self.retry_after = retry_after


class CircuitBreaker:
    """Circuit breaker of one dependency, safe for threads and tasks alike."""

    def __init__(
        self,
        name: str,
        *,
        threshold: int = 5,
        recovery: float = 15.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._name = name
        self._threshold = threshold
        self._recovery = recovery
        self._clock = clock
        self._lock = threading.Lock()
        self._failures = 0
        self._opened_at: float | None = None
        self._probing = False

    @property
    def state(self) -> BreakerState:
        if self._opened_at is None:
            return BreakerState.CLOSED
        return BreakerState.HALF_OPEN if self._retry_after(self._opened_at) <= 0 else BreakerState.OPEN

    @contextmanager
    def guard(self, is_failure: Callable[[Exception], bool]) -> Iterator[None]:
        """Run one call. An exception that ``is_failure`` denies, or a cancellation, says nothing of the dependency.

        Raises:
            CircuitOpen: the call was refused.
        """
        is_probe = self._enter()
        failed: bool | None = None
        try:
            yield
            failed = False
        except Exception as error:
            failed = True if is_failure(error) else None
            raise
        finally:
            self._leave(is_probe, failed)

    def _enter(self) -> bool:
        """Let a call through, or raise; return True if the call is the probe."""
        with self._lock:
            if self._opened_at is None:
                return False
            retry_after = self._retry_after(self._opened_at)
            if retry_after > 0 or self._probing:
                raise CircuitOpen(self._name, max(retry_after, 0.0))
            self._probing = True
            return True

    def _leave(self, is_probe: bool, failed: bool | None) -> None:
        with self._lock:
            if is_probe:
                self._probing = False
            if failed is None:
                return
            was_open = self._opened_at is not None
            self._failures = self._failures + 1 if failed else 0
            if not failed:
                self._opened_at = None
            elif was_open or self._failures >= self._threshold:
                self._opened_at = self._clock()
            is_open = self._opened_at is not None
        if is_open and not was_open:
            logger.warning("%s: 연속으로 실패해 %.0f초 동안 부르지 않습니다.", self._name, self._recovery)
        elif was_open and not is_open:
            logger.info("%s: 다시 부릅니다.", self._name)

    def _retry_after(self, opened_at: float) -> float:
        return opened_at + self._recovery - self._clock()
