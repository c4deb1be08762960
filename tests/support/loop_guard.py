"""Fails a test in which a service's event loop was held: by what the loop's thread calculated, not by the clock."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from utils.observability.loop_watchdog import LoopWatchdog

MOST_HELD = 0.5  # processor seconds between two reports, which come every 0.05 s


@contextmanager
def loop_stays_free(most: float = MOST_HELD) -> Iterator[None]:
    """Watch the event loops of all services that run here; assert at the end that none was held for over ``most`` seconds."""
    held: list[float] = []
    record = LoopWatchdog.record

    def watched(self: LoopWatchdog, late: float, seconds: float) -> None:
        held.append(seconds)
        record(self, late, seconds)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LoopWatchdog, "record", watched)
        # As the service does once it has started: what thousands of tests have left behind is not its to collect on the loop.
        gc.freeze()
        try:
            yield
        finally:
            gc.unfreeze()
    longest = max(held, default=0.0)
    assert longest <= most, f"the event loop was held for {longest:.2f} s of the processor's time"
