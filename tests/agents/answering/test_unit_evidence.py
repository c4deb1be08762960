"""Evidence for and against a unit as the answer to a thing asked."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from agents.answering.said_units import SaidSentence
from agents.answering.unit_evidence import said_of, silence_to
from agents.state import AskedUnits, RouterState
from utils.grounding.answer_judge import FEATURES, AskFinding
from utils.grounding.ask_fit import AskFit
from utils.korean.word_rarity import WordRarity

WORDS = AskFit(WordRarity.load())


def sentences_of(asked: AskedUnits, number: int, *, verdict: bool | None = None) -> list[SaidSentence]:
    unit = asked.ranked.match.catalogue.units[number].stored.unit
    return [SaidSentence(each.text, 0, (1,), number, verdict) for each in unit.sentences[:2]]


def values(finding: AskFinding | None) -> dict[str, float]:
    assert finding is not None
    return dict(zip(FEATURES[finding.treatment], finding.values, strict=True))


def worst(asked: AskedUnits) -> int:
    return int(asked.ranked.scores.argmin())


@pytest.fixture
def annual_leave(asked: Callable[[str], RouterState]) -> AskedUnits:
    [units] = asked("직원이 3명인데 연차를 줘야 하나요?")["units"]
    return units


def test_the_best_unit_leads_and_one_of_another_subject_is_far_behind(annual_leave: AskedUnits) -> None:
    best = annual_leave.ranked.number_of(annual_leave.units[0])
    right = values(said_of(annual_leave, sentences_of(annual_leave, best), WORDS))
    wrong = values(said_of(annual_leave, sentences_of(annual_leave, worst(annual_leave)), WORDS))
    assert right["first_behind"] == right["stray"] == 0
    assert right["margin"] >= 0 > wrong["margin"]
    assert wrong["first_behind"] == 8, "no farther than that counts"
    assert wrong["pairs_missing"] > right["pairs_missing"]


def test_a_first_sentence_beside_the_point_is_seen_though_the_next_one_answers(annual_leave: AskedUnits) -> None:
    best = annual_leave.ranked.number_of(annual_leave.units[0])
    beside = sentences_of(annual_leave, worst(annual_leave))
    found = values(said_of(annual_leave, [*beside, *sentences_of(annual_leave, best)], WORDS))
    assert found["margin"] >= 0
    assert found["first_behind"] > 3


def test_the_rule_of_another_case_is_put_back(annual_leave: AskedUnits) -> None:
    """Three people work there: the rules for five and more lose what a contradiction costs."""
    catalogue = annual_leave.ranked.match.catalogue
    for_five = next(
        number
        for number in annual_leave.ranked.scores.argsort()[::-1].tolist()
        if "상시근로자 >= 5" in map(str, catalogue.units[number].stored.unit.conditions)
    )
    found = values(said_of(annual_leave, sentences_of(annual_leave, for_five), WORDS))
    raw = annual_leave.units[0].score - float(annual_leave.ranked.scores[for_five])
    assert found["first_behind"] == pytest.approx(min(raw + 5, 8))


def test_a_yes_where_the_unit_says_no_is_against_it(annual_leave: AskedUnits) -> None:
    best = annual_leave.ranked.number_of(annual_leave.units[0])
    assert annual_leave.verdict is False
    for verdict, expected in ((False, (0, 0)), (True, (1, 0)), (None, (0, 1))):
        found = values(said_of(annual_leave, sentences_of(annual_leave, best, verdict=verdict), WORDS))
        assert (found["verdict_against"], found["verdict_missing"]) == expected


def test_a_paragraph_that_serves_no_ask_is_stray_for_all(asked: Callable[[str], RouterState]) -> None:
    first, second = asked("폐업하면 부가세 언제까지 신고해요? 그리고 퇴직금은 며칠 안에 줘야 하나요?")["units"]
    told = [*sentences_of(first, first.ranked.number_of(first.units[0]))]
    told += sentences_of(second, second.ranked.number_of(second.units[0]))
    assert values(said_of(first, told, WORDS, [second]))["stray"] == 0
    astray = [*told, *sentences_of(first, worst(first))]
    assert values(said_of(first, astray, WORDS, [second]))["stray"] == 8


def test_sentences_of_no_unit_are_no_finding(annual_leave: AskedUnits) -> None:
    assert said_of(annual_leave, [SaidSentence("비가 옵니다.", 0, (1,), None, None)], WORDS) is None


def test_silence_is_the_worse_the_likelier_a_unit_answers(asked: Callable[[str], RouterState]) -> None:
    [known] = asked("퇴직금은 언제까지 지급해야 하나요?")["units"]
    [unknown] = asked("세무사 사무실 전화번호 알려주세요")["units"]
    assert values(silence_to(known))["odds"] > values(silence_to(unknown))["odds"]
    assert values(silence_to(known))["nearest"] > values(silence_to(unknown))["nearest"]
