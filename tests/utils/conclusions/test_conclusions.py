"""The conclusion of a unit is read as clauses with their force."""

from __future__ import annotations

import pytest

from utils.conclusions.conclusions import Force, read_conclusion
from utils.knowledge.units import AnswerUnit, Aspect, Role, UnitSentence
from vectorstores.tokenizer import KiwiTokenizer


@pytest.mark.parametrize(
    ("sentence", "forces", "is_bounded"),
    [
        ("월급을 주는 회사는 직원에게 임금명세서를 주어야 합니다(근로기준법 제48조).", [Force.MUST], False),
        ("공개된 장소의 CCTV는 동의 없이 설치할 수 있고 안내판을 달아야 합니다.", [Force.MAY, Force.MUST], False),
        ("상시 4명 이하 사업장에는 연차 규정이 적용되지 않습니다(근로기준법 시행령 제7조).", [Force.APPLIES_NOT], True),
        ("임금명세서를 주지 않으면 과태료가 부과될 수 있습니다.", [Force.SANCTION], False),
        ("한번 한 의사표시는 철회할 수 없습니다(민법 제543조).", [Force.CANNOT], False),
        ("상시 10명 이상의 회사는 취업규칙을 신고해야 합니다.", [Force.MUST], True),
        ("소매업은 임금명세서를 신고하지 않아도 됩니다.", [Force.NEED_NOT], False),
        ("퇴직금은 근로자가 퇴직할 때 받는 돈입니다.", [None], False),
    ],
)
def test_clauses_have_the_force_of_their_endings(
    sentence: str, forces: list[Force | None], is_bounded: bool, tokenizer: KiwiTokenizer
) -> None:
    unit = AnswerUnit("이름", Aspect.CONTENT, (), (UnitSentence(Role.CONCLUSION, sentence),))
    conclusion = read_conclusion(unit, tokenizer.morphemes)
    assert [clause.force for clause in conclusion.clauses] == forces
    assert conclusion.is_bounded is is_bounded
