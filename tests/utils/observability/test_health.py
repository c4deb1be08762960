from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from schemas.health import CapabilityState
from utils.observability.health import AVAILABLE, HealthMonitor, Hysteresis, InOwnThread, Probe, ProbeResult

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


@pytest.mark.finding("H8")
async def test_a_look_that_hangs_holds_one_thread_and_no_other_probe() -> None:
    well, looks = threading.Event(), []

    def hang() -> ProbeResult:
        looks.append(threading.current_thread())
        assert well.wait(20)
        return AVAILABLE

    probes = [Probe("disk", InOwnThread(hang)), Probe("analyzer", InOwnThread(lambda: AVAILABLE), required=True)]
    monitor = HealthMonitor(probes, timeout=0.05)
    for _ in range(3):
        await monitor.check()
    states = {name: health.state for name, health in monitor.capabilities.items()}
    assert states == {"disk": CapabilityState.UNAVAILABLE, "analyzer": CapabilityState.AVAILABLE}
    assert len(looks) == 1
    well.set()
    monitor = HealthMonitor(probes)
    await monitor.check()
    assert monitor.capabilities["disk"].state is CapabilityState.AVAILABLE
