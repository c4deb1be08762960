"""A result is made once for all who ask for it, and kept; an error is neither."""

from __future__ import annotations

import asyncio

import pytest

from utils.resilience.shared_results import SharedResults


class Source:
    """Gives 1, 2, … when ``gate`` opens, or raises ``error``; counts what was begun and what was stopped."""

    def __init__(self) -> None:
        self.gate = asyncio.Event()
        self.begun = 0
        self.stopped = 0
        self.error: Exception | None = None

    async def __call__(self) -> int:
        self.begun += 1
        number = self.begun
        try:
            await self.gate.wait()
        except asyncio.CancelledError:
            self.stopped += 1
            raise
        if self.error:
            raise self.error
        return number


async def _turns() -> None:
    """Let everything run that can."""
    for _ in range(5):
        await asyncio.sleep(0)


async def test_who_asks_at_the_same_time_shares_one_call_and_who_comes_later_its_result() -> None:
    results, source = SharedResults[int](10, 60), Source()
    asking = [asyncio.create_task(results.made("a", source)) for _ in range(3)]
    other = asyncio.create_task(results.made("b", source))
    await _turns()
    assert results.kept("a") is None
    source.gate.set()
    assert await asyncio.gather(*asking) == [1, 1, 1]
    assert await other == 2
    assert source.begun == 2
    assert results.kept("a") == 1


async def test_an_error_goes_to_all_who_wait_and_is_not_kept() -> None:
    results, source = SharedResults[int](10, 60), Source()
    source.error = ValueError("no")
    source.gate.set()
    failed = await asyncio.gather(*(results.made("a", source) for _ in range(2)), return_exceptions=True)
    assert failed == [source.error] * 2
    assert results.kept("a") is None
    source.error = None
    assert await results.made("a", source) == 2


async def test_a_call_goes_on_for_those_who_stay_and_stops_with_the_last() -> None:
    results, source = SharedResults[int](10, 60), Source()
    first, second = (asyncio.create_task(results.made("a", source)) for _ in range(2))
    await _turns()
    first.cancel()
    await _turns()
    assert source.stopped == 0
    second.cancel()
    with pytest.raises(asyncio.CancelledError):
        await second
    assert (source.begun, source.stopped) == (1, 1)
    source.gate.set()
    assert await results.made("a", source) == 2, "what was stopped is begun anew"


async def test_results_are_kept_for_their_time_and_the_last_used_of_them() -> None:
    now = 0.0
    results, source = SharedResults[int](2, 60, lambda: now), Source()
    source.gate.set()
    for key in "abc":
        await results.made(key, source)
    assert [results.kept(key) for key in "abc"] == [None, 2, 3]
    now = 61.0
    assert [results.kept(key) for key in "abc"] == [None, None, None]
