"""Look at what a service holds while it answers for a long time: memory, threads, descriptors, sockets, as the system tells."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from itertools import islice
from pathlib import Path

from evaluation.bench.load import Load, LoadClient
from evaluation.bench.machine import memory_of

_PROC = Path("/proc")
_MEMORY_GROWTH = 0.05  # of the second half over the first: allocators keep what caches had
_HEAD = "| requests | private MB | threads | descriptors | sockets | tasks |"
_LEFT, _WIDTH, _ROW = 100, 480, 90  # pixels of the plot
_MORE = 4  # threads, descriptors, sockets: a connection to a store may come and go


@dataclass(frozen=True, slots=True)
class Holding:
    """State of a process after so many ``requests``; memory in megabytes, all else counts. ``tasks`` are those of the event loop."""

    requests: int
    private_mb: float
    threads: int
    descriptors: int
    sockets: int
    tasks: int


def holding_of(pid: int, requests: int, tasks: int = 0) -> Holding | None:
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
    return Holding(requests, memory.private, threads, len(targets), sockets, tasks)


async def soak(
    client: LoadClient,
    requests: Iterable[bytes],
    count: int,
    connections: int,
    look: Callable[[int], Awaitable[None]],
    every: int,
) -> list[Load]:
    """Send ``count`` requests and call ``look`` with their number after each ``every``, while nothing is under way.

    Raises:
        LoadError: an answer other than 200, or none.
    """
    waiting = iter(requests)
    loads, sent = [], 0
    while sent < count:
        part = min(every, count - sent)
        loads.append(await client.run(islice(waiting, part), connections))
        sent += part
        await asyncio.sleep(0.5)  # connections are closed on both sides
        await look(sent)
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
        f"| {held.requests:,} | {held.private_mb:.0f} | {held.threads} | {held.descriptors} | {held.sockets} | {held.tasks} |"
        for held in holdings
    ]
    return "\n".join([_HEAD, "|---" * 6 + "|", *rows])


def plot(holdings: Sequence[Holding]) -> str:
    """Return an SVG with a row for each thing held, from nothing to its most, over the requests."""
    most = max(held.requests for held in holdings)
    parts = []
    for row, field in enumerate(fields(Holding)[1:]):
        values = [getattr(held, field.name) for held in holdings]
        top, base = max(values) or 1, _ROW * (row + 1) - 10
        points = " ".join(
            f"{_LEFT + _WIDTH * held.requests / most:.0f},{base - (_ROW - 30) * value / top:.0f}"
            for held, value in zip(holdings, values, strict=True)
        )
        parts += [
            f'<text x="0" y="{base - 8}">{field.name.replace("_", " ")}</text>',
            f'<text x="{_LEFT + _WIDTH + 8}" y="{base - 8}">{min(values):.0f} to {max(values):.0f}, last {values[-1]:.0f}</text>',
            f'<path d="M{_LEFT} {base}h{_WIDTH}" stroke="#bbb"/>',
            f'<polyline points="{points}" fill="none" stroke="#2563eb" stroke-width="2"/>',
        ]
    height = _ROW * (len(fields(Holding)) - 1) + 20
    parts.append(f'<text x="{_LEFT}" y="{height - 4}">0 to {most:,} requests</text>')
    size = f'viewBox="0 0 {_LEFT + _WIDTH + 190} {height}" font-family="sans-serif" font-size="13"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{"".join(parts)}</svg>\n'
