"""``/mcp`` through the client of its SDK: the tools, and whose they are."""

from __future__ import annotations

import asyncio
import base64
import io
import json
import os
import socket
import sys
import zipfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import BlobResourceContents, CallToolResult, EmbeddedResource, TextContent

from schemas.problems import ErrorCode
from tests.contract.conftest import Service, running
from tests.contract.stub_service import ANSWER, SOURCE
from tests.contract.wire import assert_problem
from utils.config.settings import PROJECT_ROOT

CHAT_KEY, DOCUMENTS_KEY, ADMIN_KEY = "chat-key-0123456789", "documents-key-0123456789", "admin-key-0123456789"
KEYS = f"web={CHAT_KEY}:chat,docs={DOCUMENTS_KEY}:documents,ops={ADMIN_KEY}:admin"
TOOLS = {
    "ask",
    "list_assistants",
    "search",
    "find_articles",
    "list_calculators",
    "calculate",
    "tax_deadlines",
    "search_notices",
    "list_document_types",
    "check_document",
    "write_document",
}
WEEK = {"hourly_wage": 11000, "days_per_week": 5, "hours_per_day": 5}
CONTRACT = {"kind": "part_time", "start_date": "2026-12-01", "weekly_hours": 20, "wage_type": "hourly", "wage": 11000}


@asynccontextmanager
async def connected(service: Service, key: str | None = None, mode: Any = "auto") -> AsyncIterator[Client]:
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60, trust_env=False) as http,
        Client(streamable_http_client(f"{service.url}/mcp", http_client=http), mode=mode) as client,
    ):
        yield client


def text_of(result: CallToolResult) -> str:
    return "".join(block.text for block in result.content if isinstance(block, TextContent))


async def call(client: Client, tool: str, /, **arguments: Any) -> CallToolResult:
    result = await client.call_tool(tool, arguments)
    assert isinstance(result, CallToolResult)
    return result


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_an_answer_is_that_of_the_service_with_its_sources(service: Service, mode: str) -> None:
    async with connected(service, mode=mode) as client:
        assert {tool.name for tool in (await client.list_tools()).tools} == TOOLS
        answer = await call(client, "ask", question="부가세 신고 기한은?", company={"employee_count": 4})
    assert text_of(answer) == f"{ANSWER}\n\n출처\n- [1] {SOURCE.title} — {SOURCE.source}"
    assert answer.structured_content is not None
    assert answer.structured_content["sources"] == [SOURCE.model_dump(mode="json")]
    asked = service.stubs.chat.received[-1]
    assert asked.user_context is not None
    assert asked.user_context.company is not None
    assert asked.user_context.company.employee_count == 4


async def test_tools_give_what_the_routes_give(service: Service) -> None:
    with service.client() as own:
        expected = own.post("/api/calculate/weekly_holiday_pay", json=WEEK).json()
        asked = {"kind": "simplified", "from": "2026-12-01", "months": "2"}
        deadlines = own.get("/api/tax-calendar", params=asked, timeout=60).json()  # the first looks the holidays up
        found = own.post("/api/vectordb/search", json={"query": "부가세"}).json()
    async with connected(service) as client:
        schema = (await call(client, "list_calculators", name="weekly_holiday_pay")).structured_content
        assert schema is not None
        assert set(WEEK) <= set(schema["input_schema"]["properties"])
        computed = await call(client, "calculate", name="weekly_holiday_pay", inputs=WEEK)
        due = await call(client, "tax_deadlines", kinds=["simplified"], since="2026-12-01", months=2)
        passages = await call(client, "search", query="부가세")
        assistants = await call(client, "list_assistants")
        articles = await call(client, "find_articles", reference="부가세법 제999조")
    assert [result.structured_content for result in (computed, due, passages)] == [expected, deadlines, found]
    assert json.loads(text_of(computed)) == expected
    assert "창업·경영 상담" in text_of(assistants)
    assert "없는 조문입니다." in text_of(articles)


