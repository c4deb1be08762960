"""The phrasings of a unit tell the yes or no of a new question, or nothing where it is not sure."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from utils.config.settings import PROJECT_ROOT
from utils.knowledge.conditions import parse_condition
from utils.knowledge.unit_parser import parse_unit_document
from utils.knowledge.units import AnswerUnit, Ask
from utils.knowledge.verdicts import JudgedAsk, led, read_question, verdict_of
from vectorstores.tokenizer import KiwiTokenizer

SEVERANCE = (
    ("1년 넘게 일한 알바도 퇴직금 줘야 하나요?", True),
    ("알바라고 퇴직금 안 줘도 되나요?", False),
    ("퇴직금을 안 주면 처벌받나요?", True),
    ("퇴직금은 언제까지 줘야 하나요?", None),
)
HEADCOUNT = (
    ("직원 세 명인데 연차 줘야 하나요?", True),
    ("직원 네 명이면 연차 안 줘도 되나요?", False),
)
REFUND = (
    ("카드로 산 손님도 환불을 요구할 수 있나요?", True),
    ("현금으로 산 손님은 환불을 요구할 수 없나요?", False),
)
FEWEST_TOLD = 0.06
PRECISION = 0.97


def told(
    question: str,
    asks: Sequence[tuple[str, bool | None]],
    tokenizer: KiwiTokenizer,
    *,
    conditions: Sequence[str] = (),
    similarity: float = 0.6,
) -> bool | None:
    judged = [JudgedAsk(read_question(text, tokenizer.morphemes(text)), verdict) for text, verdict in asks]
    reading = read_question(question, tokenizer.morphemes(question))
    return verdict_of(reading, judged, [similarity] * len(judged), [parse_condition(text) for text in conditions])


@pytest.mark.parametrize(
    ("question", "verdict"),
    [
        ("알바라고 퇴직금 줘야 하나요?", True),
        ("알바라고 퇴직금 안 줘도 괜찮죠?", False),
        ("퇴직금을 안 주면 처벌이 없나요?", False),
        ("수습 직원도 퇴직금 지급해야 되나요?", True),
        ("프로그래머는 퇴직금을 아예 안 줘도 되나요?", False),
        ("무조건 퇴직금 줘야 하나요?", None),
        ("10개월 일한 알바도 퇴직금 줘야 하나요?", None),
        ("동의 없이 나간 직원도 퇴직금 줘야 하나요?", None),
        ("퇴직금만 줘야 하나요?", None),
        ("퇴직금은 얼마 줘야 하나요?", None),
        ("퇴직금은 소득인가요?", None),
    ],
)
def test_a_rule_said_with_one_voice_is_carried_over_to_what_adds_no_condition(
    question: str, verdict: bool | None, tokenizer: KiwiTokenizer
) -> None:
    assert told(question, SEVERANCE, tokenizer) is verdict


def test_phrasings_that_differ_tell_nothing_but_of_themselves(tokenizer: KiwiTokenizer) -> None:
    asks = (*SEVERANCE, ("초단시간 알바는 퇴직금 안 줘도 되나요?", True))
    assert told("수습 직원도 퇴직금 줘야 하나요?", asks, tokenizer) is None
    assert told("초단시간 알바는 퇴직금 줘야 하나요?", asks, tokenizer) is False


def test_a_writer_of_one_verdict_is_believed_only_when_he_says_it_often(tokenizer: KiwiTokenizer) -> None:
    asks = tuple((f"{name} 사진을 벽에 걸어도 되나요?", False) for name in ("손님", "직원", "아이"))
    assert told("주인 사진을 벽에 걸어도 되나요?", asks[:2], tokenizer) is None
    assert told("주인 사진을 벽에 걸어도 되나요?", asks, tokenizer) is False


def test_a_number_is_carried_over_on_the_same_side_of_the_conditions(tokenizer: KiwiTokenizer) -> None:
    side = ("상시근로자 < 5",)
    assert told("직원 두 명인데 연차 줘야 하나요?", HEADCOUNT, tokenizer) is None
    assert told("직원 두 명인데 연차 줘야 하나요?", HEADCOUNT, tokenizer, conditions=side) is True
    assert told("직원 5인 미만인데 연차 줘야 하나요?", HEADCOUNT, tokenizer, conditions=side) is True
    assert told("직원 다섯 명인데 연차 줘야 하나요?", HEADCOUNT, tokenizer, conditions=side) is None
    assert told("한 달에 두 번 쉬는데 연차 줘야 하나요?", HEADCOUNT, tokenizer, conditions=side) is None


def test_a_right_that_is_affirmed_against_doubt_is_there_for_others(tokenizer: KiwiTokenizer) -> None:
    assert told("포인트로 산 손님이 환불을 요구할 수 있나요?", REFUND, tokenizer) is True
    assert told("포인트로 산 손님이 환불을 요구할 수 없나요?", REFUND, tokenizer) is False
    refused = [(text, not verdict) for text, verdict in REFUND]
    assert told("포인트로 산 손님이 환불을 요구할 수 있나요?", refused, tokenizer) is None


def test_what_is_unlike_every_phrasing_is_not_told(tokenizer: KiwiTokenizer) -> None:
    assert told("수습 직원도 퇴직금 줘야 하나요?", SEVERANCE, tokenizer, similarity=0.1) is None
    assert told("수습 직원도 퇴직금 줘야 하나요?", (), tokenizer) is None


def test_contrary_verdicts_of_the_same_question_tell_nothing(tokenizer: KiwiTokenizer) -> None:
    asks = (("명부를 둬야 하나요?", True), ("명부를 안 둬도 되나요?", True))
    assert told("명부를 둬야 하나요?", asks, tokenizer) is None


@pytest.mark.parametrize(("verdict", "start"), [(True, "네, "), (False, "아니요, ")])
def test_a_conclusion_is_led_by_its_verdict(verdict: bool, start: str) -> None:
    sentence = "퇴직금을 지급해야 합니다(근로자퇴직급여 보장법 제8조)."
    assert led(sentence, verdict) == start + sentence


# The shipped base


@pytest.fixture(scope="module")
def units() -> list[AnswerUnit]:
    files = sorted((PROJECT_ROOT / "data" / "knowledge").rglob("*.md"))
    documents = [parse_unit_document(file.read_text(encoding="utf-8")).document for file in files]
    return [unit for document in documents if document is not None for unit in document.units]


def overlap(terms: Sequence[str], others: Sequence[str]) -> float:
    return len({*terms} & {*others}) / max(1, min(len({*terms}), len({*others})))


def judged(ask: Ask, tokenizer: KiwiTokenizer) -> JudgedAsk:
    return JudgedAsk(read_question(ask.text, tokenizer.morphemes(ask.text)), ask.verdict)


def test_a_hidden_phrasing_of_the_base_gets_its_verdict_from_the_others(
    units: list[AnswerUnit], tokenizer: KiwiTokenizer
) -> None:
    outcomes = []
    for unit in units:
        asks = [judged(ask, tokenizer) for ask in unit.asks]
        terms = [tokenizer.terms(ask.text) for ask in unit.asks]
        for hidden, ask in enumerate(unit.asks):
            if ask.verdict is None:
                continue
            others = [number for number in range(len(asks)) if number != hidden]
            likeness = [overlap(terms[hidden], terms[number]) for number in others]
            found = verdict_of(asks[hidden].reading, [asks[number] for number in others], likeness, unit.conditions)
            outcomes.append(None if found is None else found == ask.verdict)
    answered = [outcome for outcome in outcomes if outcome is not None]
    assert len(answered) / len(outcomes) >= FEWEST_TOLD
    assert sum(answered) / len(answered) >= PRECISION


def test_phrasings_with_a_verdict_ask_for_yes_or_no(units: list[AnswerUnit], tokenizer: KiwiTokenizer) -> None:
    read = [judged(ask, tokenizer) for unit in units for ask in unit.asks if ask.verdict is not None]
    assert sum(ask.kind is not None for ask in read) / len(read) >= 0.98
