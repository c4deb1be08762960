"""Overlap two stages of work: two threads compute ahead while the caller takes the results."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

_AHEAD = 2  # while one item is begun or ended the other keeps what computes them busy

Item = TypeVar("Item")
Result = TypeVar("Result")


def prefetch(function: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
    """Yield ``function(item)`` for each item, in order; other threads compute at most two items ahead.

    The caller's thread iterates ``items``. An error of ``function`` is raised here, at the place of its item.
    """
    under_way: deque[Future[Result]] = deque()
    with ThreadPoolExecutor(max_workers=_AHEAD, thread_name_prefix="ahead") as threads:
        try:
            for item in items:
                under_way.append(threads.submit(function, item))
                if len(under_way) > _AHEAD:
                    yield under_way.popleft().result()
            while under_way:
                yield under_way.popleft().result()
        finally:
            threads.shutdown(wait=False, cancel_futures=True)
