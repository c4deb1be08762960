"""Notices an event loop that stands still: how late it is as a metric, and its stack in the log while it does.

Whatever holds the loop holds every request, every health check and every time limit with it.
"""

from __future__ import annotations

import asyncio
import logging
import sys
import threading
import time
import traceback
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

logger = logging.getLogger(__name__)


class LoopWatchdog:
    """Has the loop report every ``interval`` seconds, and a thread wait for it.

    ``on_lag`` gets the seconds by which each report was late, ``on_block`` is called once for each time the loop stood
    still for over ``threshold`` seconds. Its stack is logged then, at most once in ``quiet`` seconds.
    """

    def __init__(
        self,
        on_lag: Callable[[float], None],
        on_block: Callable[[], None],
        *,
        interval: float = 0.05,
        threshold: float = 1.0,
        quiet: float = 60.0,
    ) -> None:
        self._on_lag = on_lag
        self._on_block = on_block
        self._interval = interval
        self._threshold = threshold
        self._quiet = quiet
        self._logged_at = float("-inf")
        self._beat_at = 0.0
        self._cpu_at_beat = 0.0
        self._stopping = threading.Event()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Watch the running loop until the block is left."""
        self._beat_at, self._cpu_at_beat = time.monotonic(), time.thread_time()
        arguments = (threading.get_ident(),)
        thread = threading.Thread(target=self._watch, args=arguments, name="loop watchdog", daemon=True)
        task = asyncio.create_task(self._report(), name="loop watchdog")
        thread.start()
        try:
            yield
        finally:
            self._stopping.set()
            task.cancel()

    def record(self, late: float, held: float) -> None:
        """Take one report: seconds that it came ``late``, and processor seconds for which the loop was ``held`` before."""
        self._on_lag(late)

    async def _report(self) -> None:
        while True:
            await asyncio.sleep(self._interval)
            now, cpu = time.monotonic(), time.thread_time()
            self.record(max(0.0, now - self._beat_at - self._interval), cpu - self._cpu_at_beat)
            self._beat_at, self._cpu_at_beat = now, cpu

    def _watch(self, loop_thread: int) -> None:
        reported = 0.0
        while not self._stopping.wait(self._threshold / 4):
            beat = self._beat_at
            if beat != reported and time.monotonic() - beat > self._threshold:
                reported = beat
                self._on_block()
                self._log_stack(loop_thread)

    def _log_stack(self, loop_thread: int) -> None:
        frame = sys._current_frames().get(loop_thread)
        if frame is None or time.monotonic() - self._logged_at < self._quiet:
            return
        self._logged_at = time.monotonic()
        stack = "".join(traceback.format_stack(frame))
        logger.error("the event loop has stood still for over %g s, in:\n%s", self._threshold, stack)
