"""A trial tells of requests that clients made while something was broken."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, Self, cast

from evaluation.chaos.dependencies import Dependency
from evaluation.chaos.load import Seen, SteadyLoad
from evaluation.chaos.trial import trials
from evaluation.commands.chaos import table

STEP = 0.02
_WELL = 200, frozenset[str](), True


class WrittenLoad:
    """Requests that end one after the other, as ``state`` says at the time: status, what is missing, and whether it searched."""

    def __init__(self) -> None:
        self.state: tuple[int, frozenset[str], bool] = _WELL
        self._first = time.monotonic()
        self._kept: list[Seen] = []

    @property
    def seen(self) -> list[Seen]:
        now = time.monotonic()
        while self._first + STEP <= now:
            self._kept.append(Seen(self._first, self._first + STEP, *self.state))
            self._first += STEP
        return self._kept

    def during(self, began: float, ended: float) -> list[Seen]:
        return [seen for seen in self.seen if began <= seen.began and seen.ended <= ended]


class WrittenDependency(Dependency):
    """While it is broken the load ends as ``broken`` says."""

    port = 0

    def __init__(self, load: WrittenLoad, status: int, *missing: str, searched: bool = True) -> None:
        super().__init__("Redis", "redis")
        self._load = load
        self._broken = status, frozenset(missing), searched

    @property
    def breaks(self) -> Mapping[str, Callable[[], None]]:
        return {"hangs": lambda: self._turn(self._broken)}

    def restore(self) -> None:
        self._turn(_WELL)

    def _turn(self, state: tuple[int, frozenset[str], bool]) -> None:
        assert self._load.seen is not None  # what has ended by now ended in the state of before
        self._load.state = state

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None: ...


def test_who_is_told_who_is_not_and_who_gets_no_answer_at_all() -> None:
    load = WrittenLoad()
    told, untold, refused, small_talk = (
        WrittenDependency(load, 200, "redis"),
        WrittenDependency(load, 200, "vector"),
        WrittenDependency(load, 503, searched=False),
        WrittenDependency(load, 200, searched=False),
    )
    outcomes = list(trials(cast("SteadyLoad", cast("Any", load)), [told, untold, refused, small_talk], 0.3))
    assert [outcome.is_well for outcome in outcomes] == [True, False, False, True]
    well, unmarked, failed, _ = outcomes
    assert (well.errors, well.unmarked) == (0, 0)
    assert well.recovery is not None
    assert unmarked.errors == 0
    assert unmarked.unmarked >= 5
    assert failed.errors >= 5
    assert failed.unmarked == 0
    lines = table(outcomes).splitlines()
    assert len(lines) == 2 + 4
    assert len({line.count("|") for line in lines}) == 1
