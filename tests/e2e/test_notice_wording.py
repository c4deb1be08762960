"""Questions on a notice with a model: its words where the notice holds them, the notice's own otherwise, and a failure is marked."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.e2e.conftest import serving
from tests.support.notice_files import DAY, fill
from tests.support.scripted_openai import Call, Cut, Fail, Reply, ScriptedOpenAI
from utils.config.settings import Settings
from vectorstores.tokenizer import KiwiTokenizer

QUESTION = "1번 문의는 어디로 해요?"
PHONE = "051-000-2101"


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptedOpenAI]:
    with ScriptedOpenAI({}) as running:
        yield running


@pytest.fixture(scope="module")
def client(
    starter_settings: Settings,
    tokenizer: KiwiTokenizer,
    server: ScriptedOpenAI,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[httpx.Client]:
    data_dir = tmp_path_factory.mktemp("worded") / "var"
    shutil.copytree(starter_settings.data_dir, data_dir, symlinks=True)
    own = {"data_dir": data_dir, "openai_base_url": server.base_url, "llm_timeout": 2.0, "request_timeout": 12.0}
    settings = starter_settings.model_copy(update=own)
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
    """A sentence with the number of the passage that holds the phone number."""
    numbers = [part.split("]")[0] for part in call.user.split("\n[") if PHONE in part]
    return f"남쪽기술원 로봇팀({PHONE})에 문의하시면 됩니다. [{numbers[0]}]"


def test_the_model_words_what_the_notice_says(client: httpx.Client, server: ScriptedOpenAI, listed: Any) -> None:
    seen: list[str] = []

    def reply(call: Call) -> str:
        seen.append(call.user)
        return cited(call)

    answer = asked(client, server, listed, reply)
    assert answer["content"].startswith(f"남쪽기술원 로봇팀({PHONE})에 문의하시면 됩니다.")
    assert "https://example.org/notices/sp-04" in answer["content"]
    assert not answer["content"].startswith("‘")
    assert [source["index"] for source in answer["sources"]] == [int(n) for n in re.findall(r"\[(\d)\]", answer["content"])]
    assert all(PHONE in source["content"] for source in answer["sources"])
    assert answer["degraded"] == []
    assert answer["session_state"]["selected_annc"]["id"] == "sp-04"
    assert "051-000-2102" not in seen[0], "the text of that notice alone"


@pytest.mark.parametrize(
    "reply",
    [
        "남쪽기술원 051-999-9999로 문의하세요. [1]",
        "과제당 최대 9억원을 받습니다. [2]",
        "로봇팀에 문의하시면 됩니다.",
        "제공된 자료에서 확인할 수 없습니다.",
        "",
    ],
)
def test_what_the_notice_does_not_hold_is_not_said(
    client: httpx.Client, server: ScriptedOpenAI, listed: Any, reply: str
) -> None:
    answer = asked(client, server, listed, reply)
    assert answer["content"].startswith("‘[부산] 2026년 바다로봇 실증 지원사업 공고’ 공고의 내용입니다.")
    assert PHONE in answer["content"]
    assert "9억" not in answer["content"]
    assert "999-9999" not in answer["content"]


@pytest.mark.parametrize("failure", [Fail(500), Cut("남쪽기술원 "), Cut("남쪽", abrupt=True)])
def test_a_model_that_fails_leaves_the_quotation_and_is_told(
    client: httpx.Client, server: ScriptedOpenAI, listed: Any, failure: Fail | Cut
) -> None:
    answer = asked(client, server, listed, failure)
    assert PHONE in answer["content"]
    assert answer["content"].startswith("‘")
    assert {lack["component"] for lack in answer["degraded"]} == {"llm"}
