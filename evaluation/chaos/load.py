"""A steady load of questions, each of which is another one, while something is being broken."""

from __future__ import annotations

import asyncio
import itertools
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Self

import httpx

_TIMEOUT = 90.0
_NO_ANSWER = 0
_ALWAYS_MISSING = frozenset({"weights"})  # none are learned for the vectors of a stub


@dataclass(frozen=True, slots=True)
class Seen:
    """A request: when it began and ended (seconds of `time.monotonic`), its status (0: no answer), what it names as missing.

    ``searched`` is false of a question that the service takes for small talk or for none of its matters: it calls nothing that
    could be missing.
    """

    began: float
    ended: float
    status: int
    missing: frozenset[str]
    searched: bool

    @property
    def seconds(self) -> float:
        return self.ended - self.began


class SteadyLoad:
    """``clients`` that ask one after the other, each in a conversation of its own, with ``pause`` seconds between.

    A context manager; `seen` grows while it is open.
    """

    def __init__(
        self, url: str, headers: Mapping[str, str], questions: Sequence[str], clients: int, pause: float = 0.2
    ) -> None:
        self.seen: list[Seen] = []
        self._url = url
        self._headers = dict(headers)
        self._questions = questions
        self._clients = clients
        self._pause = pause
        self._numbers = itertools.count()
        self._over = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._run()), name="load", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join(_TIMEOUT)

    def during(self, began: float, ended: float) -> list[Seen]:
        """Requests that had begun and ended between two moments."""
        return [request for request in list(self.seen) if began <= request.began and request.ended <= ended]

    async def _run(self) -> None:
        async with httpx.AsyncClient(base_url=self._url, headers=self._headers, timeout=_TIMEOUT) as client:
            await asyncio.gather(*(self._ask_on(client, number) for number in range(self._clients)))

    async def _ask_on(self, client: httpx.AsyncClient, of: int) -> None:
        while not self._over.is_set():
            number = next(self._numbers)
            text = f"{self._questions[number % len(self._questions)]} ({number}번째)"
            body = {"message": text, "session_id": f"chaos-{of}"}
            began = time.monotonic()
            status, missing, searched = _NO_ANSWER, frozenset[str](), False
            try:
                response = await client.post("/api/chat", json=body)
                status = response.status_code
                if response.is_success:
                    answer = response.json()
                    searched = answer["kind"] == "consult"
                    missing = frozenset(lack["component"] for lack in answer["degraded"]) - _ALWAYS_MISSING
            except httpx.HTTPError:
                pass
            self.seen.append(Seen(began, time.monotonic(), status, missing, searched))
            await asyncio.sleep(self._pause)
