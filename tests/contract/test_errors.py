"""Every error of every route has the same shape."""

from __future__ import annotations

import httpx
import pytest

from schemas.problems import ErrorCode
from tests.contract.conftest import Service
from tests.contract.wire import assert_problem, parse_frames

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")


def documented_paths(service: Service) -> dict[str, dict[str, object]]:
    paths: dict[str, dict[str, object]] = service.app.openapi()["paths"]
    return paths


def test_every_route_refuses_other_methods_in_one_shape(service: Service, client: httpx.Client) -> None:
    paths = documented_paths(service)
    assert {"/api/chat", "/api/chat/stream", "/api/vectordb/search", "/health", "/health/ready"} <= set(paths)
    for path, operations in paths.items():
        for method in METHODS:
            if method.lower() not in operations:
                response = client.request(method, path)
                assert_problem(response, ErrorCode.METHOD_NOT_ALLOWED)
                assert set(response.headers["allow"].split(", ")) == {name.upper() for name in operations}


PICTURED = ("{name}/chat", "{name}/chat/stream", "/v1/chat/completions")
"""Ends of the paths whose questions may carry a picture."""


def test_every_route_with_a_json_body_refuses_an_oversized_one(service: Service, client: httpx.Client) -> None:
    for path, operations in documented_paths(service).items():
        for method, operation in operations.items():
            if "application/json" in operation.get("requestBody", {}).get("content", {}):  # type: ignore[attr-defined]
                headers = {"content-type": "application/json"}
                size = 7_500_000 if path.endswith(PICTURED) else 2_200_000
                response = client.request(method, path, content=b" " * size, headers=headers)
                assert_problem(response, ErrorCode.PAYLOAD_TOO_LARGE)


def test_every_operation_documents_its_problems(service: Service) -> None:
    for path, operations in documented_paths(service).items():
        for operation in operations.values():
            responses = operation["responses"]  # type: ignore[index]
            if path == "/health/live":
                continue
            assert "500" in responses, path
            for status, response in responses.items():
                if int(status) >= 400:
                    media_type = "application/json" if path.startswith("/v1/") else "application/problem+json"
                    assert set(response["content"]) == {media_type}, (path, status)


FAILURES = [
    ("버그", ErrorCode.INTERNAL_ERROR),
    ("시간", ErrorCode.TIMEOUT),
    ("중단", ErrorCode.SERVICE_UNAVAILABLE),
]


@pytest.mark.parametrize(("message", "code"), FAILURES)
def test_failures_of_the_graph_become_problems(client: httpx.Client, message: str, code: ErrorCode) -> None:
    response = client.post("/api/chat", json={"message": message})
    assert_problem(response, code)
    if code is ErrorCode.SERVICE_UNAVAILABLE:
        assert int(response.headers["retry-after"]) >= 1


@pytest.mark.parametrize(("message", "code"), [*FAILURES, ("도중", ErrorCode.INTERNAL_ERROR)])
def test_a_failure_in_a_stream_is_its_last_event(client: httpx.Client, message: str, code: ErrorCode) -> None:
    response = client.post("/api/chat/stream", json={"message": message})
    frames = parse_frames(response.text)
    assert [frame.event for frame in frames].count("error") == 1
    assert frames[-1].event == "error"
    problem = frames[-1].data.problem
    assert problem.code == code
    assert problem.request_id == response.headers["x-request-id"]
    assert "secret" not in response.text


def test_a_search_without_an_index_is_unavailable(client: httpx.Client) -> None:
    response = client.post("/api/vectordb/search", json={"query": "중단"})
    assert_problem(response, ErrorCode.SERVICE_UNAVAILABLE)
    assert int(response.headers["retry-after"]) >= 1
