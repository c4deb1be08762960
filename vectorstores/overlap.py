"""Two stages of work at the same time: one thread computes ahead while the caller takes what is done."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

_AHEAD = 2  # one being computed, one waiting, so that the computing thread never waits for the caller

Item = TypeVar("Item")
Result = TypeVar("Result")


def computed_ahead(function: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
    """``function(item)`` of each item, in order, computed by one other thread at most two items ahead.

    ``items`` is iterated by the caller's thread. What ``function`` raises is raised here, at its place.
    """
    under_way: deque[Future[Result]] = deque()
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="ahead") as thread:
        try:
            for item in items:
                under_way.append(thread.submit(function, item))
                if len(under_way) > _AHEAD:
                    yield under_way.popleft().result()
            while under_way:
                yield under_way.popleft().result()
        finally:
            thread.shutdown(wait=False, cancel_futures=True)
