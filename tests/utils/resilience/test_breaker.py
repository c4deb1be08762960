"""The circuit breaker's states, on a clock of the test's own."""

from __future__ import annotations

import logging
import re

import pytest

from utils.config.settings import PROJECT_ROOT
from utils.resilience.breaker import BreakerState, CircuitBreaker, CircuitOpen


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def breaker(clock: Clock) -> CircuitBreaker:
    return CircuitBreaker("chroma", threshold=3, recovery=10.0, clock=clock)


def state(breaker: CircuitBreaker) -> BreakerState:
    return breaker.state


def call(breaker: CircuitBreaker, error: BaseException | None = None) -> None:
    with breaker.guard(lambda failure: isinstance(failure, OSError)):
        if error is not None:
            raise error


def fail(breaker: CircuitBreaker, times: int = 1) -> None:
    for _ in range(times):
        with pytest.raises(OSError, match="down"):
            call(breaker, OSError("down"))


def test_it_opens_after_consecutive_failures_only(breaker: CircuitBreaker) -> None:
    fail(breaker, 2)
    call(breaker)
    fail(breaker, 2)
    assert state(breaker) is BreakerState.CLOSED

    fail(breaker)
    assert state(breaker) is BreakerState.OPEN


def test_open_it_refuses_and_says_until_when(breaker: CircuitBreaker, clock: Clock) -> None:
    fail(breaker, 3)
    clock.now = 4.0

    with pytest.raises(CircuitOpen, match="chroma") as caught:
        call(breaker)
    assert caught.value.retry_after == pytest.approx(6.0)


def test_one_probe_decides(breaker: CircuitBreaker, clock: Clock) -> None:
    fail(breaker, 3)
    clock.now = 10.0
    assert state(breaker) is BreakerState.HALF_OPEN

    fail(breaker)
    assert state(breaker) is BreakerState.OPEN

    clock.now = 20.0
    call(breaker)
    assert state(breaker) is BreakerState.CLOSED
    fail(breaker, 2)
    assert state(breaker) is BreakerState.CLOSED


def test_only_one_probe_at_a_time(breaker: CircuitBreaker, clock: Clock) -> None:
    fail(breaker, 3)
    clock.now = 10.0

    with breaker.guard(lambda _: True), pytest.raises(CircuitOpen):
        call(breaker)
    assert state(breaker) is BreakerState.CLOSED


@pytest.mark.parametrize("neutral", [ValueError("bad question"), KeyboardInterrupt()])
def test_what_says_nothing_of_the_dependency_changes_nothing(
    breaker: CircuitBreaker, clock: Clock, neutral: BaseException
) -> None:
    fail(breaker, 2)
    with pytest.raises(type(neutral)):
        call(breaker, neutral)
    assert state(breaker) is BreakerState.CLOSED

    fail(breaker)
    clock.now = 10.0
    with pytest.raises(type(neutral)):
        call(breaker, neutral)
    assert state(breaker) is BreakerState.HALF_OPEN  # the next call may probe
    call(breaker)
    assert state(breaker) is BreakerState.CLOSED


def test_giving_up_and_coming_back_are_logged_once_each(
    breaker: CircuitBreaker, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO):
        fail(breaker, 3)
        clock.now = 10.0
        fail(breaker)  # the probe: it stays given up, which was said
        clock.now = 20.0
        call(breaker)
        call(breaker)
    assert [(record.levelname, "chroma" in record.getMessage()) for record in caplog.records] == [
        ("WARNING", True),
        ("INFO", True),
    ]


def test_each_dependency_has_its_breaker_in_one_place() -> None:
    """docs/failures.md lists them; the domain tables have none, for no request calls them."""
    folders = [PROJECT_ROOT / name for name in ("agents", "chains", "routes", "utils", "vectorstores")]
    made = sorted(
        file.relative_to(PROJECT_ROOT).as_posix()
        for folder in folders
        for file in folder.rglob("*.py")
        if re.search(rf"\b{CircuitBreaker.__name__}\(", file.read_text(encoding="utf-8"))
    )
    assert made == [
        "agents/sessions/link.py",
        "chains/models/local.py",
        "chains/models/openai.py",
        "utils/resilience/redis_link.py",
        "vectorstores/backends/server_calls.py",
        "vectorstores/providers/json_endpoint.py",
    ]
    listed = (PROJECT_ROOT / "docs" / "failures.md").read_text(encoding="utf-8")
    assert [file for file in made if f"`{file}`" not in listed] == []
