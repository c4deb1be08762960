"""The same service with a model behind it: the real client against a scripted server, on good days and bad."""

from __future__ import annotations

import time
from typing import Any

import httpx
import pytest

from tests.contract.wire import Frame, parse_frames
from tests.support.scripted_openai import GARBAGE, Cut, Fail, Hang, Say, ScriptedOpenAI

VAT = "부가가치세는 언제까지 신고해야 하나요?"
CAFE = "카페를 열려고 해요. 사업자등록은 어떻게 하고 처음에 세금은 뭘 챙겨야 하나요?"
UNDERSTOOD = {
    "kind": "consult",
    "domains": ["finance_tax"],
    "question": VAT,
    "sub_queries": [{"domain": "finance_tax", "query": VAT}],
    "variants": ["부가가치세 확정신고 기한"],
}
UNDERSTOOD_CAFE = {
    "kind": "consult",
    "domains": ["startup_funding", "finance_tax"],
    "question": CAFE,
    "sub_queries": [
        {"domain": "startup_funding", "query": "카페를 열 때 사업자등록은 어떻게 하나요?"},
        {"domain": "finance_tax", "query": "카페를 처음 열면 세금은 무엇을 챙겨야 하나요?"},
    ],
    "variants": [],
}
GOOD = "부가가치세 확정신고는 과세기간이 끝난 후 25일 이내에 해야 합니다. [1]"
WRONG = "부가가치세 확정신고는 과세기간이 끝난 후 99일 이내에 해야 합니다. [1]"
SCORES = {
    "retrieval_quality": 18,
    "accuracy": 18,
    "completeness": 18,
    "relevance": 18,
    "citation": 18,
    "feedback": "좋습니다.",
}
ALTERNATIVES = {"rephrased": "부가가치세 확정신고와 납부 기한", "hypothetical_answer": "확정신고는 25일 이내에 합니다."}


def script(**changes: Any) -> dict[str, Any]:
    return {
        "understanding": UNDERSTOOD,
        "generation": GOOD,
        "evaluation": SCORES,
        "alternatives": ALTERNATIVES,
    } | changes


def ask(service: httpx.Client, message: str = VAT) -> dict[str, Any]:
    response = service.post("/api/chat", json={"message": message})
    assert response.status_code == 200, response.text
    answer: dict[str, Any] = response.json()
    return answer


def stream(service: httpx.Client, message: str = VAT) -> list[Frame]:
    return parse_frames(service.post("/api/chat/stream", json={"message": message}).text)


def degraded(answer: dict[str, Any]) -> set[str]:
    return {one["component"] for one in answer["degraded"]}


def test_a_citation_is_kept_whatever_the_model_makes_of_the_question(
    model_service: httpx.Client, model_server: ScriptedOpenAI
) -> None:
    rejected = {"kind": "out_of_scope", "domains": [], "question": "퇴직금 제도가 궁금합니다."}
    model_server.reset(
        script(understanding=rejected, generation="근로자퇴직급여 보장법의 조문은 제공된 문서에 없습니다.")
    )
    answer = ask(model_service, "근퇴법 8조")
    assert answer["kind"] == "consult"
    assert answer["evaluation"]["grounding"]["passed"]
    prompt = model_server.calls_for("generation")[0].prompt
    assert "<cited_articles>" in prompt
    assert "- 근로자퇴직급여 보장법의 조문은 제공된 문서에 없습니다." in prompt


def test_understanding_generation_and_evaluation_are_the_model_s(
    model_service: httpx.Client, model_server: ScriptedOpenAI
) -> None:
    model_server.reset(script())
    answer = ask(model_service)
    assert answer["content"] == GOOD
    assert answer["trace"]["method"] == "llm"
    assert answer["model"] == "gpt-4o-mini"
    assert answer["evaluation"]["scores"]["accuracy"] == 18
    assert answer["evaluation"]["passed"]
    assert not answer["degraded"]
    assert [call.purpose for call in model_server.calls] == ["understanding", "generation", "evaluation"]
    assert answer["token_usage"]["model_calls"] == 3
    assert answer["token_usage"]["input_tokens"] > 0
    assert "부가가치세법 제49조" in model_server.calls_for("generation")[0].prompt


def test_two_domains_are_decomposed_by_the_model_and_answered_in_one_call(
    model_service: httpx.Client, model_server: ScriptedOpenAI
) -> None:
    written = "**창업**\n사업자등록은 홈택스에서 신청합니다. [1]\n**세무**\n세금은 부가가치세를 챙깁니다. [2]"
    model_server.reset(script(understanding=UNDERSTOOD_CAFE, generation=written))
    answer = ask(model_service, CAFE)
    assert answer["domains"] == ["startup_funding", "finance_tax"]
    assert model_server.count("generation") == 1
    prompt = model_server.calls_for("generation")[0].prompt
    assert "카페를 열 때 사업자등록은 어떻게 하나요?" in prompt
    assert "카페를 처음 열면 세금은 무엇을 챙겨야 하나요?" in prompt


