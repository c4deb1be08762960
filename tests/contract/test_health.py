"""Liveness, readiness and the report over the wire."""

from __future__ import annotations

import time

from schemas.health import CapabilityState
from schemas.problems import ErrorCode
from tests.contract.conftest import running
from tests.contract.stub_service import StubServices
from tests.contract.wire import assert_problem
from utils.observability.health import AVAILABLE, Probe, ProbeResult


class Switch:
    """A part that can be broken."""

    def __init__(self) -> None:
        self.broken = False

    async def __call__(self) -> ProbeResult:
        return ProbeResult(CapabilityState.UNAVAILABLE, "색인이 닫혔습니다.") if self.broken else AVAILABLE


def wait_until(condition: object, seconds: float = 5) -> None:
    until = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < until
        time.sleep(0.01)


def test_readiness_falls_and_recovers_while_the_process_lives() -> None:
    index = Switch()
    stubs = StubServices((Probe("index", index, required=True),))
    with running(stubs) as service, service.client() as client:
        assert client.get("/health/ready").json() == {"status": "ready"}
        index.broken = True
        wait_until(lambda: client.get("/health/ready").status_code == 503)
        response = client.get("/health/ready")
        problem = assert_problem(response, ErrorCode.SERVICE_UNAVAILABLE)
        assert "index" in problem.detail
        assert "retry-after" in response.headers
        report = client.get("/health").json()
        assert report["status"] == "unavailable"
        assert report["ready"] is False
        assert report["capabilities"]["index"]["reason"] == "색인이 닫혔습니다."
        assert client.get("/health/live").json() == {"status": "alive"}
        index.broken = False
        wait_until(lambda: client.get("/health/ready").status_code == 200)


def test_an_optional_part_degrades_the_report_but_not_readiness() -> None:
    vector = Switch()
    vector.broken = True
    stubs = StubServices((Probe("index", Switch(), required=True), Probe("vector", vector)))
    with running(stubs) as service, service.client() as client:
        report = client.get("/health").json()
        assert (report["status"], report["ready"]) == ("degraded", True)
        assert report["documents"] == {"finance_tax": 1}
        assert report["providers"] == {"llm": "extractive"}
        assert report["version"]
        assert report["uptime_seconds"] >= 0
