"""Whatever a client sends, it gets the contract's problem document and the service keeps serving."""

from __future__ import annotations

import json
from collections.abc import Iterator

import httpx
import pytest

from schemas.problems import ErrorCode
from tests.contract.stub_service import ANSWER
from tests.contract.wire import assert_problem

CHAT_ROUTES = ("/api/chat", "/api/chat/stream")
JSON = {"content-type": "application/json"}


@pytest.fixture(autouse=True)
def keeps_serving(client: httpx.Client) -> Iterator[None]:
    yield
    assert client.post("/api/chat", json={"message": "부가세 신고 기한"}).json()["content"] == ANSWER


def turn(content: str = "네") -> dict[str, str]:
    return {"role": "user", "content": content}


INVALID = {
    "empty message": ({"message": ""}, "message"),
    "blank message": ({"message": " \n\t "}, "message"),
    "invisible message": ({"message": "\u200b\u202e\x00\ufeff"}, "message"),
    "2,001 characters": ({"message": "가" * 2001}, "message"),
    "no message": ({}, "message"),
    "number for a message": ({"message": 5}, "message"),
    "unknown field": ({"message": "가", "temprature": 1}, "temprature"),
    "unknown nested field": (
        {"message": "가", "user_context": {"company": {"rgion": "서울"}}},
        "user_context.company.rgion",
    ),
    "history of 21": ({"message": "가", "history": [turn()] * 21}, "history"),
    "unknown role": ({"message": "가", "history": [{"role": "system", "content": "x"}]}, "history.0.role"),
    "bad session id": ({"message": "가", "session_id": "../../etc"}, "session_id"),
    "session id with newline": ({"message": "가", "session_id": "abc\n"}, "session_id"),
    "session id too long": ({"message": "가", "session_id": "a" * 129}, "session_id"),
    "bad business number": (
        {"message": "가", "user_context": {"company": {"business_number": "1"}}},
        "user_context.company.business_number",
    ),
    "negative headcount": (
        {"message": "가", "user_context": {"company": {"employee_count": -1}}},
        "user_context.company.employee_count",
    ),
    "huge revenue": (
        {"message": "가", "user_context": {"company": {"annual_revenue": 10**300}}},
        "user_context.company.annual_revenue",
    ),
}


@pytest.mark.parametrize("route", CHAT_ROUTES)
@pytest.mark.parametrize(("body", "path"), INVALID.values(), ids=INVALID)
def test_invalid_values_are_refused_with_the_field(client: httpx.Client, route: str, body: object, path: str) -> None:
    problem = assert_problem(client.post(route, json=body), ErrorCode.VALIDATION_FAILED)
    assert path in [error.path for error in problem.errors]


@pytest.mark.parametrize("message", ["가" * 2000, "  가  ", "a\x00b", "가\u202e나", "e" + "\u0301" * 50, "𠀀👩‍👩‍👧"])
def test_unusual_but_readable_messages_are_answered(client: httpx.Client, message: str) -> None:
    assert client.post("/api/chat", json={"message": message}).status_code == 200


MALFORMED = {
    "broken": b'{"message": "a"',
    "empty": b"   ",
    "two documents": b"{}{}",
    "bad UTF-8": b'{"message": "\xff\xfe"}',
    "overlong UTF-8": b'{"message": "\xc0\xaf"}',
    "nested arrays": b"[" * 100_000,
    "nested objects": b'{"message":' * 20_000,
    "huge integer": b'{"message": ' + b"9" * 10_000 + b"}",
    "raw control character": b'{"message": "a\x00b"}',
}


@pytest.mark.parametrize("route", CHAT_ROUTES)
@pytest.mark.parametrize("body", MALFORMED.values(), ids=MALFORMED)
def test_unreadable_bodies_are_malformed(client: httpx.Client, route: str, body: bytes) -> None:
    assert_problem(client.post(route, content=body, headers=JSON), ErrorCode.MALFORMED_REQUEST)