def test_first_token_comes_after_at_most_two_calls(model_service: httpx.Client, model_server: ScriptedOpenAI) -> None:
    slow = {
        "understanding": Say(_json(UNDERSTOOD_CAFE), delay=0.8),
        "generation": Say("사업자등록은 신청합니다. [1]", delay=0.8),
        "evaluation": Say(_json(SCORES), delay=0.8),
    }
    model_server.reset(script(**slow))
    started = time.monotonic()
    first_token = None
    with model_service.stream("POST", "/api/chat/stream", json={"message": CAFE}) as response:
        for line in response.iter_lines():
            if line == "event: token" and first_token is None:
                first_token = time.monotonic()
    assert first_token is not None
    before = [call.purpose for call in model_server.calls if call.started < first_token]
    assert before == ["understanding", "generation"]
    # the calls before the first token are counted above, so the time may have grace for a loaded machine
    assert first_token - started < 1.7 + 2.0


def test_an_unsupported_figure_triggers_the_retry_and_the_better_answer_wins(
    model_service: httpx.Client, model_server: ScriptedOpenAI
) -> None:
    model_server.reset(script(generation=[WRONG, GOOD, GOOD]))
    frames = stream(model_service)
    checks = [frame.data.check for frame in frames if frame.event == "check"]
    assert checks[0].verdict == "unsupported"
    assert checks[0].unsupported_claims == ["99일"]
    replaced = [frame.data for frame in frames if frame.event == "replace"]
    assert [one.reason for one in replaced] == ["retry"]
    assert replaced[0].content == GOOD
    done = frames[-1].data
    assert done.retry_count == 1
    assert done.evaluation.grounding.passed
    assert model_server.count("alternatives") == 1
    assert model_server.count("generation") == 3


def test_what_stays_unsupported_is_taken_out(model_service: httpx.Client, model_server: ScriptedOpenAI) -> None:
    model_server.reset(script(generation=f"{GOOD} {WRONG}"))
    answer = ask(model_service)
    assert "99일" not in answer["content"]
    assert "25일" in answer["content"]
    frames = stream(model_service)
    assert [frame.data.reason for frame in frames if frame.event == "replace"][-1] == "grounding"


@pytest.mark.parametrize("failure", [GARBAGE, Hang(), Fail(429, retry_after=30), Fail(500), Cut(GOOD[:20])])
def test_a_failing_generation_ends_in_an_extractive_answer(
    model_service: httpx.Client, model_server: ScriptedOpenAI, failure: Any
) -> None:
    broken = {"understanding": failure} if failure is GARBAGE else {"generation": failure}
    model_server.reset(script(**broken))
    answer = ask(model_service)
    assert degraded(answer) == {"llm"}
    assert "25일" in answer["content"]
    assert answer["model"] == ("gpt-4o-mini" if failure is GARBAGE else "extractive")


def test_a_cut_stream_is_replaced(model_service: httpx.Client, model_server: ScriptedOpenAI) -> None:
    model_server.reset(script(generation=Cut(GOOD[:20])))
    frames = stream(model_service)
    replaced = [frame.data for frame in frames if frame.event == "replace"]
    assert [one.reason for one in replaced] == ["degraded"]
    assert "25일" in replaced[0].content
    done = frames[-1].data
    assert [one.component for one in done.degraded] == ["llm"]
    assert done.model == "extractive"


def test_everything_hangs_and_the_answer_still_comes(model_service: httpx.Client, model_server: ScriptedOpenAI) -> None:
    model_server.reset({name: Hang() for name in ("understanding", "generation", "evaluation", "alternatives")})
    started = time.monotonic()
    answer = ask(model_service)
    assert time.monotonic() - started < 12.0
    assert degraded(answer) == {"llm"}
    assert "25일" in answer["content"]


def test_a_model_may_turn_a_question_away(model_service: httpx.Client, model_server: ScriptedOpenAI) -> None:
    rejected = {"kind": "out_of_scope", "domains": [], "question": "블랙홀은 어떻게 생기나요?"}
    model_server.reset(script(understanding=rejected))
    answer = ask(model_service, "블랙홀은 어떻게 생기나요?")
    assert answer["kind"] == "out_of_scope"
    assert model_server.count("generation") == 0


def _json(value: Any) -> str:
    return httpx.Request("POST", "http://127.0.0.1", json=value).content.decode()
