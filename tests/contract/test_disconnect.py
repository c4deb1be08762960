"""A client that leaves stops the work, down to an agent nested in a node."""

from __future__ import annotations

import json
import socket

import pytest

from tests.contract.conftest import running


@pytest.mark.parametrize("route", ["/api/chat", "/api/chat/stream"])
def test_leaving_stops_the_nested_agent(route: str) -> None:
    with running() as service:
        executor = service.stubs.chat
        body = json.dumps({"message": "오래 걸리는 질문"}).encode()
        head = f"POST {route} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        with socket.create_connection(("127.0.0.1", service.port)) as connection:
            connection.sendall(head.encode() + body)
            assert executor.started.wait(5), "the run did not begin"
            assert not executor.stopped.is_set()
        assert executor.stopped.wait(2), "the run went on after the client had left"
        assert not executor.finished.is_set()
        with service.client() as client:
            assert client.post(route, json={"message": "부가세"}).status_code == 200


def test_leaving_in_the_middle_of_the_upload_is_harmless() -> None:
    with running() as service:
        head = "POST /api/chat HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"
        for _ in range(5):
            with socket.create_connection(("127.0.0.1", service.port)) as connection:
                connection.sendall(head.encode())
        with service.client() as client:
            assert client.post("/api/chat", json={"message": "부가세"}).status_code == 200
        assert len(service.stubs.chat.received) == 1
