from __future__ import annotations

import asyncio
from typing import Any

from schemas.health import CapabilityState
from utils.health import AVAILABLE, HealthMonitor, Hysteresis, Probe, ProbeResult

DOWN = ProbeResult(CapabilityState.UNAVAILABLE, "멈췄습니다.")


def monitor_of(results: list[ProbeResult], **options: Any) -> HealthMonitor:
    async def check() -> ProbeResult:
        return results.pop(0)

    return HealthMonitor([Probe("index", check, required=True)], **options)


async def readiness(results: list[ProbeResult]) -> list[bool]:
    monitor = monitor_of(list(results), hysteresis=Hysteresis(rise=2, fall=3))
    seen = []
    for _ in results:
        await monitor.check()
        seen.append(monitor.ready)
    return seen


def test_one_bad_round_does_not_turn_readiness_off() -> None:
    rounds = [AVAILABLE, DOWN, DOWN, AVAILABLE, DOWN, DOWN]
    assert asyncio.run(readiness(rounds)) == [True] * 6


def test_three_bad_rounds_turn_it_off_and_two_good_ones_on_again() -> None:
    rounds = [AVAILABLE, DOWN, DOWN, DOWN, AVAILABLE, DOWN, AVAILABLE, AVAILABLE]
    assert asyncio.run(readiness(rounds)) == [True, True, True, False, False, False, False, True]


def test_the_first_round_decides_alone() -> None:
    assert asyncio.run(readiness([DOWN])) == [False]


def test_a_probe_that_hangs_or_fails_is_unavailable_with_a_reason() -> None:
    async def hang() -> ProbeResult:
        await asyncio.sleep(60)
        return AVAILABLE

    async def fail() -> ProbeResult:
        raise RuntimeError("/srv/secret")

    monitor = HealthMonitor([Probe("a", hang), Probe("b", fail)], timeout=0.01)
    asyncio.run(monitor.check())
    assert {health.state for health in monitor.capabilities.values()} == {CapabilityState.UNAVAILABLE}
    assert all(health.reason and "secret" not in health.reason for health in monitor.capabilities.values())
    assert monitor.ready  # nothing required is down
