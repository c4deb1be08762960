"""Facts and conditions as a prompt words them."""

from __future__ import annotations

from decimal import Decimal

import pytest

from agents.answering.case_words import condition_words, fact_words
from utils.knowledge.case import case_of
from utils.knowledge.units import Condition, Operator, Slot

FEWER, AT_LEAST = Operator.LESS, Operator.AT_LEAST


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ("직원이 세 명이에요", {"상시근로자 3명"}),
        ("5인 미만 가게예요", {"상시근로자 5명 미만"}),
        ("연 매출 1억 400만원 간이과세자예요", {"연매출 104,000,000원", "과세유형 간이", "사업자 개인"}),
        ("안녕하세요", set()),
    ],
)
def test_what_is_known_is_told_in_words(told: str, words: set[str]) -> None:
    assert set(fact_words(case_of((told,)))) == words


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        (Condition(Slot.HEADCOUNT, FEWER, (Decimal(5),)), "상시근로자 5명 미만: 이 사정에 맞음"),
        (Condition(Slot.SALES, AT_LEAST, (Decimal(48_000_000),)), "연매출 48,000,000원 이상: 맞는지 알 수 없음"),
        (Condition(Slot.TAXPAYER, Operator.EQUAL, ("일반", "간이")), "과세유형 일반 또는 간이: 맞는지 알 수 없음"),
        (Condition(Slot.REGION, Operator.UNEQUAL, ("서울",)), "지역 서울 아님: 맞는지 알 수 없음"),
    ],
)
def test_a_condition_is_told_with_its_standing(condition: Condition, words: str) -> None:
    assert condition_words([condition], case_of(("직원이 세 명이에요",))) == words


def test_conditions_hold_together() -> None:
    few, old = Condition(Slot.HEADCOUNT, FEWER, (Decimal(5),)), Condition(Slot.AGE, AT_LEAST, (Decimal(15),))
    assert condition_words([few, old], case_of(("직원이 세 명이에요",))).endswith("맞는지 알 수 없음")
    assert condition_words([], case_of(())) == ""
