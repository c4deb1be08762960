"""Content of ``/metrics``, and who may read it."""

from __future__ import annotations

from typing import Any

from prometheus_client.parser import text_string_to_metric_families

from schemas.problems import ErrorCode
from tests.contract.conftest import ADMIN_KEY, CHAT_KEY, Service, running
from tests.contract.wire import assert_problem

KEYS = f"web={CHAT_KEY}:chat,ops={ADMIN_KEY}:admin"


def samples(text: str) -> dict[tuple[str, tuple[str, ...]], float]:
    """Each sample of the text format, by name and values of its labels."""
    return {
        (sample.name, tuple(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_requests_are_counted_by_route_and_class_of_status() -> None:
    with running() as service, service.client() as client:
        for _ in range(3):
            client.post("/api/chat", json={"message": "부가세"})
        client.post("/api/chat", json={})
        client.post("/api/chat/stream", json={"message": "부가세"})
        for name in ("a", "b"):
            client.delete(f"/api/vectordb/documents/{name}")
            client.get(f"/{name}")
        seen = samples(client.get("/metrics").text)
    assert seen["bizi_requests_total", ("/api/chat", "2xx")] == 3
    assert seen["bizi_requests_total", ("/api/chat", "4xx")] == 1
    assert seen["bizi_requests_total", ("/api/chat/stream", "2xx")] == 1
    assert seen["bizi_requests_total", ("-", "4xx")] == 2
    routes = {labels[0] for name, labels in seen if name == "bizi_requests_total"}
    assert not any(route.endswith(("/a", "/b")) for route in routes), "a label for each path"
    assert seen["bizi_requests_in_flight", ()] == 1
    assert seen["bizi_connections_open", ()] == 1
    assert seen["bizi_event_loop_lag_seconds_count", ()] >= 0
    assert seen["bizi_event_loop_blocked_total", ()] == 0
    assert seen["process_open_fds", ()] > 0


def test_refusals_are_counted_by_cause() -> None:
    limits: dict[str, Any] = {"enable_rate_limit": True, "rate_limit_per_minute": 1, "rate_limit_burst": 1}
    with running(api_keys=KEYS, metrics_open=True, **limits) as service, service.client() as client:
        client.post("/api/chat", json={"message": "부가세"})
        for _ in range(2):
            client.post("/api/chat", json={"message": "부가세"}, headers={"X-API-Key": CHAT_KEY})
        seen = samples(client.get("/metrics").text)
    assert seen["bizi_refusals_total", ("auth",)] == 1
    assert seen["bizi_refusals_total", ("rate",)] == 1
    assert seen["bizi_refusals_total", ("head",)] == 0


def test_with_keys_the_metrics_need_one_unless_they_are_open(guarded: Service) -> None:
    with guarded.client() as client:
        assert_problem(client.get("/metrics"), ErrorCode.UNAUTHORIZED)
        assert client.get("/metrics", headers={"X-API-Key": ADMIN_KEY}).status_code == 200
    with running(api_keys=KEYS, metrics_open=True) as service, service.client() as client:
        response = client.get("/metrics")
        assert response.status_code == 200
        assert response.headers["content-type"].startswith("text/plain")
