"""The sum of a question that no unit of the base names."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest

from agents.answering.computed import compute_sums
from agents.state import NEVER, AskedUnits
from tests.support.owner_sums import ASKED_ON
from utils.knowledge.case import Case

if TYPE_CHECKING:
    from vectorstores.units.search import RankedUnits


def test_the_calculator_is_chosen_by_what_is_asked() -> None:
    """An executive's limit of tax is not the severance of a worker who is paid eighty million a month."""
    question = "법인 7년차 대표, 정관에 규정 없음, 최근 1년 총급여 8천만원이면 임원 퇴직금 얼마까지 비용 처리돼요"
    sums = compute_sums(question, (), "finance_tax", ASKED_ON)
    assert [found.hit.chunk.metadata["calculator"] for found in sums.conclusions] == ["executive_severance_limit"]
    assert "56,000,000원까지" in sums.conclusions[0].sentence
    assert "만 7년으로 보았습니다" in sums.conclusions[0].hit.chunk.text


def test_a_thing_asked_beside_another_matter_is_computed() -> None:
    """The question as a whole is of expenses; 30,000,000 × 0.004 ÷ (1 − 1.004^−36) is asked for in a part of it."""
    loan = "대출 3천만원 연 4.8프로 3년 원리금균등이면"
    ranked = cast("RankedUnits", None)  # asked for by no sum
    parts = [
        AskedUnits(f"{loan} {ask}", (), NEVER, ranked=ranked, case=Case())
        for ask in ("매달 얼마예요?", "이자 비용처리도 되나요?")
    ]
    sums = compute_sums(f"{loan} 매달 얼마예요? 이자 비용처리도 되나요?", parts, "startup_funding", ASKED_ON)
    assert [(found.ask, "896,436원" in found.sentence) for found in sums.conclusions] == [(parts[0].ask, True)]


def test_the_last_missing_figure_is_asked_for() -> None:
    sums = compute_sums("상가 보증금 2천만원을 월세로 돌리면 월세 얼마까지 받을 수 있어요", (), "law_common", ASKED_ON)
    assert sums.conclusions == ()
    assert sums.requests == ("월세 전환 계산에 필요한 값(한국은행 기준금리)을 알려 주세요.",)


@pytest.mark.parametrize(
    "question",
    [
        "알바 주휴수당 얼마 줘야 해요",
        "계약금을 받았는데 취소하려면 얼마를 돌려줘야 해요?",
        "늦으면 이자는 몇 프로예요? 90일이요",
    ],
)
def test_nothing_is_asked_for_where_no_sum_is_begun(question: str) -> None:
    sums = compute_sums(question, (), "hr_labor", ASKED_ON)
    assert (sums.conclusions, sums.requests) == ((), ())
