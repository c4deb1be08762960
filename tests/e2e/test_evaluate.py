"""``/api/evaluate``: given answers, held against given contexts, by the rules and by a model."""

from __future__ import annotations

import importlib.util
from typing import Any

import httpx
import pytest

from schemas.problems import ErrorCode
from tests.contract.wire import assert_problem
from tests.e2e.test_model_path import SCORES
from tests.evaluation.test_ragas_evaluator import judge
from tests.support.scripted_openai import Call, Fail, ScriptedOpenAI

QUESTION = "부가가치세 확정신고는 언제까지 해야 하나요?"
CONTEXT = "사업자는 각 과세기간에 대한 부가가치세를 그 과세기간이 끝난 후 25일 이내에 확정신고하여야 한다."
OTHER = "사용자는 근로자를 해고하려면 적어도 30일 전에 예고를 하여야 한다."
RIGHT = "부가가치세 확정신고는 과세기간이 끝난 후 25일 이내에 해야 합니다. [1]"
WRONG = "부가가치세 확정신고는 과세기간이 끝난 후 99일 이내에 해야 합니다. [1]"
SILENT = "문서에서 확인되지 않습니다."


def evaluate(service: httpx.Client, answer: str = RIGHT, contexts: Any = (CONTEXT,), **more: Any) -> dict[str, Any]:
    response = post(service, answer=answer, contexts=list(contexts), **more)
    assert response.status_code == 200, response.text
    result: dict[str, Any] = response.json()
    return result


def post(service: httpx.Client, **body: Any) -> httpx.Response:
    return service.post("/api/evaluate", json={"question": QUESTION, "answer": RIGHT, "contexts": [CONTEXT], **body})


def test_an_answer_that_its_context_holds_passes(service: httpx.Client) -> None:
    result = evaluate(service)
    assert result["passed"], result
    assert set(result["scores"]) == {"retrieval_quality", "accuracy", "completeness", "relevance", "citation"}
    assert result["total_score"] >= 70
    (sentence,) = result["grounding"]["sentences"]
    assert (sentence["verdict"], sentence["sources"]) == ("supported", [1])
    assert result["answer"][sentence["start"] : sentence["end"]].startswith("부가가치세 확정신고는")
    assert (result["judged_by"], result["ragas"], result["token_usage"]["model_calls"]) == ("rules", None, 0)


@pytest.mark.parametrize(
    ("answer", "contexts", "fault"),
    [
        (WRONG, (CONTEXT,), "99일"),
        (RIGHT, (OTHER,), "25일"),
        (RIGHT, (), "[1]"),
        (RIGHT.replace("[1]", "[7]"), (CONTEXT,), "[7]"),
    ],
)
def test_an_answer_that_its_contexts_do_not_hold_fails_and_is_told_why(
    service: httpx.Client, answer: str, contexts: tuple[str, ...], fault: str
) -> None:
    result = evaluate(service, answer, contexts)
    assert not result["passed"]
    assert not result["grounding"]["passed"]
    assert result["total_score"] <= 69
    assert fault in str(result["grounding"]["sentences"][0]["unsupported_claims"])
    assert fault in result["feedback"]


def test_silence_is_right_where_nothing_is_held_and_wrong_where_it_is(service: httpx.Client) -> None:
    assert evaluate(service, SILENT, (OTHER,))["passed"]
    assert not evaluate(service, SILENT, (CONTEXT,))["passed"]


def test_an_answer_to_something_else_is_worse(service: httpx.Client) -> None:
    beside = evaluate(service, f"{OTHER} [2]", (CONTEXT, OTHER))
    assert beside["grounding"]["passed"]
    assert beside["total_score"] < evaluate(service, RIGHT, (CONTEXT, OTHER))["total_score"]
    assert not beside["passed"]


