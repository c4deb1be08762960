"""Clients that send too much, too slowly or nothing at all, over real sockets: they are turned away, others are served."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from typing import Any

import pytest

from schemas.problems import ErrorCode
from tests.contract.conftest import CHAT_KEY, Service, running
from tests.support.raw_http import (
    connect,
    connections,
    head,
    post,
    problem_of,
    read_to_end,
    send_until_refused,
)

SHORT: dict[str, Any] = {"head_timeout": 0.4, "body_timeout": 0.4, "write_timeout": 0.4}
JSON = "Content-Type: application/json"
QUESTION = {"message": "부가세"}
MANY = 100


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with running() as started:
        yield started


@pytest.fixture(scope="module")
def hurried() -> Iterator[Service]:
    """A service with little patience."""
    with running(**SHORT) as service:
        yield service


def serves_others(service: Service) -> bool:
    with service.client() as client:
        return client.post("/api/chat", json=QUESTION).status_code == 200


def count(service: Service, name: str) -> float:
    """The value of a metric, by name and labels."""
    with service.client() as client:
        lines = client.get("/metrics").text.splitlines()
    return sum(float(line.rpartition(" ")[2]) for line in lines if line.startswith(name))


@pytest.mark.finding("H6")
@pytest.mark.parametrize("endless", [b"a" * 65_536, b"\r\n" * 32_768], ids=["header", "blank lines"])
def test_a_head_without_an_end_is_cut_off(service: Service, endless: bytes) -> None:
    first = head("GET", "/health/live", "X-Endless: ", end=False)[:-2] if endless.startswith(b"a") else b""
    refused = count(service, 'bizi_refusals_total{cause="head"}')
    before = count(service, "process_cpu_seconds_total")
    with connect(service.port) as connection:
        connection.sendall(first)
        connection.sendall(endless)
        document = problem_of(read_to_end(connection))
        assert document["code"] == ErrorCode.HEAD_TOO_LARGE
        send_until_refused(connection, endless, 20_000_000)
    # a header that is copied again with each piece would take over a second for these 20 MB
    assert count(service, "process_cpu_seconds_total") - before < 1
    assert count(service, 'bizi_refusals_total{cause="head"}') == refused + 1
    assert serves_others(service)


@pytest.mark.finding("H6")
def test_the_memory_of_endless_heads_is_bounded(service: Service) -> None:
    def growth(size: int) -> float:
        before = count(service, "process_resident_memory_bytes")
        with connections(service.port, 20, head("GET", "/health/live", "X-Endless: ", end=False)[:-2]) as opened:
            for connection in opened:
                send_until_refused(connection, b"a" * 65_536, size)
            return count(service, "process_resident_memory_bytes") - before

    growth(200_000)
    assert growth(4_000_000) < 20_000_000, "twenty heads of 4 MB"


@pytest.mark.finding("H6")
@pytest.mark.parametrize(
    "request_head",
    [
        head("GET", "/health/live", *(f"X-{number}: 1" for number in range(200))),
        head("GET", "/health/live", f"X-Long: {'a' * 40_000}"),
        head("GET", "/health/live?" + "a" * 70_000),
        head("GET", "/health/live", "a" * 40_000 + ": 1"),
    ],
    ids=["200 headers", "40 kB header", "70 kB address", "40 kB name"],
)
def test_a_head_over_the_limit_is_a_problem(service: Service, request_head: bytes) -> None:
    with connect(service.port) as connection:
        connection.sendall(request_head)
        response = read_to_end(connection)
        document = problem_of(response)
        assert document["code"] == ErrorCode.HEAD_TOO_LARGE
        assert f"X-Request-ID: {document['request_id']}".encode() in response
    assert serves_others(service)


def test_a_head_within_the_limit_is_read_whatever_its_pieces(service: Service) -> None:
    request = head("GET", "/health/live", f"X-Long: {'a' * 30_000}", "Connection: close")
    for size in (1_000, 16_384, len(request)):
        with connect(service.port) as connection:
            for start in range(0, len(request), size):
                connection.sendall(request[start : start + size])
            assert read_to_end(connection).startswith(b"HTTP/1.1 200"), size


@pytest.mark.finding("H6")
@pytest.mark.parametrize("endless", ["trailer", "chunk extension"])
def test_chunked_bodies_hide_no_endless_head(service: Service, endless: str) -> None:
    before = b"0\r\nX-Trailer: " if endless == "trailer" else b"5;x="
    with connect(service.port) as connection:
        connection.sendall(head("POST", "/api/chat", JSON, "Transfer-Encoding: chunked") + before + b"a" * 65_536)
        assert problem_of(read_to_end(connection))["code"] == ErrorCode.HEAD_TOO_LARGE
        assert send_until_refused(connection, b"a" * 65_536, 100_000_000) < 50_000_000
    assert serves_others(service)


def test_a_trailer_is_no_header() -> None:
    with running(api_keys=f"web={CHAT_KEY}:chat") as service, connect(service.port) as connection:
        body = b'{"message": "a"}'
        connection.sendall(head("POST", "/api/chat", JSON, "Transfer-Encoding: chunked", "Connection: close"))
        connection.sendall(b"%x\r\n%b\r\n0\r\nX-API-Key: %b\r\n\r\n" % (len(body), body, CHAT_KEY.encode()))
        assert problem_of(read_to_end(connection))["code"] == ErrorCode.UNAUTHORIZED


SLOW = {
    "silent": (b"", None),
    "half a head": (head("GET", "/health/live", end=False), ErrorCode.REQUEST_TIMEOUT),
    "half a body": (head("POST", "/api/chat", JSON, "Content-Length: 1000") + b"{", ErrorCode.REQUEST_TIMEOUT),
    "half an upload": (
        head("POST", "/api/vectordb/ingest", "Content-Type: multipart/form-data; boundary=x", "Content-Length: 1000000")
        + b'--x\r\nContent-Disposition: form-data; name="files"; filename="a.md"\r\n\r\nabc',
        ErrorCode.REQUEST_TIMEOUT,
    ),
    "half a body, after one request": (
        post("/api/chat", QUESTION) + head("POST", "/api/chat", JSON, "Content-Length: 1000") + b"{",
        None,
    ),
}


@pytest.mark.finding("H7")
@pytest.mark.parametrize(("first", "code"), SLOW.values(), ids=SLOW)
def test_slow_connections_are_closed_and_others_served(hurried: Service, first: bytes, code: ErrorCode | None) -> None:
    with connections(hurried.port, MANY, first) as opened:
        assert serves_others(hurried)
        responses = [read_to_end(connection) for connection in opened]
    if code is not None:
        assert {problem_of(response)["code"] for response in responses} == {code}
    assert serves_others(hurried)


@pytest.mark.finding("H7")
@pytest.mark.parametrize(
    ("first", "drop"),
    [
        (b"", b"\r\n"),
        (head("GET", "/health/live", end=False), b"X-A: 1\r\n"),
        (head("POST", "/api/chat", JSON, "Content-Length: 1000"), b" "),
        (head("POST", "/api/chat", JSON, "Transfer-Encoding: chunked"), b"1\r\n \r\n"),
        (head("GET", "/nowhere", "Content-Length: 100000"), b" "),
        (head("GET", "/health/live") + b"\r\n", b"\r\n"),
    ],
    ids=["blank lines", "head", "body", "chunks", "body that nobody reads", "blank lines after an answer"],
)
def test_a_trickle_does_not_keep_a_connection_open(first: bytes, drop: bytes) -> None:
    with running(**SHORT) as service, connect(service.port) as connection:
        connection.sendall(first)
        until = time.monotonic() + 20
        try:
            while time.monotonic() < until:
                connection.sendall(drop)
                time.sleep(0.05)
        except ConnectionError:
            return
    pytest.fail("still open")


@pytest.mark.finding("H7")
def test_a_steady_upload_is_waited_for(hurried: Service) -> None:
    body = b'{"message": "a"' + b" " * 200_000 + b"}"
    with connect(hurried.port) as connection:
        connection.sendall(head("POST", "/api/chat", JSON, f"Content-Length: {len(body)}", "Connection: close"))
        for start in range(0, len(body), 20_000):  # twice as long as a body may be waited for, but fast enough
            connection.sendall(body[start : start + 20_000])
            time.sleep(0.08)
        assert read_to_end(connection).startswith(b"HTTP/1.1 200")


@pytest.mark.finding("H7")
def test_an_answer_that_nobody_reads_is_dropped() -> None:
    with running(write_timeout=0.4, enable_docs=True) as service:
        asked = head("GET", "/openapi.json") * 16
        with connections(service.port, 20, asked) as opened:
            for connection in opened:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                send_until_refused(connection, asked, 2_000_000)
            until = time.monotonic() + 20
            while count(service, "bizi_connections_open") > 2:
                assert time.monotonic() < until
                time.sleep(0.05)
        assert serves_others(service)


@pytest.mark.finding("H7")
def test_silent_connections_give_way_to_those_that_ask() -> None:
    few = running(max_connections=20, max_connections_per_address=20)
    with few as service, connections(service.port, MANY):
        assert serves_others(service)
        assert count(service, "bizi_connections_open") <= 20
        assert count(service, 'bizi_refusals_total{cause="connections"}') >= MANY - 20


@pytest.mark.finding("H7")
def test_one_address_takes_its_share_and_no_more() -> None:
    busy = post("/api/chat", {"message": "오래"})
    few = running(max_connections=8, max_connections_per_address=4)
    with few as service, connections(service.port, 4, busy):
        wait_for(lambda: len(service.stubs.chat.received) == 4)
        with connect(service.port) as fifth:
            document = problem_of(read_to_end(fifth))
            assert document["code"] == ErrorCode.SERVICE_UNAVAILABLE
        with connect(service.port, source="127.0.0.2") as other:
            other.sendall(head("GET", "/health/live", "Connection: close"))
            assert read_to_end(other).startswith(b"HTTP/1.1 200")


@pytest.mark.finding("H7")
def test_a_trusted_proxy_speaks_for_many() -> None:
    busy = post("/api/chat", {"message": "오래"})
    limits: dict[str, Any] = {"max_connections": 20, "max_connections_per_address": 2}
    with running(**limits, trusted_proxies="127.0.0.1") as service, connections(service.port, 10, busy):
        wait_for(lambda: len(service.stubs.chat.received) == 10)
        assert serves_others(service)


def test_pipelined_requests_are_answered_in_order_and_bounded(service: Service) -> None:
    with connect(service.port) as connection:
        connection.sendall(head("GET", "/health/live") * 9 + head("GET", "/health/ready", "Connection: close"))
        assert read_to_end(connection).count(b"HTTP/1.1 200") == 10
    with connect(service.port) as connection:
        connection.sendall(head("GET", "/health/live") * 5000)
        assert read_to_end(connection).count(b"HTTP/1.1 200") <= 20
    assert serves_others(service)


BROKEN = {
    "negative length": head("POST", "/api/chat", JSON, "Content-Length: -1"),
    "no number": head("POST", "/api/chat", JSON, "Content-Length: ten"),
    "two lengths": head("POST", "/api/chat", JSON, "Content-Length: 2", "Content-Length: 3") + b"{}",
    "length and chunks": head("POST", "/api/chat", JSON, "Content-Length: 2", "Transfer-Encoding: chunked") + b"{}",
    "bad chunk": head("POST", "/api/chat", JSON, "Transfer-Encoding: chunked") + b"zz\r\n{}\r\n",
    "NUL in a header": head("GET", "/health/live", "X-A: a\x00b"),
    "no HTTP": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
}


@pytest.mark.parametrize("request_bytes", BROKEN.values(), ids=BROKEN)
def test_what_is_no_request_is_a_malformed_one(service: Service, request_bytes: bytes) -> None:
    with connect(service.port) as connection:
        connection.sendall(request_bytes)
        assert problem_of(read_to_end(connection))["code"] == ErrorCode.MALFORMED_REQUEST
    assert serves_others(service)


def test_aborted_streams_leave_no_descriptor_behind(service: Service) -> None:
    before = count(service, "process_open_fds")
    for _ in range(60):
        with connect(service.port) as connection:
            connection.sendall(post("/api/chat/stream", {"message": "오래"}))
            assert connection.recv(20).startswith(b"HTTP/1.1 200")
    wait_for(lambda: count(service, "process_open_fds") <= before + 2)


def wait_for(condition: Any, seconds: float = 20) -> None:
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.02)
