"""A unit says yes or no to a question, or nothing where it is not sure."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from utils.conclusions.verdict_features import judged_unit, verdict_features
from utils.conclusions.verdict_model import VERDICT_WEIGHTS, VerdictModel, led
from utils.conclusions.yes_no_questions import read_question
from utils.knowledge.units import AnswerUnit, Ask, Aspect, Role, UnitSentence
from utils.linear_models import LearnedWeights, LinearModel
from vectorstores.tokenizer import KiwiTokenizer

SEVERANCE = (
    ("1년 넘게 일한 알바도 퇴직금 줘야 하나요?", True),
    ("알바라고 퇴직금 안 줘도 되나요?", False),
    ("4대보험 안 든 직원은 퇴직금 안 줘도 되죠?", False),
    ("퇴직금을 안 주면 처벌받나요?", True),
    ("퇴직금은 언제까지 줘야 하나요?", None),
)
PAY = "1년 이상 일한 직원에게는 고용 형태와 상관없이 퇴직금을 지급해야 합니다."


def told(
    question: str, tokenizer: KiwiTokenizer, asks: Sequence[tuple[str, bool | None]] = SEVERANCE, sentence: str = PAY
) -> bool | None:
    stated = (UnitSentence(Role.CONCLUSION, sentence),)
    unit = AnswerUnit("퇴직금을 줘야 하는 직원", Aspect.PERMISSION, tuple(Ask(*ask) for ask in asks), stated)
    reading = read_question(question, tokenizer.morphemes(question))
    return VerdictModel.load().of_question(reading, judged_unit(unit, tokenizer.morphemes))


@pytest.mark.parametrize(
    ("question", "verdict"),
    [
        ("파트타임 알바도 퇴직금 줘야 하나요?", True),
        ("파트타임 알바는 퇴직금 안 줘도 되나요?", False),
        ("파트타임 알바는 퇴직금 안 줘도 되죠?", False),
        ("파트타임 알바 퇴직금 안 주면 처벌받나요?", True),
    ],
)
def test_a_rule_answers_in_whatever_form_it_is_asked(question: str, verdict: bool, tokenizer: KiwiTokenizer) -> None:
    assert told(question, tokenizer) is verdict


def test_phrasings_and_conclusion_of_the_opposite_rule_turn_the_answer_round(tokenizer: KiwiTokenizer) -> None:
    asks = [(text, None if verdict is None else not verdict) for text, verdict in SEVERANCE]
    sentence = "1년 미만 일한 직원에게는 퇴직금을 지급하지 않아도 됩니다."
    assert told("몇 달 일한 알바도 퇴직금 줘야 하나요?", tokenizer, asks, sentence) is not True
    assert told("몇 달 일한 알바는 퇴직금 안 줘도 되나요?", tokenizer, asks, sentence) is not False


@pytest.mark.parametrize("question", ["퇴직금은 언제까지 줘야 하나요?", "퇴직금 계산 방법", ""])
def test_what_asks_for_no_yes_or_no_gets_none(question: str, tokenizer: KiwiTokenizer) -> None:
    assert told(question, tokenizer) is None


def test_a_unit_that_says_nothing_either_way_is_not_sure(tokenizer: KiwiTokenizer) -> None:
    assert told("퇴직금 신고 대상인가요?", tokenizer, (), "퇴직금은 근로자가 퇴직할 때 받는 돈입니다.") is None


def test_what_no_phrasing_votes_on_is_not_said(tokenizer: KiwiTokenizer) -> None:
    assert told("알바도 퇴직금 줘야 하나요?", tokenizer, ()) is None


def test_a_rule_whose_threshold_is_missed_does_not_say_yes(tokenizer: KiwiTokenizer) -> None:
    assert told("11개월 일한 알바도 퇴직금 줘야 하나요?", tokenizer) is not True


def test_without_weights_nothing_is_said(tokenizer: KiwiTokenizer) -> None:
    reading = read_question(SEVERANCE[0][0], tokenizer.morphemes(SEVERANCE[0][0]))
    unit = AnswerUnit(
        "이름", Aspect.PERMISSION, tuple(Ask(*ask) for ask in SEVERANCE), (UnitSentence(Role.CONCLUSION, PAY),)
    )
    assert VerdictModel.plain().of_question(reading, judged_unit(unit, tokenizer.morphemes)) is None


def test_surely_takes_more() -> None:
    model = VerdictModel(LinearModel.of(("nearest",), (4.0,), 0.0, 0.8), LinearModel.of(("nearest",), (1.5,), 0.0))
    assert [model.of({"nearest": value}) for value in (0.2, 0.5, 0.9)] == [None, True, True]
    assert [model.of({"nearest": value}, surely=True) for value in (0.2, 0.5, 0.9)] == [None, None, True]


def test_a_phrasing_left_out_does_not_vote(tokenizer: KiwiTokenizer) -> None:
    unit = judged_unit(
        AnswerUnit("이름", Aspect.PERMISSION, (Ask(*SEVERANCE[0]),), (UnitSentence(Role.CONCLUSION, PAY),)),
        tokenizer.morphemes,
    )
    reading = read_question("알바도 퇴직금 줘야 하나요?", tokenizer.morphemes("알바도 퇴직금 줘야 하나요?"))
    assert "nearest" in verdict_features(reading, unit)
    assert "nearest" not in verdict_features(reading, unit.without(0))


def test_the_shipped_weights_are_right_where_they_speak() -> None:
    figures = LearnedWeights.read(VERDICT_WEIGHTS, None).cross_validated
    assert figures["base_right"] >= 0.94
    assert figures["owners_right"] >= 0.9


@pytest.mark.parametrize(("verdict", "start"), [(True, "네, "), (False, "아니요, ")])
def test_a_conclusion_is_led_by_its_verdict(verdict: bool, start: str) -> None:
    sentence = "퇴직금을 지급해야 합니다(근로자퇴직급여 보장법 제8조)."
    assert led(sentence, verdict) == start + sentence
