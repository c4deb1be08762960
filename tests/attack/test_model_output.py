"""Output of a model is data: an incomplete answer is none, and a complete one carries nothing but text."""

from __future__ import annotations

import time
from typing import Any

import httpx
import pytest

from tests.contract.wire import Frame, parse_frames
from tests.support.scripted_openai import Call, Fail, Hang, Say, ScriptedOpenAI

VAT = "부가가치세는 언제까지 신고해야 하나요?"
GOOD = "부가가치세 확정신고는 과세기간이 끝난 후 25일 이내에 해야 합니다. [1]"
_A_LINE = 25  # characters; shorter ones may stand in any answer
SCORES = dict.fromkeys(("retrieval_quality", "accuracy", "completeness", "relevance", "citation"), 18)


def script(**changes: Any) -> dict[str, Any]:
    understood = {"kind": "consult", "domains": ["finance_tax"], "question": VAT, "sub_queries": [], "variants": []}
    return {"understanding": understood, "generation": GOOD, "evaluation": SCORES} | changes


def ask(service: httpx.Client, tail: str) -> dict[str, Any]:
    """The answer to a question that no other test asks, for answers are cached."""
    answer: dict[str, Any] = service.post("/api/chat", json={"message": f"{VAT} {tail}"}).raise_for_status().json()
    return answer


def stream(service: httpx.Client, tail: str) -> list[Frame]:
    return parse_frames(service.post("/api/chat/stream", json={"message": f"{VAT} {tail}"}).text)


BROKEN = [
    pytest.param(Say(" \n "), "empty", marks=pytest.mark.finding("H3"), id="white space"),
    pytest.param(Say("\u200b\x1b[0m"), "empty", marks=pytest.mark.finding("H3"), id="invisible"),
    pytest.param(Say(GOOD[:25], finish_reason="length"), "truncated", marks=pytest.mark.finding("H4"), id="length"),
    pytest.param(
        Say(GOOD[:25], finish_reason="content_filter"), "filtered", marks=pytest.mark.finding("H4"), id="filter"
    ),
    pytest.param(Say("1. " * 10_000), "too_long", marks=pytest.mark.finding("M12"), id="runaway"),
]


@pytest.mark.parametrize(("written", "reason"), BROKEN)
def test_what_is_no_whole_answer_is_replaced_marked_and_not_kept(
    model_service: httpx.Client, model_server: ScriptedOpenAI, written: Say, reason: str, request: pytest.FixtureRequest
) -> None:
    tail = request.node.callspec.id
    model_server.reset(script(generation=written))
    answer = ask(model_service, tail)
    assert "25일" in answer["content"]
    assert answer["model"] == "extractive"
    assert answer["degraded"] == [{"component": "llm", "reason": f"generation: {reason}"}]

    frames = stream(model_service, tail)
    assert frames[-1].data.model == "extractive"
    shown = "".join(frame.data.content for frame in frames if frame.event == "token")
    for frame in frames:
        if frame.event == "replace":
            shown = frame.data.content
    assert shown == answer["content"]

    model_server.reset(script())
    again = ask(model_service, tail)
    assert (again["content"], again["cached"]) == (GOOD, False)
    assert ask(model_service, tail)["cached"]


@pytest.mark.finding("M2")
def test_a_terminal_and_a_reader_are_shown_nothing_but_text(
    model_service: httpx.Client, model_server: ScriptedOpenAI
) -> None:
    hostile = f"\x1b[2J\x1b]0;관리자\x07{GOOD[:10]}\u202e\u200b\x00{GOOD[10:]}\x9b31m\r\n"
    model_server.reset(script(generation=hostile))
    assert ask(model_service, "화면")["content"] == GOOD
    frames = stream(model_service, "다른 화면")
    assert "".join(frame.data.content for frame in frames if frame.event == "token") == GOOD


@pytest.mark.finding("M2")
@pytest.mark.parametrize("cited", [False, True], ids=["as it stands", "each line with a citation"])
def test_a_model_that_repeats_its_orders_is_not_passed_on(
    model_service: httpx.Client, model_server: ScriptedOpenAI, cited: bool
) -> None:
    told: list[str] = []

    def repeats(call: Call) -> str:
        told[:] = [line.strip() for line in call.messages[0]["content"].splitlines() if len(line.strip()) > _A_LINE]
        return "\n".join(f"{line} [1]" if cited else line for line in told)

    model_server.reset(script(generation=repeats))
    answer = ask(model_service, f"지시 {cited}")
    assert told
    assert [line for line in told if line in answer["content"]] == []
    assert answer["degraded"] == [{"component": "llm", "reason": "generation: repeated_prompt"}]
    assert "25일" in answer["content"]
    frames = stream(model_service, f"지시를 흘려 {cited}")
    shown = ""
    for frame in frames:
        if frame.event == "token":
            shown += frame.data.content
        elif frame.event == "replace":
            shown = frame.data.content
    assert [line for line in told if line in shown] == []


@pytest.mark.slow
@pytest.mark.finding("M6")
def test_health_names_a_rejected_key_before_and_after_it_was_used(
    model_service: httpx.Client, model_server: ScriptedOpenAI
) -> None:
    model_server.reset({purpose: Fail(401) for purpose in ("understanding", "generation", "evaluation")})
    answer = ask(model_service, "열쇠")
    assert "25일" in answer["content"]
    assert {degraded["reason"] for degraded in answer["degraded"]} >= {"generation: unauthorized"}
    llm = health_of_model(model_service)
    assert llm["state"] == "degraded"
    assert "OPENAI_API_KEY" in llm["reason"]

    model_server.reset(script())
    ask(model_service, "열쇠를 바꾼 뒤")
    assert health_of_model(model_service)["state"] == "available"


@pytest.mark.slow
@pytest.mark.finding("M5")
def test_a_generation_that_hangs_is_given_up_though_everything_else_works(
    model_service: httpx.Client, model_server: ScriptedOpenAI
) -> None:
    model_server.reset(script(generation=Hang()))
    for number in range(7):
        assert "25일" in ask(model_service, f"멈춤 {number}")["content"]
    assert model_server.count("generation") == 3
    assert health_of_model(model_service)["reason"] == "모델 서버가 응답하지 않습니다. 문서 발췌로 답변합니다."


def health_of_model(service: httpx.Client) -> dict[str, Any]:
    """The model's health after a round of probes that begins from now on."""
    time.sleep(5.5)  # the rounds are 5 seconds apart
    health: dict[str, Any] = service.get("/health").raise_for_status().json()["capabilities"]["llm"]
    return health
