"""The total time one request may take, handed down to everything it calls."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Self


class DeadlineExceeded(TimeoutError):
    """The request's time is used up."""


@dataclass(frozen=True, slots=True)
class Deadline:
    """A point on the monotonic clock; ``at`` is in seconds of `time.monotonic`.

    ``of_request``: it is the end of the request's time, and says nothing of what was called shortly before it.
    """

    at: float
    of_request: bool = False

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


class _Request:
    """The request that a context serves: the end of its time, and the names of those who let it wait for nothing."""

    def __init__(self, deadline: Deadline) -> None:
        self.deadline = deadline
        self.silent: set[str] = set()


_request: ContextVar[_Request | None] = ContextVar("request with a deadline", default=None)


@contextmanager
def request_time(seconds: float) -> Iterator[None]:
    """Give all that is called in the block ``seconds`` together, or what is left to the request around it if that is less."""
    outer = _request.get()
    own = Deadline.after(seconds)
    token = _request.set(_Request(own if outer is None or own.at <= outer.deadline.at else outer.deadline))
    try:
        yield
    finally:
        _request.reset(token)


def within(seconds: float) -> Deadline:
    """Return the deadline of a call that may take ``seconds``, or that of the request being served where it comes sooner."""
    own, request = Deadline.after(seconds), _request.get()
    return own if request is None or own.at <= request.deadline.at else Deadline(request.deadline.at, of_request=True)


def is_silent(dependency: str) -> bool:
    """Return True if a call of ``dependency`` ran out of its own time in this request, which then waits for no other."""
    request = _request.get()
    return request is not None and dependency in request.silent


def note_silent(dependency: str) -> None:
    """Remember for this request that a call of ``dependency`` ran out of its own time; outside of a request nothing is."""
    if (request := _request.get()) is not None:
        request.silent.add(dependency)
