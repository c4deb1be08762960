"""Computing ahead: order, bounds and failures are those of a plain loop."""

from __future__ import annotations

import threading
from collections.abc import Generator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vectorstores.build.overlap import prefetch


@given(st.lists(st.integers()))
def test_results_come_in_order(items: list[int]) -> None:
    assert list(prefetch(lambda item: item * 2, items)) == [item * 2 for item in items]


def test_it_works_while_the_caller_does_and_only_a_little_ahead() -> None:
    started: list[int] = []
    second_begun = threading.Event()

    def work(item: int) -> int:
        started.append(item)
        if item == 1:
            second_begun.set()
        return item

    taken = prefetch(work, range(100))
    assert next(taken) == 0
    assert isinstance(taken, Generator)
    assert second_begun.wait(10), "the next item is not begun before it is asked for"
    taken.close()
    assert max(started) <= 3


def test_a_failure_comes_at_its_place_and_ends_it() -> None:
    taken = prefetch(lambda item: 1 // item, [1, 0, 1])
    assert next(taken) == 1
    with pytest.raises(ZeroDivisionError):
        next(taken)
