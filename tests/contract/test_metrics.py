"""Content of ``/metrics``, and who may read it."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from prometheus_client import values
from prometheus_client.parser import text_string_to_metric_families

from schemas.problems import ErrorCode
from tests.contract.conftest import ADMIN_KEY, CHAT_KEY, Service, make_settings, running
from tests.contract.wire import assert_problem
from tests.test_monitoring_files import VALUES
from utils.server.uvicorn_server import Runtime

KEYS = f"web={CHAT_KEY}:chat,ops={ADMIN_KEY}:admin"


def samples(text: str) -> dict[tuple[str, tuple[str, ...]], float]:
    """Each sample of the text format, by name and values of its labels in the order of their names."""
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


def eventually(look: Callable[[], bool]) -> bool:
    """True once ``look`` is, within some seconds: the service learns of a client that left a moment later."""
    until = time.monotonic() + 10
    while not look():
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True


def test_a_stream_is_timed_to_its_first_words_and_to_its_end() -> None:
    with running() as service, service.client() as client:
        client.post("/api/chat/stream", json={"message": "부가세"})
        client.post("/api/chat", json={"message": "부가세"})
        seen = samples(client.get("/metrics").text)
    assert seen["bizi_first_token_seconds_count", ()] == 1
    for name in ("bizi_request_first_byte_seconds", "bizi_request_seconds"):
        assert seen[f"{name}_count", ("/api/chat/stream", "2xx")] == 1
        assert seen[f"{name}_count", ("/api/chat", "2xx")] == 1
    head, whole = (
        seen[f"{name}_sum", ("/api/chat/stream", "2xx")]
        for name in ("bizi_request_first_byte_seconds", "bizi_request_seconds")
    )
    assert 0 < head < seen["bizi_first_token_seconds_sum", ()] < whole
    assert ("bizi_requests_cut_total", ("/api/chat/stream",)) not in seen


def test_a_stream_that_breaks_off_counts_as_its_error() -> None:
    with running() as service, service.client() as client:
        answer = client.post("/api/chat/stream", json={"message": "도중에 끊기는 질문"})
        assert answer.status_code == 200
        assert "event: error" in answer.text
        client.post("/api/chat/stream", json={"message": "중단"})
        seen = samples(client.get("/metrics").text)
    assert seen["bizi_requests_total", ("/api/chat/stream", "5xx")] == 2
    assert ("bizi_requests_total", ("/api/chat/stream", "2xx")) not in seen


@pytest.mark.parametrize("path", ["/api/chat", "/api/chat/stream"])
def test_a_client_that_leaves_is_counted(path: str) -> None:
    with running() as service, service.client() as client:

        def left() -> float:
            return samples(client.get("/metrics").text).get(("bizi_requests_cut_total", (path,)), 0)

        def in_flight() -> float:
            return samples(client.get("/metrics").text)["bizi_requests_in_flight", ()]

        with pytest.raises(httpx.ReadTimeout), client.stream("POST", path, json={"message": "오래"}, timeout=0.5) as it:
            it.read()
        assert service.stubs.chat.started.is_set()
        assert eventually(lambda: left() == 1)
        assert eventually(lambda: in_flight() == 1), "the one that asks"
        assert samples(client.get("/metrics").text)["bizi_answers_total", ("no", "consult")] == 0


def test_what_is_refused_before_any_route_is_timed_and_counted() -> None:
    with running(max_body_bytes=1024) as service, service.client() as client:
        assert client.post("/api/chat", content=b"x" * 5_000, headers={"Content-Type": "application/json"}).is_error
        seen = samples(client.get("/metrics").text)
    assert seen["bizi_refusals_total", ("body",)] == 1
    counted = [labels for (name, labels), value in seen.items() if name == "bizi_request_seconds_count" and value]
    assert {status for _, status in counted} == {"4xx"}


def test_answers_are_counted_by_kind() -> None:
    with running() as service, service.client() as client:
        client.post("/api/chat", json={"message": "부가세"})
        client.post("/api/chat/stream", json={"message": "부가세"})
        client.post("/api/chat", json={"message": "버그"})
        seen = samples(client.get("/metrics").text)
    assert seen["bizi_answers_total", ("no", "consult")] == 2
    assert seen["bizi_answers_total", ("no", "out_of_scope")] == 0
    assert seen["bizi_degraded_answers_total", ("llm",)] == 0


def test_the_index_and_the_health_are_told() -> None:
    with running() as service, service.client() as client:
        seen = samples(client.get("/metrics").text)
    assert seen["bizi_index_documents", ("finance_tax",)] == 1
    assert seen["bizi_ready", ()] == 1
    assert seen["bizi_capability_works", ("index",)] == 1
    assert [value for (name, _), value in seen.items() if name == "bizi_build_info"] == [1]


def test_nobody_from_outside_makes_a_label() -> None:
    with running() as service, service.client() as client:
        before = {(name, labels) for name, labels in samples(client.get("/metrics").text)}
        for number in range(20):
            own = f"x{number}"
            client.get(f"/{own}", params={own: own})
            client.request(own.upper(), f"/api/{own}")
            client.post(f"/api/vectordb/jobs/{own}/cancel")
            client.post("/api/chat", json={"message": own, "session_id": own, "user_context": {"user_id": own}})
            client.post("/api/chat", json={own: own}, headers={"X-Request-ID": own, "X-API-Key": own, "Host": own})
        text = client.get("/metrics").text
        made = {(name, labels) for name, labels in samples(text)} - before
    assert "x7" not in text.lower()
    assert len({labels for name, labels in made if name == "bizi_requests_total"}) < 12
    families = {family.name: family for family in text_string_to_metric_families(text)}
    for family in families.values():
        for sample in family.samples:
            for label, value in sample.labels.items():
                assert label not in VALUES or value in VALUES[label]


def test_the_metrics_have_a_port_of_their_own_where_one_is_set() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with running(api_keys=KEYS, metrics_port=port) as service, service.client() as client:
        client.get("/health/live")
        text = httpx.get(f"http://127.0.0.1:{port}/metrics", trust_env=False).text
        assert samples(text)["bizi_requests_total", ("/health/live", "2xx")] == 1
        assert samples(text)["bizi_ready", ()] == 1
        assert_problem(client.get("/metrics"), ErrorCode.UNAUTHORIZED)
        assert_problem(client.post("/api/chat", json={"message": "부가세"}), ErrorCode.UNAUTHORIZED)
    with pytest.raises(httpx.ConnectError):
        httpx.get(f"http://127.0.0.1:{port}/metrics", trust_env=False)


def test_a_process_that_shares_its_counts_tells_them_with_its_own_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(values, "ValueClass", values.ValueClass)  # both are put back
    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", "")
    runtime = Runtime.of(make_settings(metrics_dir=tmp_path / "counts"))
    with running(runtime=runtime) as service, service.client() as client:
        client.post("/api/chat/stream", json={"message": "부가세"})
        assert eventually(lambda: samples(client.get("/metrics").text)["bizi_requests_in_flight", ()] == 1)
        seen = samples(client.get("/metrics").text)
    assert seen["bizi_requests_total", ("/api/chat/stream", "2xx")] == 1
    assert seen["bizi_first_token_seconds_count", ()] == 1
    assert seen["bizi_ready", ()] == 1
    assert not [name for name, _ in seen if name.startswith("process_")], "of whichever process was asked"
    assert not list((tmp_path / "counts").glob("gauge_live*")), "a process that has ended has nothing under way"