def test_contexts_may_have_titles_which_articles_are_read_from(service: httpx.Client) -> None:
    context = {
        "text": CONTEXT,
        "title": "부가가치세법 제49조",
        "source": "국가법령정보센터",
        "effective_date": "2026-01-01",
    }
    result = evaluate(service, "부가가치세법 제49조에 따라 25일 이내에 확정신고합니다. [1]", (context,))
    assert result["grounding"]["passed"], result


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"question": ""}, "question"),
        ({"question": "\u200b"}, "question"),
        ({"answer": ""}, "answer"),
        ({"answer": "가" * 8001}, "answer"),
        ({"contexts": ["가"] * 21}, "contexts"),
        ({"contexts": [{"text": "가" * 8001}]}, "contexts.0.text"),
        ({"contexts": [{"title": "글이 없음"}]}, "contexts.0.text"),
        ({"contexts": [7]}, "contexts.0"),
        ({"reference": ""}, "reference"),
        ({"scores": {}}, "scores"),
        ({"ragas": "true"}, "ragas"),
    ],
)
def test_what_is_too_much_or_too_little_is_named(service: httpx.Client, body: dict[str, Any], path: str) -> None:
    problem = assert_problem(post(service, **body), ErrorCode.VALIDATION_FAILED)
    assert [error.path for error in problem.errors] == [path]


def test_without_a_model_ragas_is_refused_by_name(service: httpx.Client) -> None:
    problem = assert_problem(post(service, ragas=True), ErrorCode.CONFLICT)
    assert [error.path for error in problem.errors] == ["ragas"]
    assert "모델" in problem.errors[0].message


def test_a_model_scores_where_there_is_one_and_does_not_overrule_the_rules(
    model_service: httpx.Client, model_server: ScriptedOpenAI
) -> None:
    model_server.reset({"evaluation": SCORES})
    result = evaluate(model_service)
    assert (result["judged_by"], result["feedback"]) == ("gpt-4o-mini", "좋습니다.")
    assert result["total_score"] == 90
    assert result["rules"]["total_score"] != result["total_score"]
    assert result["token_usage"]["model_calls"] == 1
    sent = model_server.calls[-1].prompt
    assert all(text in sent for text in (QUESTION, CONTEXT, RIGHT))
    wrong = evaluate(model_service, WRONG)
    assert not wrong["passed"]
    assert wrong["total_score"] <= 69


def test_without_use_model_none_is_asked(model_service: httpx.Client, model_server: ScriptedOpenAI) -> None:
    model_server.reset({"evaluation": SCORES})
    result = evaluate(model_service, use_model=False)
    assert (result["judged_by"], model_server.calls) == ("rules", [])
    assert {name: result[name] for name in result["rules"]} == result["rules"]


def test_a_model_that_fails_leaves_the_rules_and_is_named(
    model_service: httpx.Client, model_server: ScriptedOpenAI
) -> None:
    model_server.reset({"evaluation": Fail(400)})
    result = evaluate(model_service)
    assert result["passed"]
    assert (result["judged_by"], result["degraded"][0]["component"]) == ("rules", "llm")


@pytest.mark.skipif(importlib.util.find_spec("ragas") is not None, reason="the eval extra is installed")
def test_without_the_extra_ragas_says_what_to_install(
    model_service: httpx.Client, model_server: ScriptedOpenAI
) -> None:
    problem = assert_problem(post(model_service, ragas=True), ErrorCode.CONFLICT)
    assert "eval" in problem.errors[0].message


@pytest.mark.skipif(importlib.util.find_spec("ragas") is None, reason="the eval extra (ragas) is not installed")
def test_ragas_scores_beside_the_model(model_service: httpx.Client, model_server: ScriptedOpenAI) -> None:
    def reply(call: Call) -> dict[str, Any]:
        return judge(call) if "Output" in call.prompt else SCORES

    model_server.reset({"evaluation": reply})
    result = evaluate(model_service, ragas=True, reference="25일 이내")
    assert result["ragas"]["faithfulness"] == 0.5
    assert result["ragas"]["context_recall"] == 1.0
    assert result["token_usage"]["model_calls"] == len(model_server.calls) > 4
