"""Breaks each dependency in turn under a steady load, and tells what the clients saw."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from evaluation.chaos.dependencies import Dependency
from evaluation.chaos.load import Seen, SteadyLoad

_POLL_SECONDS = 0.1
_RECOVERY_SECONDS = 90.0
_IN_A_ROW = 5  # answers in which nothing is missing, and the service has recovered


@dataclass(frozen=True, slots=True)
class Outcome:
    """The answers of clients during one break. Seconds; ``recovery`` is None where the dependency was never used again.

    ``unmarked`` counts searched answers of the time in which each of them has to name what is missing, and did not; for a restart, which
    may be over before anybody asks, there is no such time.
    """

    dependency: str
    how: str
    answers: int
    errors: int
    unmarked: int
    worst: float
    recovery: float | None

    @property
    def is_well(self) -> bool:
        """True if everybody was answered and told, and the dependency is used again."""
        return not self.errors and not self.unmarked and self.recovery is not None


def trials(load: SteadyLoad, dependencies: Sequence[Dependency], seconds: float) -> Iterator[Outcome]:
    """Break each dependency in each way for ``seconds``, or longer where it takes longer to be noticed.

    Raises:
        TimeoutError: nothing works before anything is broken.
    """
    if _recovered(load, time.monotonic()) is None:
        raise TimeoutError("the service gives no whole answers although nothing is broken")
    for dependency in dependencies:
        for how, break_it in dependency.breaks.items():
            began = time.monotonic()
            break_it()
            broken = time.monotonic()  # what was asked while a process was dying may still have had its answer from it
            lasts = how != "is killed and started at once"
            if lasts:
                time.sleep(dependency.notice + seconds)
            restored = time.monotonic()
            dependency.restore()
            recovery = _recovered(load, restored)
            told = load.during(broken + dependency.notice, restored) if lasts else []
            yield _outcome(dependency, how, load.during(began, time.monotonic()), told, recovery)


def _outcome(
    dependency: Dependency, how: str, seen: Sequence[Seen], told: Sequence[Seen], recovery: float | None
) -> Outcome:
    answered = [request for request in seen if request.status == 200]
    unmarked = [request for request in told if request.searched and dependency.component not in request.missing]
    worst = max((request.seconds for request in seen), default=0.0)
    return Outcome(dependency.name, how, len(answered), len(seen) - len(answered), len(unmarked), worst, recovery)


def _recovered(load: SteadyLoad, since: float) -> float | None:
    """Wait for some whole answers in a row; the seconds from ``since`` to the end of the first of them."""
    while time.monotonic() - since < _RECOVERY_SECONDS:
        later = [request for request in list(load.seen) if request.began >= since][-_IN_A_ROW:]
        if len(later) == _IN_A_ROW and all(request.status == 200 and not request.missing for request in later):
            return later[0].ended - since
        time.sleep(_POLL_SECONDS)
    return None
