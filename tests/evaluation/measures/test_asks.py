"""Hand-made answers held against what owners ask."""

from __future__ import annotations

from typing import Any

import pytest

from evaluation.measures.asks import JudgedAsks, outcome, score
from evaluation.measures.owner_questions import OwnerQuestion
from schemas.chat import ChatResponse, SourceItem
from utils.prompts.messages import NOT_FOUND, nearest_follows, not_found

NOTICE: dict[str, Any] = {
    "ask": "해고예고를 해야 하는지",
    "kind": "yes_no",
    "verdict": True,
    "gold": ["NOTICE"],
    "key_facts": ["30일전"],
}
RELIEF: dict[str, Any] = {
    "ask": "부당해고 구제신청을 당하는지",
    "kind": "yes_no",
    "verdict": False,
    "gold": ["RELIEF"],
    "key_facts": ["구제신청.{0,30}적용되지않"],
}
PAY: dict[str, Any] = {"ask": "주휴수당", "kind": "sum", "value": 50400, "gold": ["PAY"], "key_facts": ["비례"]}
PHONE: dict[str, Any] = {"ask": "담당자 전화번호", "kind": "open", "gold": [], "key_facts": []}

NOTICE_SAID = "30일 전에 예고해야 합니다. [1]"
RELIEF_SAID = "상시 4명 이하 사업장에는 구제신청 규정이 적용되지 않습니다. [2]"
OTHER_SAID = "연차는 15일입니다. [3]"


def judged(content: str, *asks: dict[str, Any], misleading: tuple[str, ...] = ()) -> JudgedAsks:
    names = ("NOTICE#0", "RELIEF", "OTHER", "TAX_CALENDAR")
    sources = [
        SourceItem(index=number, title="", content="", source="", metadata={"id": name, "computed": name[0] == "T"})
        for number, name in enumerate(names, start=1)
    ]
    response = ChatResponse(
        content=content,
        domain="hr_labor",
        domains=["hr_labor"],
        kind="consult",
        sources=sources,
        model="m",
        request_id="1",
    )
    question = {"id": "q", "domain": "hr_labor", "question": "?", "asks": asks, "misleading": misleading}
    return JudgedAsks(OwnerQuestion.model_validate(question), response)


def test_each_ask_is_answered_by_its_own_facts() -> None:
    answer = judged(NOTICE_SAID, NOTICE, RELIEF)
    assert outcome(answer)["asks_answered"] == 0.5
    assert outcome(judged(f"{NOTICE_SAID} {RELIEF_SAID}", NOTICE, RELIEF))["asks_answered"] == 1


def test_facts_of_an_ask_stand_in_one_part_and_in_no_heading() -> None:
    both = {**NOTICE, "key_facts": ["30일전", "서면"]}
    split = f"**해고예고**\n{NOTICE_SAID}\n**그 밖에**\n서면으로 남깁니다. [1]"
    assert outcome(judged(split, both))["asks_answered"] == 0
    assert outcome(judged(split.replace("**그 밖에**\n", ""), both))["asks_answered"] == 1
    assert outcome(judged("## 30일 전\n연차입니다. [3]", NOTICE))["asks_answered"] == 0


def test_a_fact_does_not_reach_over_sentences() -> None:
    assert outcome(judged("구제신청은 다릅니다. [2] 연차는 적용되지 않습니다. [3]", RELIEF))["asks_answered"] == 0


@pytest.mark.parametrize(
    ("content", "right", "first", "answered"),
    [
        (f"네, {NOTICE_SAID}", 1, 1, 1),
        (f"네. {NOTICE_SAID}", 1, 1, 1),
        (f"**아니요.** {NOTICE_SAID}", 0, 0, 0),
        (NOTICE_SAID, 0, 1, 1),
        (f"{OTHER_SAID} {NOTICE_SAID}", 0, 0, 1),
        (f"예를 들어 {NOTICE_SAID}", 0, 1, 1),
    ],
)
def test_a_conclusion_opens_the_answer_and_is_the_right_one(
    content: str, right: int, first: int, answered: int
) -> None:
    figures = outcome(judged(content, NOTICE))
    assert (figures["yes_no_right"], figures["first_answers"], figures["asks_answered"]) == (right, first, answered)


@pytest.mark.parametrize("between", [" ", "\n"])
def test_each_ask_has_the_conclusion_of_its_passage(between: str) -> None:
    assert outcome(judged(f"네, {NOTICE_SAID}{between}아니요. {RELIEF_SAID}", NOTICE, RELIEF))["yes_no_right"] == 1
    assert outcome(judged(f"아니요. {RELIEF_SAID}{between}네, {NOTICE_SAID}", NOTICE, RELIEF))["yes_no_right"] == 1
    assert outcome(judged(f"네, {NOTICE_SAID}\n{RELIEF_SAID}", NOTICE, RELIEF))["yes_no_right"] == 0.5


