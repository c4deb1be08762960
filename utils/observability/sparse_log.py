"""Log messages that come with every request while something is broken, and are worth one line a minute."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from cachetools import TTLCache

_EVERY = 60.0  # seconds
_KEYS = 1_024


class SparseLog:
    """Logs each message at most once in ``every`` seconds; thread-safe."""

    def __init__(
        self, logger: logging.Logger, *, every: float = _EVERY, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._logger = logger
        self._lately: TTLCache[str, bool] = TTLCache(_KEYS, every, clock)
        self._lock = threading.Lock()

    def warning(self, message: str) -> None:
        """Log ``message`` unless it was lately."""
        with self._lock:
            if message in self._lately:
                return
            self._lately[message] = True
        self._logger.warning("%s", message)
