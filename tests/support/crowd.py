"""Many clients at once, each with a question of its own."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import httpx

CLIENTS = 30
# What a reason may not hold: paths, error numbers, addresses, names of exceptions.
INNER_WORKINGS = ("/", "\\", "[Errno", "Error", "Exception", "127.0.0.1", "localhost", "Traceback")


@dataclass(frozen=True, slots=True)
class Answered:
    """What one client got; ``seconds`` is how long it waited."""

    status: int
    body: dict[str, Any]
    seconds: float

    @property
    def missing(self) -> set[str]:
        """The components that the answer names as missing."""
        return {one["component"] for one in self.body["degraded"]}


def ask(service: httpx.Client, question: str) -> Answered:
    began = time.monotonic()
    response = service.post("/api/chat", json={"message": question}, timeout=90)
    return Answered(response.status_code, response.json(), time.monotonic() - began)


def ask_at_once(service: httpx.Client, questions: Sequence[str]) -> list[Answered]:
    """One client a question, all at the same moment."""
    limits = httpx.Limits(max_connections=len(questions))
    with httpx.Client(base_url=service.base_url, limits=limits) as many, ThreadPoolExecutor(len(questions)) as clients:
        return list(clients.map(lambda question: ask(many, question), questions))


def p95(answers: Sequence[Answered]) -> float:
    """Seconds within which 95 % of the clients had their answer."""
    return sorted(one.seconds for one in answers)[int(len(answers) * 0.95) - 1]


def capability(service: httpx.Client, name: str) -> dict[str, Any]:
    """What `/health` says of one."""
    found: dict[str, Any] = service.get("/health").json()["capabilities"][name]
    return found


def wait_until(condition: Callable[[], bool], what: str, seconds: float = 45) -> float:
    """How long it took until ``condition`` held, in seconds."""
    began = time.monotonic()
    while not condition():
        assert time.monotonic() - began < seconds, f"never: {what}"
        time.sleep(0.2)
    return time.monotonic() - began


def shows_inner_workings(reason: str) -> bool:
    return any(word in reason for word in INNER_WORKINGS)
