"""Many honest clients, with and without a hostile one among them: what it does to their answers."""

from __future__ import annotations

import asyncio
import math
import random
import secrets
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from evaluation.bench.hostile import HostileClient
from evaluation.bench.load import LoadClient, LoadError
from evaluation.bench.service import HOST, RunningService
from utils.middleware.api_key import API_KEY_HEADER

_HOSTILE = "hostile"


@dataclass(frozen=True, slots=True)
class FairnessOptions:
    """``clients`` that ask every ``pace`` seconds on average, for ``seconds``."""

    clients: int
    seconds: float
    pace: float


@dataclass(slots=True)
class Honest:
    """Experience of the honest clients: seconds of each answer, and the number of requests without one.

    ``cores`` is how many the service kept busy meanwhile, NaN where the system does not tell.
    """

    seconds: list[float] = field(default_factory=list)
    refused: int = 0
    health: list[float] = field(default_factory=list)
    cores: float = math.nan

    def percentile(self, share: int) -> float:
        """Milliseconds within which ``share`` percent of the answers came."""
        return float(np.percentile(self.seconds, share)) * 1000

    @property
    def slowest_health(self) -> float:
        """Milliseconds of the slowest ``/health/live``."""
        return max(self.health) * 1000


def measure(data_dir: Path, questions: Sequence[str], options: FairnessOptions, *, hostile: bool) -> Honest:
    """Run the service with a key for each client and the default rate limits; nothing is cached.

    Raises:
        evaluation.bench.service.ServiceFailed: it did not start.
    """
    keys = {f"client{number}": secrets.token_hex(16) for number in range(options.clients)} | {
        _HOSTILE: secrets.token_hex(16)
    }
    settings = {
        "API_KEYS": ",".join(f"{name}={key}:chat" for name, key in keys.items()),
        "ENABLE_RATE_LIMIT": "true",
    }
    with RunningService(data_dir, data_dir / "fairness-service.log", settings) as service:
        before, started = service.processor_seconds(), time.monotonic()
        seen = asyncio.run(_measure(service.port, keys, questions, options, hostile=hostile))
        after = service.processor_seconds()
        if before is not None and after is not None:
            seen.cores = (after - before) / (time.monotonic() - started)
        return seen


async def _measure(
    port: int, keys: dict[str, str], questions: Sequence[str], options: FairnessOptions, *, hostile: bool
) -> Honest:
    seen = Honest()
    until = time.monotonic() + options.seconds
    clients = {name: LoadClient(HOST, port, {API_KEY_HEADER: key}) for name, key in keys.items()}
    enemy = HostileClient(HOST, port, clients.pop(_HOSTILE), LoadClient(HOST, port, {API_KEY_HEADER: "x" * 32}))
    async with _beside(enemy, hostile), asyncio.TaskGroup() as group:
        for number, client in enumerate(clients.values()):
            group.create_task(_ask(client, number, questions, options, until, seen))
        group.create_task(_watch_health(LoadClient(HOST, port), until, seen))
    return seen


@asynccontextmanager
async def _beside(enemy: HostileClient, hostile: bool) -> AsyncIterator[None]:
    task = asyncio.create_task(enemy.attack()) if hostile else None
    try:
        yield
    finally:
        if task is not None:
            task.cancel()
            await asyncio.wait({task})


async def _ask(
    client: LoadClient, number: int, questions: Sequence[str], options: FairnessOptions, until: float, seen: Honest
) -> None:
    draw = random.Random(number)  # noqa: S311 - when a client asks is no secret
    await asyncio.sleep(draw.uniform(0, options.pace))
    asked = 0
    while time.monotonic() < until:
        text = f"{questions[(number * 7 + asked) % len(questions)]} ({number}번 고객의 {asked + 1}번째 질문)"
        asked += 1
        started = time.monotonic()
        try:
            await client.fetch(client.post("/api/chat", {"message": text}))
        except LoadError:
            seen.refused += 1
        else:
            seen.seconds.append(time.monotonic() - started)
        await asyncio.sleep(draw.uniform(0.5, 1.5) * options.pace)


async def _watch_health(client: LoadClient, until: float, seen: Honest) -> None:
    while time.monotonic() < until:
        started = time.monotonic()
        await client.fetch(client.get("/health/live"))
        seen.health.append(time.monotonic() - started)
        await asyncio.sleep(0.2)
