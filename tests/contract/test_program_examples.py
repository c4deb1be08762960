"""The examples of docs/programs.md and of the README run as they stand, against a service of the tests."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from langchain_core.runnables import RunnableLambda
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp_types import CallToolResult

from tests.contract.conftest import CHAT_KEY, Service
from tests.contract.stub_service import ANSWER, SOURCE
from utils.config.settings import PROJECT_ROOT

DOCUMENT = PROJECT_ROOT / "docs" / "programs.md"
README = PROJECT_ROOT / "README.md"
ADDRESS = "http://127.0.0.1:8001"
_BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


def example(service: Service, first_line: str, document: Path) -> str:
    """Return the example that begins with a line, for the service."""
    blocks = _BLOCK.findall(document.read_text(encoding="utf-8"))
    (found,) = [block for block in blocks if block.startswith(first_line)]
    return str(found).replace(ADDRESS, service.url)


def run(service: Service, first_line: str, monkeypatch: pytest.MonkeyPatch, document: Path = DOCUMENT) -> ModuleType:
    module = ModuleType("bizi_example")
    monkeypatch.setitem(sys.modules, module.__name__, module)  # where annotations are looked up
    exec(compile(example(service, first_line, document), str(document), "exec"), module.__dict__)
    return module


def test_the_clients_of_openai_print_the_answer(
    service: Service, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run(service, "from openai import OpenAI", monkeypatch)
    told = capsys.readouterr().out
    assert ANSWER in told
    assert f"[1] {SOURCE.title}" in told.splitlines()[-1]
    run(service, "from langchain_openai import ChatOpenAI", monkeypatch)
    assert ANSWER in capsys.readouterr().out
    run(service, "from openai import OpenAI", monkeypatch, README)
    assert f"[1] {SOURCE.title}" in capsys.readouterr().out


def test_the_client_of_mcp_prints_the_answer(
    service: Service, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run(service, "import anyio", monkeypatch)
    assert capsys.readouterr().out.startswith(ANSWER)


async def test_the_configuration_for_programs_that_start_the_tools_themselves(service: Service) -> None:
    text = DOCUMENT.read_text(encoding="utf-8").partition("```json\n")[2].partition("```")[0]
    text = text.replace("<folder>/.venv/bin/python", sys.executable).replace("<folder>", str(PROJECT_ROOT))
    (server,) = json.loads(text.replace(ADDRESS, service.url))["mcpServers"].values()
    parameters = StdioServerParameters(**server | {"env": {**os.environ, **server["env"]}})
    async with Client(stdio_client(parameters)) as client:
        answer = await client.call_tool("ask", {"question": "부가세"})
    assert isinstance(answer, CallToolResult)
    assert not answer.is_error


def test_a_retriever_of_langchain_finds_what_the_service_finds(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    retriever: Any = run(service, "import httpx\nfrom langchain_core", monkeypatch).BiziRetriever(k=3)
    chain = retriever | RunnableLambda(lambda documents: documents)
    (document,) = chain.invoke("부가세 신고 기한")
    assert (document.id, document.page_content) == ("1", "25일 이내")
    assert (document.metadata["title"], document.metadata["relevance"]) == ("부가가치세법 제49조", 0.9)


def test_a_retriever_of_haystack_is_part_of_a_pipeline(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HAYSTACK_TELEMETRY_ENABLED", "False")
    module: Any = run(service, "import httpx\nfrom haystack", monkeypatch)
    from haystack import Pipeline

    pipeline = Pipeline()
    pipeline.add_component("retriever", module.BiziRetriever())
    (document,) = pipeline.run({"retriever": {"query": "부가세 신고 기한"}})["retriever"]["documents"]
    assert (document.id, document.content, document.score) == ("1", "25일 이내", 0.9)
    assert document.meta["title"] == "부가가치세법 제49조"


def test_the_retrievers_send_their_key(guarded: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    module: Any = run(guarded, "import httpx\nfrom langchain_core", monkeypatch)
    assert module.BiziRetriever(key=CHAT_KEY).invoke("부가세")
    with pytest.raises(module.httpx.HTTPStatusError, match="401"):
        module.BiziRetriever().invoke("부가세")
