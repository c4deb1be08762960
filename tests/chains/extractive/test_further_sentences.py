"""Which sentences behind a conclusion bear on what is asked."""

from __future__ import annotations

import pytest

from chains.extractive.further_sentences import bears_on
from utils.knowledge.units import Role, UnitSentence

ASK = "세무서가 몇 년 전 세금까지 다시 매길 수 있나요"
SAID = ("세금을 매길 수 있는 기간은 5년입니다(국세기본법 제26조의2).",)


@pytest.mark.parametrize(
    ("role", "text", "bears"),
    [
        (
            Role.RULE,
            "상속세와 증여세의 부과제척기간은 10년이고 거짓 신고가 있으면 15년입니다(국세기본법 제26조의2).",
            False,
        ),
        (Role.RULE, "세무서가 세금을 다시 매길 때에는 통지합니다(국세기본법 제81조).", True),
        (Role.EXCEPTION, "역외거래로 세금을 줄인 사람은 더 깁니다(국세기본법 제26조의2).", False),
        (Role.EXCEPTION, "세무서가 몇 년 전 세금을 다시 매길 수 없는 경우도 있습니다.", True),
        (Role.EXAMPLE, "세무서가 2020년 세금을 다시 매길 수 있는 날은 2026년 5월 31일까지입니다.", False),
        (Role.CONDITION, "거래 사실이 확인되어야 합니다.", True),
        (Role.PROCEDURE, "이의가 있으면 심판을 청구합니다.", True),
        (Role.SANCTION, "내지 않으면 가산세가 붙습니다.", True),
    ],
)
def test_a_sentence_bears_on_a_question_by_its_role_and_words(role: Role, text: str, bears: bool) -> None:
    assert bears_on(UnitSentence(role, text), ASK, ASK, SAID) is bears


def test_a_rule_in_other_words_is_said_where_it_is_the_first_to_tell_what_is_wanted() -> None:
    rule = UnitSentence(Role.RULE, "등록면허세는 11만2천5백원입니다.")
    assert bears_on(rule, "설립 비용은 얼마예요", "설립 비용은 얼마예요", ("설립하려면 돈이 듭니다.",))
    assert not bears_on(rule, "설립 비용은 얼마예요", "설립 비용은 얼마예요", ("설립에 20만원이 듭니다.",))
    assert not bears_on(rule, "설립해야 하나요", "설립해야 하나요", ("설립하려면 돈이 듭니다.",))
    term = UnitSentence(Role.RULE, "통지는 열흘 안에 합니다.")
    assert bears_on(term, "며칠 안에 알려요", "며칠 안에 알려요", ("글로 알립니다.",))
