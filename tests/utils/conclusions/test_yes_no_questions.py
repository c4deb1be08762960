"""A question of yes or no is told from others, and read with its last predicate and what it is about."""

from __future__ import annotations

import pytest

from utils.conclusions.yes_no_questions import Kind, Polarity, QuestionReading, read_question
from vectorstores.tokenizer import KiwiTokenizer


@pytest.mark.parametrize(
    "question",
    [
        "퇴직금 줘야 하나요?",
        "혹시 꼭 신고해야 할까요",
        "무조건 환불해 줘야 되나",
        "이렇게 해도 돼?",
        "신고 건너뛰어도 돼요",
        "한도가 1억이 맞나요?",
        "이자는 안 줘도 되죠?",
        "알바도 연차 대상인가요? 이번 달에 들어왔어요.",
        "장부를 간단히 써도 되나요, 작은 법인인데",
        "어떤 경우에도 조사가 없나요?",
        "누구나 신청할 수 있나요?",
        "집 주소로 등록 해도 되나요 온라인으로 옷 팔아요",
        "이자도 청구할 수 있는지 궁금합니다",
        "실업급여랑 같이 받아도 되는지요",
        "전 사장이 받은 영업정지도 나한테 넘어옴?",
        "나중에 돈 갚아야 되는 거?",
    ],
)
def test_a_question_of_yes_or_no(question: str, tokenizer: KiwiTokenizer) -> None:
    assert read_question(question, tokenizer.morphemes(question)).polarity is not None


@pytest.mark.parametrize(
    "question",
    [
        "어떻게 되나요?",
        "얼마 이상이면 되나요?",
        "왜 하나요?",
        "언제까지 신고해야 하나요?",
        "며칠 안에 줘야 하나요",
        "서류는 뭐가 필요한가요?",
        "일반과세자인가요, 아니면 간이과세자인가요?",
        "부가세 신고 기한",
        "언제까지 내야 하는지 궁금합니다",
        "뭐가 유리한지 모르겠어요",
        "되는지 안 되는지 말고 얼마인지 알려 주세요",
        "부가세 신고?",
        "신고 절차를 알려 주세요.",
        "환급이나, 공제 말고 신고하고",
        "",
    ],
)
def test_what_asks_for_something_else_is_none(question: str, tokenizer: KiwiTokenizer) -> None:
    assert read_question(question, tokenizer.morphemes(question)).polarity is None


@pytest.mark.parametrize(
    ("question", "kind", "is_negated"),
    [
        ("알바도 퇴직금 줘야 하나요?", Kind.OBLIGATION, False),
        ("계약서 사본을 안 줘도 되나요?", Kind.OBLIGATION, True),
        ("신고하지 않아도 괜찮나요?", Kind.OBLIGATION, True),
        ("신고하지 않으면 안 되나요?", Kind.OBLIGATION, False),
        ("동의를 받을 필요 없나요?", Kind.OBLIGATION, True),
        ("명세서는 의무인가요?", Kind.OBLIGATION, False),
        ("월급에서 벌금을 빼도 되나요?", Kind.PERMISSION, False),
        ("계약서를 나중에 줘도 문제없죠?", Kind.PERMISSION, False),
        ("접대비로 넣으면 안 되나요?", Kind.PERMISSION, True),
        ("정보공개서를 안 줬는데 이거 불법 아닌가요?", Kind.SANCTION, False),
        ("돈을 안 주고 일을 시키면 불법이 아닌가요?", Kind.SANCTION, True),
        ("홈택스에 신고만 하면 되나요?", Kind.SUFFICIENCY, False),
        ("감면을 받을 수 있나요?", Kind.ABILITY, False),
        ("공제를 못 받나요?", Kind.ABILITY, True),
        ("계약서를 안 쓰면 처벌받나요?", Kind.SANCTION, False),
        ("늦게 내도 가산세는 없나요?", Kind.SANCTION, True),
        ("승인 없이 지으면 과태료만 내나요?", Kind.OCCURRENCE, False),
        ("학원도 면제 대상인가요?", Kind.APPLICABILITY, False),
        ("공제 한도가 있나요?", Kind.EXISTENCE, False),
        ("부가세를 돌려받을 방법 없나요?", Kind.EXISTENCE, False),
        ("못 받은 외상을 세금에서 빼주는거 없나요", Kind.EXISTENCE, False),
        ("폐업하면 받을 수 있는 지원금은 없나요?", Kind.EXISTENCE, False),
        ("공제 한도가 없나요?", Kind.EXISTENCE, True),
        ("법인 전환이 창업인가요?", Kind.IDENTITY, False),
        ("폐업하면 부가세를 내나요?", Kind.OCCURRENCE, False),
        ("초단시간 알바는 연차가 없는 거 맞죠?", Kind.EXISTENCE, True),
        ("네 명이면 안 줘도 되는 게 맞나요?", Kind.OBLIGATION, True),
        ("이거 신고해야 되는 거 아닌가요?", Kind.OBLIGATION, False),
        ("매출이 없으면 부가세 안 내나요?", Kind.OCCURRENCE, True),
    ],
)
def test_the_last_predicate_is_told_by_its_kind_and_denial(
    question: str, kind: Kind, is_negated: bool, tokenizer: KiwiTokenizer
) -> None:
    assert read_question(question, tokenizer.morphemes(question)).polarity == Polarity(kind, is_negated)


def test_a_denied_duty_is_about_the_same_as_the_duty(tokenizer: KiwiTokenizer) -> None:
    asked, denied = (
        read_question(text, tokenizer.morphemes(text))
        for text in ("외국인 알바도 퇴직금 줘야 하나요?", "외국인 알바는 퇴직금 안 줘도 되나요?")
    )
    assert (asked.words, asked.scope) == (denied.words, denied.scope)


def test_a_bound_is_no_plain_number(tokenizer: KiwiTokenizer) -> None:
    below, plain = (
        read_question(text, tokenizer.morphemes(text)).quantities
        for text in ("5인 미만도 연차 줘야 하나요?", "다섯 명인데 연차 줘야 하나요?")
    )
    assert {quantity.figure for quantity in below} == {quantity.figure for quantity in plain} == {"5명"}
    assert below != plain


def test_nothing_is_read_of_another_question(tokenizer: KiwiTokenizer) -> None:
    question = "퇴직금은 얼마 줘야 하나요?"
    assert read_question(question, tokenizer.morphemes(question)) == QuestionReading(None)
