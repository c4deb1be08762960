"""Every tool of ``/mcp`` by the client of the SDK, over the whole service: what it gives is what the route gives."""

from __future__ import annotations

import base64
import io
import re
import zipfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from mcp import Client
from mcp_types import BlobResourceContents, CallToolResult, EmbeddedResource, TextContent

from routes import dependencies
from tests.e2e.conftest import serving
from tests.support.furnished import ARTICLE, furnished
from tests.support.notice_files import DAY
from utils.config.settings import Settings
from vectorstores.embedders.kiwi import KiwiEmbedder
from vectorstores.tokenizer import KiwiTokenizer

VAT = "부가가치세는 언제까지 신고해야 하나요?"
WEEK = {"hourly_wage": 11000, "days_per_week": 5, "hours_per_day": 5}
CONTRACT = {"kind": "part_time", "start_date": "2026-12-01", "weekly_hours": 20, "wage_type": "hourly", "wage": 11000}


@pytest.fixture(scope="module")
def service(
    starter_settings: Settings,
    tokenizer: KiwiTokenizer,
    embedder: KiwiEmbedder,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[httpx.Client]:
    settings = furnished(starter_settings, tmp_path_factory.mktemp("mcp"), tokenizer, embedder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dependencies, "korean_day", lambda: DAY)
        with serving(settings, tokenizer, today=DAY) as client:
            yield client


@asynccontextmanager
async def connected(service: httpx.Client) -> AsyncIterator[Client]:
    async with Client(f"{service.base_url}/mcp") as client:
        yield client


def of_route(service: httpx.Client, method: str, path: str, **more: Any) -> Any:
    return service.request(method, path, **more).raise_for_status().json()


async def told(client: Client, tool: str, /, **arguments: Any) -> tuple[Any, str]:
    """Call a tool; returns its structured content and its text. It may not refuse."""
    result = await client.call_tool(tool, arguments)
    assert isinstance(result, CallToolResult)
    text = "".join(block.text for block in result.content if isinstance(block, TextContent))
    assert not result.is_error, text
    return result.structured_content, text


async def test_an_answer_with_its_citations_is_that_of_the_service(service: httpx.Client) -> None:
    expected = of_route(service, "POST", "/api/chat", json={"message": VAT})
    async with connected(service) as client:
        content, text = await told(client, "ask", question=VAT)
        assistants, _ = await told(client, "list_assistants")
    assert (content["content"], content["sources"]) == (expected["content"], expected["sources"])
    assert text.startswith(expected["content"])
    assert re.findall(r"^- \[(\d+)\]", text, re.MULTILINE) == [str(source["index"]) for source in expected["sources"]]
    assert assistants == of_route(service, "GET", "/api/assistants")


async def test_passages_and_articles_are_found(service: httpx.Client) -> None:
    async with connected(service) as client:
        passages, _ = await told(client, "search", query="부가가치세 신고 기한", collection="finance_tax", k=3)
        articles, text = await told(client, "find_articles", reference="부가세법 49조")
    assert len(passages["results"]) == 3
    assert ARTICLE in articles["articles"][0]["content"]
    assert ARTICLE in text


async def test_sums_and_deadlines_are_those_of_the_routes(service: httpx.Client) -> None:
    async with connected(service) as client:
        named, _ = await told(client, "list_calculators", name="weekly_holiday_pay")
        computed, _ = await told(client, "calculate", name="weekly_holiday_pay", inputs=WEEK)
        due, _ = await told(client, "tax_deadlines", kinds=["simplified"], since="2026-12-01", months=3)
    calculators = of_route(service, "GET", "/api/calculate")["calculators"]
    assert set(named["calculators"]) == {calculator["name"] for calculator in calculators}
    assert set(WEEK) <= set(named["input_schema"]["properties"])
    assert "55,000원" in computed["conclusion"]
    asked = {"kind": "simplified", "from": "2026-12-01", "months": 3}
    assert due == of_route(service, "GET", "/api/tax-calendar", params=asked)
    assert due["entries"]


async def test_notices_come_with_reasons_and_references(service: httpx.Client) -> None:
    async with connected(service) as client:
        found, _ = await told(client, "search_notices", keyword="청년창업", region="서울", company={"region": "서울"})
    (notice,) = [item for item in found["items"] if "푸른나무 청년창업" in item["title"]]
    assert notice["url"] == "https://example.org/notices/sp-01"
    assert any(reason["verdict"] == "fits" for reason in notice["reasons"])


async def test_a_document_is_described_checked_and_written(service: httpx.Client) -> None:
    async with connected(service) as client:
        types, _ = await told(client, "list_document_types", type="employment_contract")
        check, _ = await told(client, "check_document", type="employment_contract", fields=CONTRACT)
        written = await client.call_tool(
            "write_document", {"type": "employment_contract", "fields": CONTRACT, "format": "hwpx"}
        )
    assert "wage" in types["named"]["fields_schema"]["properties"]
    assert check["file_name"].endswith(".docx")
    assert isinstance(written, CallToolResult)
    (resource,) = [block.resource for block in written.content if isinstance(block, EmbeddedResource)]
    assert isinstance(resource, BlobResourceContents)
    assert zipfile.is_zipfile(io.BytesIO(base64.b64decode(resource.blob)))


async def test_these_are_all_tools_and_each_tells_what_it_takes(service: httpx.Client) -> None:
    async with connected(service) as client:
        tools = (await client.list_tools()).tools
    assert len(tools) == 11
    for tool in tools:
        assert tool.title
        assert tool.description
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint
        assert all(
            "description" in field or "default" in field or "$ref" in field
            for field in tool.input_schema["properties"].values()
        ), tool.name
