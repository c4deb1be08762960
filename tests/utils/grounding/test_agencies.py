"""Agencies as claims: a cited sentence names only those that its source speaks of."""

from __future__ import annotations

import pytest

from utils.grounding.agencies import load_agencies
from utils.grounding.check import AnswerChecker, GroundingReport, GroundingSource, Verdict

SOURCES = [
    GroundingSource(1, "휴업하려면 관할 세무서에 신고해야 합니다.\n지방고용노동관서에는 휴업수당을 따로 알려야 합니다."),
    GroundingSource(2, "영업신고는 관할 시장·군수·구청장에게 해야 합니다.\n부당해고는 지방노동위원회에 구제를 신청할 수 있습니다."),
]  # fmt: skip


def check(text: str, user_text: str = "") -> GroundingReport:
    return AnswerChecker().check(text, SOURCES, user_text)


@pytest.mark.parametrize(
    "sentence",
    [
        "휴업 신고는 강남세무서장에게 하면 됩니다. [1]",
        "세금은 국세청이 맡습니다. [1]",
        "휴업수당은 고용노동부에 알리세요. [1]",
        "영업신고는 구청에 하면 됩니다. [2]",
        "부당해고는 노동위원회가 다룹니다. [2]",
        "노동위원회법과 법원칙은 다릅니다. [1]",
        "자세한 것은 근로복지공단에 문의하세요.",
    ],
)
def test_an_agency_is_held_under_each_of_its_names(sentence: str) -> None:
    assert check(sentence).is_grounded


@pytest.mark.parametrize(
    ("sentence", "claim"),
    [
        ("휴업은 구청에 알리면 됩니다. [1]", "구청"),
        ("휴업수당은 근로복지공단에 알립니다. [1]", "근로복지공단"),
        ("영업신고는 교육감에게 합니다. [2]", "교육감"),
        ("부당해고는 법원이 다룹니다. [2]", "법원"),
        ("휴업은 관할 세무서에 알립니다. [2]", "세무서"),
    ],
)
def test_an_agency_that_the_cited_source_does_not_name_is_unsupported(sentence: str, claim: str) -> None:
    [checked] = check(sentence).sentences
    assert (checked.verdict, checked.unsupported_claims) == (Verdict.UNSUPPORTED, (claim,))


def test_the_user_s_agency_is_denied_and_not_agreed_with() -> None:
    said = "휴업은 구청에 신고하나요?"
    denied, agreed = check("구청이 아니라 세무서에 신고합니다. [1]\n네, 구청에 신고합니다. [1]", said).sentences
    assert (denied.verdict, denied.unsupported_claims) == (Verdict.USER_STATED, ())
    assert (agreed.verdict, agreed.agreed_claims) == (Verdict.USER_STATED, ("구청",))


def test_every_name_is_found_as_its_agency() -> None:
    agencies = load_agencies()
    for name, agency in agencies.synonyms.items():
        assert agency in agencies.implied(f"관할 {name}에 신고합니다."), name
    assert {part for parts in agencies.parts.values() for part in parts} <= set(agencies.synonyms.values())