async def test_a_document_comes_as_a_file(service: Service) -> None:
    async with connected(service) as client:
        fields = (await call(client, "list_document_types", type="employment_contract")).structured_content
        check = await call(client, "check_document", type="employment_contract", fields=CONTRACT)
        written = await call(client, "write_document", type="employment_contract", fields=CONTRACT)
        refused = await call(client, "write_document", type="employment_contract", fields=CONTRACT | {"wage": 5000})
    assert fields is not None
    assert "wage" in json.dumps(fields["named"])
    assert check.structured_content is not None
    (resource,) = [block.resource for block in written.content if isinstance(block, EmbeddedResource)]
    assert isinstance(resource, BlobResourceContents)
    assert zipfile.is_zipfile(io.BytesIO(base64.b64decode(resource.blob)))
    assert str(resource.uri).startswith("document://bizi-rag/")
    assert check.structured_content["file_name"] in text_of(written)
    assert refused.is_error
    assert "최저임금" in text_of(refused)


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        ("ask", {"question": "가" * 2_001}, "message: 2000자 이하여야 합니다."),
        ("ask", {"question": "부가세", "assistant": "../chat"}, "찾을 수 없음"),
        ("ask", {"question": "시간"}, "시간 초과"),
        ("ask", {"question": "버그"}, "request_id: "),
        ("search", {"query": "부가세", "collection": "nope"}, "collection: 허용된 값이 아닙니다."),
        ("calculate", {"name": "weekly_holiday_pay", "inputs": {"wage": 1}}, "wage: 알 수 없는 항목입니다."),
        ("search_notices", {}, "찾을 수 없음"),
        ("list_document_types", {"type": "nope"}, "nope"),
    ],
)
async def test_refusals_are_errors_of_the_tool(
    service: Service, name: str, arguments: dict[str, Any], told: str
) -> None:
    async with connected(service) as client:
        result = await call(client, name, **arguments)
    assert result.is_error
    assert told in text_of(result)
    assert "secret" not in text_of(result)


@pytest.fixture(scope="module")
def keyed() -> Iterator[Service]:
    with running(api_keys=KEYS) as service:
        yield service


async def test_a_key_opens_the_tools_of_its_scopes(keyed: Service) -> None:
    async with connected(keyed, CHAT_KEY) as client:
        assert not (await call(client, "ask", question="부가세")).is_error
        refused = await call(client, "list_document_types")
        assert refused.is_error
        assert "documents 권한이 없습니다" in text_of(refused)
    async with connected(keyed, DOCUMENTS_KEY) as client:
        assert not (await call(client, "list_document_types")).is_error
        assert (await call(client, "ask", question="부가세")).is_error


def test_without_a_right_key_nothing_is_told(keyed: Service) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    with keyed.client() as client:
        assert_problem(client.post("/mcp", json=body), ErrorCode.UNAUTHORIZED)
        assert_problem(client.post("/mcp", json=body, headers={"X-API-Key": ADMIN_KEY}), ErrorCode.FORBIDDEN)
        response = client.get("/mcp", headers={"X-API-Key": CHAT_KEY})
        assert_problem(response, ErrorCode.METHOD_NOT_ALLOWED)
        assert response.headers["allow"] == "POST"


async def test_calls_are_counted_and_a_long_question_costs_more() -> None:
    with running(enable_rate_limit=True, rate_limit_per_minute=1, rate_limit_burst=12, api_keys=KEYS) as service:
        async with connected(service, CHAT_KEY, mode="2026-07-28") as client:
            assert not (await call(client, "ask", question="부가세")).is_error
            refused = await call(client, "ask", question="부가세 " * 400)
            assert refused.is_error
            assert "요청이 너무 잦습니다" in text_of(refused)
            assert "Retry-After" in text_of(refused)


@pytest.mark.parametrize("version", ["2025-06-18", "2026-07-28"])
def test_leaving_stops_the_work(version: str) -> None:
    with running() as service:
        executor = service.stubs.chat
        meta = {
            "io.modelcontextprotocol/protocolVersion": version,
            "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        params = {"name": "ask", "arguments": {"question": "오래 걸리는 질문"}, "_meta": meta}
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()
        headers = {
            "Host": "localhost",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": version,
            "Mcp-Method": "tools/call",
            "Mcp-Name": "ask",
            "Content-Length": str(len(body)),
        }
        head = "POST /mcp HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in headers.items()) + "\r\n"
        with socket.create_connection(("127.0.0.1", service.port)) as connection:
            connection.sendall(head.encode() + body)
            assert executor.started.wait(5), "the run did not begin"
            assert not executor.stopped.is_set()
        assert executor.stopped.wait(3), "the run went on after the client had left"


async def test_the_tools_over_standard_input_and_output(keyed: Service) -> None:
    """The command that programs start themselves, with the key of a chat client."""
    parameters = StdioServerParameters(
        command=sys.executable,
        args=["-m", "routes.mcp", "--url", keyed.url],
        env={**os.environ, "BIZI_API_KEY": CHAT_KEY},
        cwd=PROJECT_ROOT,
    )
    async with Client(stdio_client(parameters)) as client:
        assert {tool.name for tool in (await client.list_tools()).tools} == TOOLS
        answers = await asyncio.gather(*(call(client, "ask", question="부가세") for _ in range(3)))
        assert {text_of(answer).partition("\n")[0] for answer in answers} == {ANSWER}
        assert (await call(client, "list_document_types")).is_error


async def test_the_command_says_where_no_service_is() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    parameters = StdioServerParameters(
        command=sys.executable, args=["-m", "routes.mcp", "--url", f"http://127.0.0.1:{port}"], cwd=PROJECT_ROOT
    )
    async with Client(stdio_client(parameters)) as client:
        result = await call(client, "ask", question="부가세")
    assert result.is_error
    assert f"서비스(http://127.0.0.1:{port})와 연결할 수 없습니다." in text_of(result)
