"""The acceptance cases of the pipeline, over HTTP, with no model."""

from __future__ import annotations

import re
from typing import Any

import httpx
import pytest

from schemas.events import Stage
from tests.contract.wire import parse_frames
from utils.prompts.messages import says_not_found


def ask(service: httpx.Client, message: str, **more: Any) -> dict[str, Any]:
    response = service.post("/api/chat", json={"message": message, **more})
    assert response.status_code == 200, response.text
    answer: dict[str, Any] = response.json()
    return answer


def test_vat_deadline(service: httpx.Client) -> None:
    answer = ask(service, "부가가치세는 언제까지 신고해야 하나요?")
    assert answer["domains"] == ["finance_tax"]
    assert answer["trace"]["finance_tax.mode"] == "BM25_HEAVY"
    assert answer["trace"]["k"] == 4
    assert answer["trace"]["supplement"] == 0
    assert "25일" in answer["content"]
    assert "부가가치세법 제49조" in answer["content"]
    assert re.search(r"\[\d\]", answer["content"])
    calendar = [action for action in answer["actions"] if action["type"] == "tax_calendar"]
    assert calendar[0]["params"]["due_date"] == "2027-01-25"
    assert answer["evaluation"]["grounding"]["passed"]
    assert answer["model"] == "extractive"
    assert not answer["degraded"]


def test_cafe_spans_two_domains(service: httpx.Client) -> None:
    question = "카페를 열려고 해요. 사업자등록은 어떻게 하고 처음에 세금은 뭘 챙겨야 하나요?"
    answer = ask(service, question)
    assert set(answer["domains"]) == {"startup_funding", "finance_tax"}
    assert answer["trace"]["k"] == 5
    assert 7 <= answer["trace"]["documents"] <= 9, "seven, and the documents of units that answer"
    assert answer["trace"]["startup_funding.found"] + answer["trace"]["finance_tax.found"] >= 10
    assert answer["content"].count("**") == 4  # two headings
    assert "사업자등록" in answer["content"]
    assert answer["sources"]
    assert {source["metadata"]["domain"] for source in answer["sources"]} <= {"startup_funding", "finance_tax"}


def test_dismissal_gets_the_law_beside_labour_documents(service: httpx.Client) -> None:
    question = "직원을 내보내려면 법적으로 어떤 절차를 밟아야 하고 퇴직금은 어떻게 계산하나요?"
    answer = ask(service, question)
    assert answer["domains"] == ["hr_labor"]
    added = answer["trace"]["supplement"]
    assert 1 <= added < 4, "the starter base holds no four documents of the law on dismissals"
    assert answer["trace"]["documents"] >= 4 + added, "and the documents of units that answer"
    frames = parse_frames(service.post("/api/chat/stream", json={"message": question}).text)
    told = [frame.data.source.metadata["domain"] for frame in frames if frame.event == "source"]
    assert told.count("law_common") >= added, "the answer could cite them"
    assert "해고" in answer["content"]
    assert "퇴직금" in answer["content"]


def test_a_follow_up_is_understood_from_the_history(service: httpx.Client) -> None:
    history = [
        {"role": "user", "content": "직원을 해고하려면 어떤 절차가 필요한가요?"},
        {"role": "assistant", "content": "해고 사유와 시기를 서면으로 통지해야 합니다. [1]"},
    ]
    answer = ask(service, "그럼 다섯 명이 안 되면 달라지나요?", history=history)
    assert answer["domains"][0] == "hr_labor"
    assert "5명" in answer["content"]
    assert "해고" in answer["content"]


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("고마워요", "chitchat"),
        ("점심 메뉴 골라 줘", "chitchat"),
        ("블랙홀은 어떻게 생기나요?", "out_of_scope"),
        ("ㅋㅌㅊㅍ", "unintelligible"),
    ],
)
def test_what_is_not_for_us_is_answered_without_a_search(service: httpx.Client, message: str, kind: str) -> None:
    answer = ask(service, message)
    assert answer["kind"] == kind
    assert answer["domain"] is None
    assert answer["sources"] == []
    assert "retrieve" not in answer["timing_metrics"]
    assert len(answer["content"]) > 20


def test_the_stream_tells_the_same_answer_step_by_step(service: httpx.Client) -> None:
    question = "퇴직금은 언제까지 줘야 하나요?"
    whole = ask(service, question)
    frames = parse_frames(service.post("/api/chat/stream", json={"message": question}).text)
    kinds = [frame.event for frame in frames]
    assert kinds[-1] == "done"
    assert [frame.data.stage for frame in frames if frame.event == "status"][:4] == [
        Stage.CLASSIFY,
        Stage.DECOMPOSE,
        Stage.RETRIEVE,
        Stage.GENERATE,
    ]
    assert kinds.index("source") < kinds.index("token")
    assert max(i for i, kind in enumerate(kinds) if kind == "source") < kinds.index("token")
    text = "".join(frame.data.content for frame in frames if frame.event == "token").strip()
    assert text == whole["content"]
    checks = [frame.data.check for frame in frames if frame.event == "check"]
    assert checks
    assert all(check.verdict == "supported" for check in checks)
    assert {text[check.start : check.end].strip() != "" for check in checks} == {True}
    done = frames[-1].data
    assert done.model_dump(mode="json")["sources"] == whole["sources"]
    told = {
        frame.data.source.index: frame.data.source.model_dump(mode="json")
        for frame in frames
        if frame.event == "source"
    }
    assert len(told) > len(whole["sources"])
    assert [told[source["index"]] for source in whole["sources"]] == whole["sources"]


@pytest.mark.parametrize(
    "question",
    [
        "퇴직금은 언제까지 줘야 하나요?",
        "시급 11,000원, 주 5일 하루 5시간 일하는 알바 주휴수당이 얼마예요?",
        "카페를 열려고 해요. 사업자등록은 어떻게 하고 처음에 세금은 뭘 챙겨야 하나요?",
        "관할 세무서 담당자 전화번호 알려주세요",
    ],
    ids=["one domain", "a sum", "several domains", "refused"],
)
def test_what_is_cited_is_listed_and_nothing_else(service: httpx.Client, question: str) -> None:
    answer = ask(service, question)
    cited = {int(number) for number in re.findall(r"\[(\d+)\]", answer["content"])}
    assert [source["index"] for source in answer["sources"]] == sorted(cited)
    assert bool(cited) is not says_not_found(answer["content"])


@pytest.mark.parametrize(
    ("question", "not_about"),
    [
        ("상표 말고 특허를 내려면 얼마 드나요?", "상표"),
        ("직원이 교통사고로 한 달 쉬어야 한다는데 월급 줘야 해요? 산재는 아니에요", "휴업급여"),
    ],
)
def test_what_the_owner_says_it_is_not_is_not_answered(service: httpx.Client, question: str, not_about: str) -> None:
    assert not_about not in ask(service, question)["content"]