ODD = {
    "no body": b"",
    "lone surrogate": rb'{"message": "\ud800"}',
    "reversed surrogates": rb'{"message": "\udc00\ud800 ?"}',
    "surrogate as a field name": rb'{"message": "a", "\ud800": 1}',
    "array": b"[]",
    "string": b'"hi"',
    "null": b"null",
    "not a number": b'{"message": "a", "user_context": {"company": {"years_in_business": NaN}}}',
    "infinity": b'{"message": "a", "user_context": {"company": {"years_in_business": Infinity}}}',
    "thousands of fields": json.dumps({"message": "a", **{f"f{n}": n for n in range(5000)}}).encode(),
    "deep but legal": b'{"message": "a", "user_context": ' + b'{"company":' * 200 + b"1" + b"}" * 200 + b"}",
    "control characters in a field name": rb'{"message": "a", "x\u0000\u202e\u0007y": 1}',
}


@pytest.mark.parametrize("route", CHAT_ROUTES)
@pytest.mark.parametrize("body", ODD.values(), ids=ODD)
def test_readable_nonsense_is_invalid(client: httpx.Client, route: str, body: bytes) -> None:
    response = client.post(route, content=body, headers=JSON)
    problem = assert_problem(response, ErrorCode.VALIDATION_FAILED)
    assert 1 <= len(problem.errors) <= 20
    assert "\u202e" not in response.text


@pytest.mark.parametrize("route", [*CHAT_ROUTES, "/api/vectordb/search"])
@pytest.mark.parametrize(
    "content_type", [None, "text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "junk"]
)
def test_a_body_that_is_not_json_is_an_unsupported_type(
    client: httpx.Client, route: str, content_type: str | None
) -> None:
    headers = {"content-type": content_type} if content_type else {}
    assert_problem(client.post(route, content=b'{"message": "a"}', headers=headers), ErrorCode.UNSUPPORTED_MEDIA_TYPE)


def test_a_charset_parameter_is_fine(client: httpx.Client) -> None:
    headers = {"content-type": "Application/JSON; charset=utf-8"}
    assert client.post("/api/chat", content='{"message": "부가세"}'.encode(), headers=headers).status_code == 200


@pytest.mark.parametrize("route", [*CHAT_ROUTES, "/api/vectordb/search"])
@pytest.mark.parametrize("chunked", [False, True])
def test_ten_megabytes_are_too_large(client: httpx.Client, route: str, chunked: bool) -> None:
    size, piece = 10_000_000, b"x" * 100_000

    def pieces() -> Iterator[bytes]:
        for _ in range(size // len(piece)):
            yield piece

    body = pieces() if chunked else b"x" * size
    assert_problem(client.post(route, content=body, headers=JSON), ErrorCode.PAYLOAD_TOO_LARGE)


def test_the_largest_allowed_body_is_read(client: httpx.Client) -> None:
    body = b'{"message": "a"' + b" " * (262_144 - 16) + b"}"
    assert client.post("/api/chat", content=body, headers=JSON).status_code == 200
    assert_problem(client.post("/api/chat", content=body + b" ", headers=JSON), ErrorCode.PAYLOAD_TOO_LARGE)


def test_hostile_paths_are_not_found(client: httpx.Client) -> None:
    for path in ("/%00", "/%ff%fe", "/%e2%80%ae", "/" + "a" * 5000, "/api/chat/", "/api//chat", "/api/chat/../x"):
        assert_problem(client.get(path), ErrorCode.NOT_FOUND)


@pytest.mark.parametrize(
    "body", [{"query": ""}, {"query": "가", "k": 0}, {"query": "가", "k": 51}, {"query": "가", "collection": "x"}]
)
def test_invalid_searches_are_refused(client: httpx.Client, body: object) -> None:
    assert_problem(client.post("/api/vectordb/search", json=body), ErrorCode.VALIDATION_FAILED)
