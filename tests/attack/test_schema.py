"""The service keeps to its OpenAPI document: numbers, visible characters, the frames of the stream."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from schemas.chat import VISIBLE
from schemas.events import StreamFrame
from schemas.problems import ErrorCode
from tests.contract.conftest import running
from tests.contract.wire import assert_problem
from utils.sanitizing.sanitize import sanitize_question


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    with running(enable_docs=True) as service, service.client() as opened:
        yield opened


@pytest.fixture(scope="module")
def document(client: httpx.Client) -> dict[str, Any]:
    loaded: dict[str, Any] = client.get("/openapi.json").json()
    return loaded


@pytest.mark.finding("L14")
@pytest.mark.parametrize("value", [True, False, "5", "", [5], {}])
@pytest.mark.parametrize(
    ("route", "field"),
    [
        ("/api/vectordb/search", "k"),
        ("/api/vectordb/search/pages", "k"),
        ("/api/vectordb/search/pages", "page_window"),
        ("/api/chat", "employee_count"),
        ("/api/chat", "annual_revenue"),
        ("/api/chat/stream", "years_in_business"),
    ],
)
def test_only_a_number_is_a_number(client: httpx.Client, route: str, field: str, value: object) -> None:
    search, profile = {"query": "가", field: value}, {"message": "가", "user_context": {"company": {field: value}}}
    response = client.post(route, json=profile if "chat" in route else search)
    problem = assert_problem(response, ErrorCode.VALIDATION_FAILED)
    assert problem.errors[0].path.endswith(field)


@pytest.mark.parametrize("value", [5, 5.0, 1])
def test_a_whole_number_may_have_a_point(client: httpx.Client, value: float) -> None:
    assert client.post("/api/vectordb/search", json={"query": "가", "k": value}).status_code == 200


@pytest.mark.finding("L14")
def test_limits_stand_in_the_schema(document: dict[str, Any]) -> None:
    company = document["components"]["schemas"]["CompanyProfile"]["properties"]
    assert company["employee_count"]["anyOf"][0] == {"type": "integer", "minimum": 0, "maximum": 1_000_000}
    search = document["components"]["schemas"]["VectorSearchRequest"]["properties"]["k"]
    assert (search["type"], search["minimum"], search["maximum"]) == ("integer", 1, 50)


@pytest.mark.finding("L14")
@pytest.mark.parametrize("text", ["\x89", "\u200b\u202e", "\u3164", "\x0c", "\U000e0041"])
@pytest.mark.parametrize(("route", "field"), [("/api/chat", "message"), ("/api/vectordb/search", "query")])
def test_a_question_has_a_character_that_can_be_seen(
    client: httpx.Client, document: dict[str, Any], route: str, field: str, text: str
) -> None:
    assert_problem(client.post(route, json={field: text}), ErrorCode.VALIDATION_FAILED)
    name = "ChatRequest" if field == "message" else "VectorSearchRequest"
    assert not re.search(document["components"]["schemas"][name]["properties"][field]["pattern"], text)


def test_what_the_schema_calls_visible_is_what_sanitising_leaves() -> None:
    others = [
        f"{code:x}"
        for code in (*range(0xD800), *range(0xE000, 0x10000), *range(0xE0000, 0xE1000))
        if bool(re.search(VISIBLE, chr(code))) != bool(sanitize_question(chr(code)))
    ]
    assert others == []


@pytest.mark.finding("L14")
def test_the_stream_is_described_by_its_frames(client: httpx.Client, document: dict[str, Any]) -> None:
    described = document["paths"]["/api/chat/stream"]["post"]["responses"]["200"]["content"]["text/event-stream"]
    assert described["schema"]["items"] == {"$ref": "#/components/schemas/StreamFrame"}
    data = document["components"]["schemas"]["StreamFrame"]["properties"]["data"]
    assert (data["type"], data["contentMediaType"]) == ("string", "application/json")
    events = {schema["$ref"].rpartition("/")[2] for schema in data["contentSchema"]["oneOf"]}
    assert events <= set(document["components"]["schemas"])
    body = client.post("/api/chat/stream", json={"message": "부가세"}).text
    frames = [dict(line.split(": ", 1) for line in frame.splitlines()) for frame in body.strip().split("\n\n")]
    for number, frame in enumerate(frames, start=1):
        read = StreamFrame.model_validate({**frame, "data": json.loads(frame["data"])})
        assert (read.id, read.event) == (str(number), read.data.type)
