"""Secrets that are exchanged while the service runs: the keys of its clients, and what it connects with itself."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from schemas.health import CapabilityState
from utils.config.secret_watch import SecretWatch, Use
from utils.config.settings import Settings
from utils.http.access import ApiKeyRing
from utils.observability.health import AVAILABLE, HealthMonitor, Probe, ProbeResult


@asynccontextmanager
async def followed_secrets(
    settings: Settings, health: HealthMonitor, keys: ApiKeyRing, connections: Use | None
) -> AsyncIterator[None]:
    """Take exchanged secrets into use, all or none, for as long as the block lasts; ``health`` says what cannot be used.

    ``keys`` are those of the clients; ``connections`` takes the others.
    """

    async def use(exchanged: Settings) -> None:
        ring = ApiKeyRing.from_settings(exchanged.api_keys)
        if connections is not None:
            await connections(exchanged)
        keys.take_over(ring)

    async def look() -> ProbeResult:
        return ProbeResult(CapabilityState.DEGRADED, watch.problem) if watch.problem else AVAILABLE

    watch = SecretWatch(settings)
    if watch:
        health.look_at(Probe("secrets", look))
    async with watch.running(use):
        yield
