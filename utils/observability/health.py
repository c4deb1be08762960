"""Health of the parts of the service: probes run in the background, readiness has hysteresis.

Requests read the last result, so that a health check costs nothing and cannot hang with what it checks.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from schemas.health import CapabilityHealth, CapabilityState

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

logger = logging.getLogger(__name__)

_WORKING = frozenset({CapabilityState.AVAILABLE, CapabilityState.DEGRADED})


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """Result of a probe; ``reason`` is one Korean sentence."""

    state: CapabilityState
    reason: str = ""


AVAILABLE = ProbeResult(CapabilityState.AVAILABLE)


@dataclass(frozen=True, slots=True)
class Probe:
    """A probe of one capability. ``required``: nothing can be answered without it."""

    name: str
    check: Callable[[], Awaitable[ProbeResult]]
    required: bool = False


class InOwnThread:
    """A blocking look as the check of a probe: behind nothing else that waits for a thread, and never twice at a time.

    A look that hangs is waited for again in the next round, so that it holds one thread however long it takes.
    """

    def __init__(self, look: Callable[[], ProbeResult]) -> None:
        self._look = look
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="probe")
        self._under_way: asyncio.Future[ProbeResult] | None = None

    async def __call__(self) -> ProbeResult:
        if self._under_way is None or self._under_way.done():
            self._under_way = asyncio.get_running_loop().run_in_executor(self._thread, self._look)
        return await asyncio.shield(self._under_way)


@dataclass(frozen=True, slots=True)
class Hysteresis:
    """Rounds in a row that turn readiness on (``rise``) or off (``fall``)."""

    rise: int = 2
    fall: int = 3


class HealthMonitor:
    """Runs the probes every ``interval`` seconds, each for at most ``timeout`` seconds."""

    def __init__(
        self,
        probes: Sequence[Probe],
        *,
        interval: float = 5.0,
        timeout: float = 3.0,
        hysteresis: Hysteresis | None = None,
    ) -> None:
        self._probes = tuple(probes)
        self._interval = interval
        self._timeout = timeout
        self._hysteresis = hysteresis or Hysteresis()
        self._capabilities: dict[str, CapabilityHealth] = {}
        self._ready: bool | None = None  # None before the first round, which decides alone
        self._contrary_rounds = 0
        self._started = time.monotonic()

    def look_at(self, probe: Probe) -> None:
        """Run one probe more, from the next round on."""
        self._probes = (*self._probes, probe)

    @property
    def ready(self) -> bool:
        return bool(self._ready)

    @property
    def capabilities(self) -> dict[str, CapabilityHealth]:
        """The last result by capability."""
        return dict(self._capabilities)

    @property
    def interval(self) -> float:
        return self._interval

    def uptime(self) -> float:
        """Seconds since the monitor was made."""
        return time.monotonic() - self._started

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Run one round of probes, then more in the background until the block is left."""
        await self.check()
        task = asyncio.create_task(self._run(), name="health monitor")
        try:
            yield
        finally:
            task.cancel()
            await asyncio.wait({task}, timeout=self._timeout)

    async def check(self) -> None:
        """Run all probes once."""
        probes = self._probes
        results = await asyncio.gather(*(self._run_probe(probe) for probe in probes))
        self._capabilities = {probe.name: result for probe, result in zip(probes, results, strict=True)}
        working = all(result.state in _WORKING for result in results if result.required)
        self._update_readiness(working)

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(self._interval)
            await self.check()

    async def _run_probe(self, probe: Probe) -> CapabilityHealth:
        try:
            async with asyncio.timeout(self._timeout):
                result = await probe.check()
        except TimeoutError:
            result = ProbeResult(CapabilityState.UNAVAILABLE, f"{self._timeout:g}초 안에 응답하지 않았습니다.")
        except Exception:
            logger.exception("probe of %s failed", probe.name)
            result = ProbeResult(CapabilityState.UNAVAILABLE, "점검하는 중에 오류가 발생했습니다.")
        return CapabilityHealth(state=result.state, reason=result.reason, required=probe.required)

    def _update_readiness(self, working: bool) -> None:
        if self._ready is None:
            self._ready = working
            return
        if working == self._ready:
            self._contrary_rounds = 0
            return
        self._contrary_rounds += 1
        if self._contrary_rounds >= (self._hysteresis.rise if working else self._hysteresis.fall):
            self._ready = working
            self._contrary_rounds = 0
            logger.warning("service is %s", "ready again" if working else "not ready")
