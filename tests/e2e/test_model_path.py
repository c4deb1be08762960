"""The same service with a model behind it: the real client against a scripted server, on good days and bad."""

from __future__ import annotations

import re
import time
from typing import Any

import httpx
import pytest

from tests.contract.wire import Frame, parse_frames
from tests.support.scripted_openai import GARBAGE, Cut, Fail, Hang, Say, ScriptedOpenAI
from utils.prompts.version import prompt_version
from vectorstores.search.hybrid import HybridSearcher
from vectorstores.search.request import SearchOutcome, SearchRequest

VAT = "부가가치세는 언제까지 신고해야 하나요?"
CAFE = "카페를 열려고 해요. 사업자등록은 어떻게 하고 처음에 세금은 뭘 챙겨야 하나요?"
UNDERSTOOD = {
    "kind": "consult",
    "domains": ["finance_tax"],
    "question": VAT,
    "sub_queries": [{"domain": "finance_tax", "query": VAT}],
    "variants": ["부가가치세 확정신고 기한"],
}
CAFE_PARTS = [
    {"domain": "startup_funding", "query": "카페를 열 때 사업자등록은 어떻게 하나요?"},
    {"domain": "finance_tax", "query": "카페를 처음 열면 세금은 무엇을 챙겨야 하나요?"},
]
UNDERSTOOD_CAFE = {
    "kind": "consult",
    "domains": ["startup_funding", "finance_tax"],
    "question": CAFE,
    "sub_queries": CAFE_PARTS,
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


AS_READ = ("sub_questions", "asks", "prompt_version")


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
    return {degradation["component"] for degradation in answer["degraded"]}


def test_the_trace_tells_how_the_question_was_cut_up_and_by_which_prompts(
    model_service: httpx.Client, model_server: ScriptedOpenAI
) -> None:
    model_server.reset(script(understanding=UNDERSTOOD_CAFE))
    answer = ask(model_service, CAFE)
    trace = answer["trace"]
    cut_up = [(part["domain"], part["question"]) for part in trace["sub_questions"]]
    assert cut_up == [(part["domain"], part["query"]) for part in CAFE_PARTS]
    assert trace["prompt_version"] == prompt_version()
    assert trace["asks"] == [ask["text"] for ask in answer["asks"]]
    assert len(trace["asks"]) >= 2
    done = stream(model_service, CAFE)[-1].data.model_dump(mode="json")
    assert {name: done["trace"][name] for name in AS_READ} == {name: trace[name] for name in AS_READ}


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
    asks = re.findall(r"^물음 \d: (.*)$", prompt, re.MULTILINE)
    assert len(asks) == 2
    assert "사업자등록" in asks[0]
    assert "세금" in asks[1]


def test_the_documents_of_several_domains_stand_by_domain_under_the_numbers_of_the_sources(
    model_service: httpx.Client, model_server: ScriptedOpenAI
) -> None:
    written = "이 부분은 제공된 문서에서 확인할 수 없습니다."
    model_server.reset(script(understanding=UNDERSTOOD_CAFE, generation=written))
    frames = stream(model_service, CAFE)
    sources = {frame.data.source.index: frame.data.source for frame in frames if frame.event == "source"}
    context = model_server.calls_for("generation")[0].prompt.partition("<documents>")[2].partition("</documents>")[0]
    labels = {"창업·지원사업": "startup_funding", "세무·회계": "finance_tax", "법률": "law_common"}
    numbers: list[int] = []
    for group in context.split("분야: ")[1:]:
        held = [(int(number), title) for number, title in re.findall(r"<document>\n\[(\d+)\] (.*)", group)]
        assert [sources[number].title for number, _ in held] == [title for _, title in held]
        answering = {
            int(number) for line in re.findall(r"답할 문서: (.*)", group) for number in re.findall(r"\d+", line)
        }
        beside = {sources[number].metadata["domain"] for number, _ in held if number not in answering}
        assert beside <= {labels[group.partition("\n")[0]]}
        numbers += [number for number, _ in held]
    assert sorted(numbers) == sorted(sources), "each once"


@pytest.mark.parametrize("within", [True, False], ids=["by sub-question", "of the whole question"])
def test_a_model_s_variants_are_searched_for_in_the_domain_that_they_fit(
    model_service: httpx.Client, model_server: ScriptedOpenAI, monkeypatch: pytest.MonkeyPatch, within: bool
) -> None:
    variants = [["사업자등록 신청 서류"], ["처음 내는 세금의 과세유형"]]
    understood = {**UNDERSTOOD_CAFE, "variants": [] if within else [variant for given in variants for variant in given]}
    parts: Any = UNDERSTOOD_CAFE["sub_queries"]
    understood["sub_queries"] = [
        part | ({"variants": own} if within else {}) for part, own in zip(parts, variants, strict=True)
    ]
    searched: dict[str, set[str]] = {}

    def search(searcher: HybridSearcher, collection: str, request: SearchRequest) -> SearchOutcome:
        searched.setdefault(collection, set(request.queries))  # a later one may be a neighbour's
        return original(searcher, collection, request)

    original = HybridSearcher.search
    monkeypatch.setattr(HybridSearcher, "search", search)
    model_server.reset(script(understanding=understood, generation="사업자등록은 홈택스에서 신청합니다. [1]"))
    ask(model_service, CAFE)
    of_startup, of_tax = (set(own) for own in variants)
    assert searched["startup_funding_db"] >= of_startup
    assert not searched["startup_funding_db"] & of_tax
    assert searched["finance_tax_db"] >= of_tax
    assert not searched["finance_tax_db"] & of_startup


def test_first_token_comes_after_at_most_two_calls(model_service: httpx.Client, model_server: ScriptedOpenAI) -> None:
    slow = {
        "understanding": Say(_json(UNDERSTOOD_CAFE), delay=0.8),
        "generation": Say("사업자등록은 신청합니다. [1]", delay=0.8),
        "evaluation": Say(_json(SCORES), delay=0.8),
    }
    model_server.reset(script(**slow))
    first_token = None
    with model_service.stream("POST", "/api/chat/stream", json={"message": CAFE}) as response:
        for line in response.iter_lines():
            if line == "event: token" and first_token is None:
                first_token = time.monotonic()
    assert first_token is not None
    before = [call.purpose for call in model_server.calls if call.started < first_token]
    assert before == ["understanding", "generation"]


def test_an_unsupported_figure_triggers_the_retry_and_the_better_answer_wins(
    model_service: httpx.Client, model_server: ScriptedOpenAI
) -> None:
    model_server.reset(script(generation=[WRONG, GOOD, GOOD]))
    frames = stream(model_service)
    checks = [frame.data.check for frame in frames if frame.event == "check"]
    assert checks[0].verdict == "unsupported"
    assert checks[0].unsupported_claims == ["99일"]
    replaced = [frame.data for frame in frames if frame.event == "replace"]
    assert [event.reason for event in replaced] == ["retry"]
    assert replaced[0].content == GOOD
    done = frames[-1].data
    assert done.retry_count == 1
    assert done.evaluation.grounding.passed
    assert model_server.count("alternatives") == 1
    assert model_server.count("generation") == 3


def test_what_fails_in_a_retry_is_named(model_service: httpx.Client, model_server: ScriptedOpenAI) -> None:
    """The answer of the first round was scored by the model, those of the second by rule alone."""
    model_server.reset(script(generation=[WRONG, GOOD, GOOD], evaluation=[SCORES, Fail(400)]))
    answer = ask(model_service)
    assert answer["content"] == GOOD
    assert answer["degraded"] == [{"component": "llm", "reason": "evaluation: rejected"}]
    model_server.reset(script(generation=[WRONG, GOOD, GOOD], evaluation=[SCORES, Fail(400)]))
    assert [lack.reason for lack in stream(model_service)[-1].data.degraded] == ["evaluation: rejected"]


def test_actions_follow_the_answer_and_a_replacement_follows_the_evaluation(
    model_service: httpx.Client, model_server: ScriptedOpenAI
) -> None:
    """The order of `schemas.events`, seen with every event but ``error``."""
    model_server.reset(script(generation=f"{GOOD} {WRONG}"))
    events = [frame.event for frame in stream(model_service)]
    assert list(dict.fromkeys(events)) == ["status", "source", "token", "check", "action", "replace", "done"]
    assert max(at for at, event in enumerate(events) if event == "status") > events.index("action")


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
    assert [event.reason for event in replaced] == ["degraded"]
    assert "25일" in replaced[0].content
    done = frames[-1].data
    assert [degradation.component for degradation in done.degraded] == ["llm"]
    assert done.model == "extractive"


def test_everything_hangs_and_the_answer_still_comes(model_service: httpx.Client, model_server: ScriptedOpenAI) -> None:
    model_server.reset({name: Hang() for name in ("understanding", "generation", "evaluation", "alternatives")})
    answer = ask(model_service)  # within REQUEST_TIMEOUT, else it were a 504
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
