"""Questions on a notice with a model: its words where the notice holds them, the notice's own otherwise, and a failure is marked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.e2e.conftest import serving
from tests.support.notice_files import DAY, fill
from tests.support.scripted_openai import Call, Cut, Fail, Reply, ScriptedOpenAI
from tests.support.two_document_service import small_settings
from vectorstores.embedders.kiwi import KiwiEmbedder
from vectorstores.tokenizer import KiwiTokenizer

QUESTION = "1번 얼마까지 지원돼요?"
AMOUNT = "최대 1억원"
WORDED = f"한 과제에 {AMOUNT}까지 지원받을 수 있습니다."


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptedOpenAI]:
    with ScriptedOpenAI({}) as running:
        yield running


@pytest.fixture(scope="module")
def client(
    tokenizer: KiwiTokenizer,
    embedder: KiwiEmbedder,
    server: ScriptedOpenAI,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[httpx.Client]:
    own = {"openai_base_url": server.base_url, "llm_timeout": 2.0, "request_timeout": 12.0}
    settings = small_settings(tmp_path_factory.mktemp("worded"), tokenizer, embedder, **own)
    fill(settings, tokenizer)
    with serving(settings, tokenizer, today=DAY) as running:
        yield running


@pytest.fixture
def listed(client: httpx.Client, server: ScriptedOpenAI) -> Any:
    server.reset({})
    answer = client.post("/api/chat", json={"message": "부산 지원사업 공고 찾아줘"}).json()
    assert server.count("generation") == 0, "a list needs no model"
    return answer["session_state"]


def asked(client: httpx.Client, server: ScriptedOpenAI, state: Any, reply: Reply) -> dict[str, Any]:
    server.reset({"generation": reply})
    told = client.post("/api/chat", json={"message": QUESTION, "session_state": state})
    assert told.status_code == 200, told.text
    answer: dict[str, Any] = told.json()
    return answer


def cited(call: Call) -> str:
    """A sentence with the number of the passage that holds the amount."""
    numbers = [part.split("]")[0] for part in call.prompt.split("\n[") if AMOUNT in part]
    return f"{WORDED} [{numbers[0]}]"


def test_the_model_words_what_the_notice_says(client: httpx.Client, server: ScriptedOpenAI, listed: Any) -> None:
    seen: list[str] = []

    def reply(call: Call) -> str:
        seen.append(call.prompt)
        return cited(call)

    answer = asked(client, server, listed, reply)
    assert answer["content"].startswith(WORDED)
    assert "https://example.org/notices/sp-04" in answer["content"]
    assert not answer["content"].startswith("‘")
    assert [source["index"] for source in answer["sources"]] == [
        int(n) for n in re.findall(r"\[(\d)\]", answer["content"])
    ]
    assert all(AMOUNT in source["content"] for source in answer["sources"])
    assert answer["degraded"] == []
    other = listed["prev_anncs"][1]["title"]
    assert answer["session_state"]["selected_annc"]["id"] == "sp-04"
    assert "바다로봇" in seen[0]
    assert other not in seen[0], "the text of that notice alone"


@pytest.mark.parametrize(
    "reply",
    [
        "자세한 것은 051-999-9999로 문의하세요. [1]",
        "과제당 최대 9억원을 받습니다. [2]",
        "한 과제에 최대 1억원을 줍니다.",
        "제공된 자료에서 확인할 수 없습니다.",
        "",
    ],
)
def test_what_the_notice_does_not_hold_is_not_said(
    client: httpx.Client, server: ScriptedOpenAI, listed: Any, reply: str
) -> None:
    answer = asked(client, server, listed, reply)
    assert answer["content"].startswith("‘[부산] 2026년 바다로봇 실증 지원사업 공고’ 공고의 내용입니다.")
    assert AMOUNT in answer["content"]
    assert "9억" not in answer["content"]
    assert "999-9999" not in answer["content"]


@pytest.mark.parametrize("failure", [Fail(500), Cut("한 과제에 "), Cut("한", abrupt=True)])
def test_a_model_that_fails_leaves_the_quotation_and_is_told(
    client: httpx.Client, server: ScriptedOpenAI, listed: Any, failure: Fail | Cut
) -> None:
    answer = asked(client, server, listed, failure)
    assert AMOUNT in answer["content"]
    assert answer["content"].startswith("‘")
    assert {lack["component"] for lack in answer["degraded"]} == {"llm"}