def test_an_open_verdict_is_not_counted() -> None:
    assert "yes_no_right" not in outcome(judged(NOTICE_SAID, {**NOTICE, "verdict": None}))


def test_a_formula_is_no_sum() -> None:
    rule = "주휴수당은 근로시간에 비례합니다. [3]"
    assert outcome(judged(rule, PAY))["sums_computed"] == 0
    assert outcome(judged(rule, PAY))["asks_answered"] == 0
    computed = outcome(judged(f"주휴수당은 50,400원입니다. [4] {rule}", PAY))
    assert computed["sums_computed"] == computed["asks_answered"] == computed["first_answers"] == 1


def test_quotes_of_documents_that_answer_are_told_from_others() -> None:
    assert judged(f"{NOTICE_SAID} {OTHER_SAID} 기한은 7일입니다. [4] 알려 드립니다.", NOTICE).quotes == (True, False)


def test_a_rule_of_another_case_misleads_wherever_it_stands() -> None:
    said = f"{NOTICE_SAID} {OTHER_SAID}"
    assert outcome(judged(said, NOTICE, misleading=("^연차는15일",)))["misleading"] == 1
    assert outcome(judged(said, NOTICE, misleading=("^15일",)))["misleading"] == 0


def test_silence_is_false_where_documents_answer_and_right_where_none_does() -> None:
    assert outcome(judged(NOT_FOUND, NOTICE))["false_silence"] == 1
    assert outcome(judged(OTHER_SAID, NOTICE))["false_silence"] == 0
    assert outcome(judged(NOT_FOUND, PHONE)) == {"misleading": 0, "wrong_speech": 0, "characters": len(NOT_FOUND)}
    assert outcome(judged(OTHER_SAID, PHONE))["wrong_speech"] == 1
    assert outcome(judged("안녕하세요!", PHONE))["wrong_speech"] == 0


def test_an_ask_without_an_answer_is_to_be_admitted_by_name() -> None:
    admitted = f"{NOTICE_SAID}\n{not_found('담당자 전화번호는요?')}"
    assert outcome(judged(admitted, NOTICE, PHONE))["passed_over"] == 0
    assert outcome(judged(f"{NOTICE_SAID} {OTHER_SAID}", NOTICE, PHONE))["passed_over"] == 1
    assert outcome(judged(admitted, NOTICE, PHONE))["false_silence"] == 0


def test_an_admission_is_of_the_ask_whose_words_it_shares() -> None:
    answer = judged(f"{OTHER_SAID}\n{not_found('부당해고 구제신청도 당하나요?')}", NOTICE, RELIEF)
    assert outcome(answer)["false_silence"] == 0.5
    assert answer.admits(answer.question.asks[1])


def test_an_admission_states_no_fact() -> None:
    figures = outcome(judged(not_found("30일 전에 예고해야 하나요?"), NOTICE))
    assert figures["asks_answered"] == figures["first_answers"] == 0


def test_an_admission_may_come_first_if_nothing_answers_the_first_ask() -> None:
    content = f"{not_found('담당자 전화번호는요?')}\n{NOTICE_SAID}"
    assert outcome(judged(content, PHONE, NOTICE))["first_answers"] == 1
    assert outcome(judged(content, NOTICE, PHONE))["first_answers"] == 0


def test_figures_are_over_what_they_are_about() -> None:
    figures = score([judged(NOTICE_SAID, NOTICE, RELIEF), judged(NOT_FOUND, PHONE), judged(OTHER_SAID, PHONE)])
    assert (figures["questions"], figures["asks"]) == (3, 4)
    assert figures["asks_answered"] == 0.5
    assert figures["wrong_speech"] == 0.5
    assert figures["gold_quoted"] == 1, "quotes under a question that nothing answers are wrong speech"
    assert "sums_computed" not in figures


def test_an_empty_answer_answers_nothing() -> None:
    figures = outcome(judged("", NOTICE))
    assert figures["asks_answered"] == figures["first_answers"] == figures["yes_no_right"] == 0
    assert figures["false_silence"] == 1


def test_the_nearest_behind_an_admission_is_told_but_neither_said_nor_an_answer() -> None:
    told = outcome(judged(f"{nearest_follows()}\n{NOTICE_SAID}", NOTICE))
    assert (told["asks_answered"], told["asks_told"], told["false_silence"]) == (0, 1, 1)
    assert outcome(judged(f"{nearest_follows()}\n{OTHER_SAID}", NOTICE))["asks_told"] == 0
    assert outcome(judged(f"{nearest_follows()}\n{OTHER_SAID}", PHONE))["wrong_speech"] == 0
    assert outcome(judged(OTHER_SAID, PHONE))["wrong_speech"] == 1


def test_what_is_offered_ends_with_its_part() -> None:
    content = f"**전화**\n{nearest_follows('전화번호')}\n{OTHER_SAID}\n\n**예고**\n{NOTICE_SAID}"
    assert outcome(judged(content, PHONE, NOTICE))["asks_answered"] == 1
