"""The total time one request may take, handed down to everything it calls."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Self


class DeadlineExceeded(TimeoutError):
    """The request's time is used up."""


@dataclass(frozen=True, slots=True)
class Deadline:
    """A point on the monotonic clock; ``at`` is in seconds of `time.monotonic`."""

    at: float

    @classmethod
    def after(cls, seconds: float) -> Self:
        """The deadline ``seconds`` from now."""
        return cls(time.monotonic() + seconds)

    def remaining(self) -> float:
        """Seconds left, never negative."""
        return max(0.0, self.at - time.monotonic())

    def bound(self, seconds: float) -> float:
        """``seconds``, or what is left if that is less."""
        return min(seconds, self.remaining())

    def check(self) -> None:
        """Raise when no time is left.

        Raises:
            DeadlineExceeded: the deadline has passed.
        """
        if not self.remaining():
            raise DeadlineExceeded("the request's time is used up")
