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
    """The response to one client, and the ``seconds`` it waited."""

    status: int
    body: dict[str, Any]
    seconds: float

    @property
    def missing(self) -> set[str]:
        """The components that the answer names as missing."""
        return {degraded["component"] for degraded in self.body["degraded"]}


def ask(service: httpx.Client, question: str) -> Answered:
    began = time.monotonic()
    response = service.post("/api/chat", json={"message": question}, timeout=90)
    return Answered(response.status_code, response.json(), time.monotonic() - began)


def ask_at_once(service: httpx.Client, questions: Sequence[str]) -> list[Answered]:
    """Ask all questions at the same moment, each from a client of its own."""
    limits = httpx.Limits(max_connections=len(questions))
    with httpx.Client(base_url=service.base_url, limits=limits) as many, ThreadPoolExecutor(len(questions)) as clients:
        return list(clients.map(lambda question: ask(many, question), questions))


def p95(answers: Sequence[Answered]) -> float:
    """Seconds within which 95 % of the clients had their answer."""
    return sorted(answer.seconds for answer in answers)[int(len(answers) * 0.95) - 1]


def capability(service: httpx.Client, name: str) -> dict[str, Any]:
    """Return what `/health` says of a capability."""
    found: dict[str, Any] = service.get("/health").json()["capabilities"][name]
    return found


def wait_until(condition: Callable[[], bool], what: str, seconds: float = 45) -> float:
    """Wait until ``condition`` holds and return the seconds that this took."""
    began = time.monotonic()
    while not condition():
        assert time.monotonic() - began < seconds, f"never: {what}"
        time.sleep(0.2)
    return time.monotonic() - began


def shows_inner_workings(reason: str) -> bool:
    return any(word in reason for word in INNER_WORKINGS)
