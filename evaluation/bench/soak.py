"""Look at what a service holds while it answers for a long time: memory, threads, descriptors, sockets, as the system tells."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from itertools import cycle, islice
from pathlib import Path

from evaluation.bench.load import Load, LoadClient
from evaluation.bench.machine import memory_of

_PROC = Path("/proc")
_MEMORY_GROWTH = 0.05  # of the second half over the first: allocators keep what caches had
_MORE = 4  # threads, descriptors, sockets: a connection to a store may come and go


@dataclass(frozen=True, slots=True)
class Holding:
    """State of a process after so many ``requests``; memory in megabytes, all else counts."""

    requests: int
    private_mb: float
    threads: int
    descriptors: int
    sockets: int


def holding_of(pid: int, requests: int) -> Holding | None:
    """Return what a process holds; None where the system does not tell."""
    memory = memory_of(pid)
    if memory is None:
        return None
    targets = []
    for link in (_PROC / str(pid) / "fd").iterdir():
        try:
            targets.append(str(link.readlink()))
        except FileNotFoundError:  # closed meanwhile
            continue
    threads = len(list((_PROC / str(pid) / "task").iterdir()))
    sockets = sum(target.startswith("socket:") for target in targets)
    return Holding(requests, memory.private, threads, len(targets), sockets)


async def soak(
    client: LoadClient,
    requests: Sequence[bytes],
    count: int,
    connections: int,
    look: Callable[[int], None],
    every: int,
) -> list[Load]:
    """Send ``count`` requests and call ``look`` with their number after each ``every``, while nothing is under way.

    Raises:
        LoadError: an answer other than 200, or none.
    """
    waiting: Iterator[bytes] = cycle(requests)
    loads, sent = [], 0
    while sent < count:
        part = min(every, count - sent)
        loads.append(await client.run(islice(waiting, part), connections))
        sent += part
        await asyncio.sleep(0.5)  # connections are closed on both sides
        await asyncio.to_thread(look, sent)
    return loads


def growths(holdings: Sequence[Holding]) -> list[str]:
    """Return a sentence for each thing that the second half of the time had more of than the first, beyond what comes and goes.

    The first quarter warms up and does not count. Fewer than eight looks tell nothing.
    """
    if len(holdings) < 8:
        return []
    warm = holdings[len(holdings) // 4 :]
    before, after = warm[: len(warm) // 2], warm[len(warm) // 2 :]
    grown = []
    for field in fields(Holding)[1:]:
        least, now = (min(getattr(holding, field.name) for holding in half) for half in (before, after))
        allowed = least * _MEMORY_GROWTH if field.name == "private_mb" else _MORE
        if now > least + allowed:
            grown.append(f"{field.name}: {least:g} → {now:g}")
    return grown


def table(holdings: Sequence[Holding]) -> str:
    """Return the looks as a Markdown table."""
    rows = [
        f"| {held.requests:,} | {held.private_mb:.0f} | {held.threads} | {held.descriptors} | {held.sockets} |"
        for held in holdings
    ]
    return "\n".join(["| requests | private MB | threads | descriptors | sockets |", "|---|---|---|---|---|", *rows])
