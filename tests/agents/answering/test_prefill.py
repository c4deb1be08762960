"""Fields that a question tells, by the names of the document; nothing is guessed."""

from __future__ import annotations

from datetime import date

import pytest

from agents.answering.prefill import Told, prefilled
from schemas.chat import CompanyProfile, Scalar, UserContext
from utils.paperwork.templates.template import shipped_templates

TODAY = date(2026, 11, 23)
PROFILE = UserContext(
    company=CompanyProfile(company_name="온기카페", employee_count=3, region="서울 마포구", industry_name="카페")
)


@pytest.mark.parametrize(
    ("question", "fields"),
    [
        (
            "알바생 근로계약서 써야 하는데 주 20시간 시급 11,000원이에요",
            {"kind": "part_time", "wage_type": "hourly", "wage": 11_000, "weekly_hours": 20},
        ),
        (
            "직원 4명 가게인데 월급 250만원 정규직 근로계약서 써야 해요",
            {"kind": "open_ended", "wage_type": "monthly", "wage": 2_500_000, "headcount": 4},
        ),
        ("중학생 알바 계약서 써야 하나요", {"kind": "minor"}),
        ("알바 주 40시간 계약서", {"weekly_hours": 40}),  # a full week is no short one: the asker chooses
        ("고등학생 알바 시급 10,320원 계약서", {"wage_type": "hourly", "wage": 10_320}),  # some are 18
        ("5인 미만 가게 근로계약서", {}),  # no number of heads
        ("근로계약서 어떻게 쓰나요", {}),
    ],
)
def test_a_contract_takes_what_the_question_tells(question: str, fields: dict[str, Scalar]) -> None:
    assert prefilled("employment_contract", Told((question,)), TODAY) == fields


def test_what_was_said_before_counts_and_the_profile_fills_in() -> None:
    told = Told(("직원이 6명이에요. 월급은 300만원입니다.", "그럼 정규직 근로계약서를 써 주세요"), PROFILE)
    found = prefilled("employment_contract", told, TODAY)
    assert found == {
        "kind": "open_ended",
        "wage_type": "monthly",
        "wage": 3_000_000,
        "headcount": 6,
        "employer_name": "온기카페",
    }


@pytest.mark.parametrize(
    ("key", "field"), [("nda", "discloser_name"), ("certified_letter", "sender_name"), ("work_rules", "company_name")]
)
def test_the_company_stands_on_the_askers_side(key: str, field: str) -> None:
    assert prefilled(key, Told(("문서 만들기",), PROFILE), TODAY)[field] == "온기카페"


@pytest.mark.parametrize("key", sorted(shipped_templates()))
def test_prefilled_fields_are_fields_of_the_type(key: str) -> None:
    names = {field.name for field in shipped_templates()[key].fields}
    assert set(prefilled(key, Told(("월급 300만원에 연장근로 10시간이에요",), PROFILE), TODAY)) <= names


def test_what_the_type_would_refuse_is_left_out() -> None:
    bad = UserContext(company=CompanyProfile(company_name="900101-1234567"))
    assert prefilled("nda", Told(("비밀유지계약서",), bad), TODAY) == {}
    assert prefilled("passport", Told(("여권",), PROFILE), TODAY) == {}
