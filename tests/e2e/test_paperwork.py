"""From a question to a file: the answer offers a document with the fields it was told, and the client posts them back."""

from __future__ import annotations

import io
from typing import Any

import httpx
import pytest
from docx import Document

from tests.support.paperwork import sample
from tests.support.scripted_openai import Fail, ScriptedOpenAI

PART_TIMER = "알바생 근로계약서 써야 하는데 주 20시간 시급 11,000원이에요"


def offered(client: httpx.Client, question: str, kind: str, **more: Any) -> dict[str, Any]:
    answer = client.post("/api/chat", json={"message": question, **more}).json()
    found = [action for action in answer["actions"] if action["params"].get("type") == kind]
    assert len(found) == 1, answer["actions"]
    action: dict[str, Any] = found[0]
    return action


def text_of(response: httpx.Response) -> str:
    assert response.status_code == 200, response.text
    document = Document(io.BytesIO(response.content))
    cells = [cell.text for table in document.tables for row in table.rows for cell in row.cells]
    return "\n".join([*(paragraph.text for paragraph in document.paragraphs), *cells])


def test_a_question_becomes_a_contract(service: httpx.Client) -> None:
    company = {"company": {"company_name": "온기카페", "employee_count": 3}}
    action = offered(service, PART_TIMER, "employment_contract", user_context=company)
    assert action["params"]["fields"] == {
        "kind": "part_time",
        "wage_type": "hourly",
        "wage": 11_000,
        "weekly_hours": 20,
        "headcount": 3,
        "employer_name": "온기카페",
    }
    for response in (
        service.post("/api/documents/generate", json=action["params"]),
        service.post("/api/actions", json={"type": action["type"], "params": action["params"]}),
    ):
        text = text_of(response)
        assert "단시간근로자 근로계약서" in text
        assert "시급: 11,000원" in text
        assert "1주 20시간" in text
        assert "온기카페" in text


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("직원한테 임금명세서를 꼭 줘야 하나요?", "wage_statement"),
        ("취업규칙을 꼭 만들어야 하나요?", "work_rules"),
        ("주주간 계약서에는 무엇을 넣어야 하나요?", "founders_agreement"),
        ("내용증명은 어떻게 보내나요?", "certified_letter"),
    ],
)
def test_questions_about_a_document_offer_it(service: httpx.Client, question: str, kind: str) -> None:
    assert offered(service, question, kind)["type"] == "document_generation"


PLAN = {"item_name": "1인 가구 반찬 구독", "company_name": "모아밥", "region": "부산"}


def test_sections_are_drafted_and_only_what_is_grounded_stays(
    model_service: httpx.Client, model_server: ScriptedOpenAI
) -> None:
    model_server.reset(
        {
            "generation": "모아밥은 부산에서 1인 가구 반찬 구독을 하려고 합니다. 국내 시장은 7조 3천억원 규모입니다. 지원금은 9,999만원입니다. [1]"
        }
    )
    body = {"type": "business_plan", "fields": PLAN, "draft": True}
    text = text_of(model_service.post("/api/documents/generate", json=body))
    assert "모아밥은 부산에서 1인 가구 반찬 구독을 하려고 합니다." in text
    assert "7조" not in text, "no source and no user said so"
    assert "9,999만원" not in text
    assert "[초안]" in text
    checked = model_service.post("/api/documents/generate", json=body | {"dry_run": True}).json()
    assert set(checked["drafted"]) == {"summary", "problem", "solution", "market", "growth"}


def test_what_the_user_wrote_stays_as_it_is(model_service: httpx.Client, model_server: ScriptedOpenAI) -> None:
    model_server.reset({"generation": "다른 글입니다."})
    fields = sample("business_plan")
    text = text_of(
        model_service.post("/api/documents/generate", json={"type": "business_plan", "fields": fields, "draft": True})
    )
    assert fields["problem"] in text
    assert "[초안]" not in text


def test_a_model_that_fails_leaves_blanks(model_service: httpx.Client, model_server: ScriptedOpenAI) -> None:
    model_server.reset({"generation": Fail(500)})
    body = {"type": "business_plan", "fields": PLAN, "draft": True, "dry_run": True}
    checked = model_service.post("/api/documents/generate", json=body).json()
    assert checked["drafted"] == []
    assert any("초안을 쓰지 못했습니다" in note["message"] for note in checked["warnings"])
