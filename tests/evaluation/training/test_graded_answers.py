"""An answer is graded by what its file knows of a right one."""

from __future__ import annotations

import re

import pytest

from evaluation.measures.owner_questions import Ask, AskKind, OwnerQuestion
from evaluation.questions import EvaluationQuestion
from evaluation.training.documents import ANSWER_FILE, DATASETS
from evaluation.training.graded_answers import grade, graded_questions, grades_of_asks
from tests.support.hits import make_hit
from utils.prompts.messages import NOT_FOUND, not_found

DOCUMENTS = (make_hit("퇴직금은 14일 이내에 줍니다."), make_hit("연차는 15일입니다."))
FIRST = DOCUMENTS[0].chunk.doc_id


def question(**fields: object) -> EvaluationQuestion:
    return EvaluationQuestion.model_validate({"id": "q", "question": "퇴직금은 며칠 안에 줘요?", **fields})


@pytest.mark.parametrize(
    ("fields", "content", "expected"),
    [
        ({"gold": [FIRST], "key_facts": ["14일"]}, "퇴직금은 14일 이내에 줍니다. [1]", True),
        ({"gold": [FIRST], "key_facts": ["14일"]}, "퇴직금은 곧 줍니다. [1]", False),
        ({"gold": ["X"], "key_facts": ["14일"]}, "퇴직금은 14일 이내에 줍니다. [1]", False),
        ({"gold": [FIRST]}, "퇴직금은 곧 줍니다. [1]", True),
        ({"gold": [FIRST]}, NOT_FOUND, False),
        ({"key_facts": ["14일", "지연이자"]}, "14일 이내에 주고 지연이자가 붙습니다. [1]", True),
        ({"key_facts": ["14일", "지연이자"]}, "14일 이내에 줍니다. [1]", None),
        ({"key_facts": ["14일", "지연이자"]}, NOT_FOUND, False),
        ({"answerable": False}, NOT_FOUND, True),
        ({"answerable": False}, "퇴직금은 곧 줍니다. [1]", False),
    ],
)
def test_grades(fields: dict[str, object], content: str, expected: bool | None) -> None:
    assert grade(question(**fields), content, DOCUMENTS) is expected


def owner_question(*, misleading: str = "세금") -> OwnerQuestion:
    asks = (
        Ask(ask="퇴직금 기한", kind=AskKind.OPEN, gold=(FIRST,), key_facts=(re.compile("14일"),)),
        Ask(ask="연차 일수", kind=AskKind.OPEN, gold=(), key_facts=()),
    )
    return OwnerQuestion(id="o", question="퇴직금 며칠, 연차 며칠?", asks=asks, misleading=(re.compile(misleading),))


def test_of_an_owner_s_question_everything_that_has_an_answer_counts() -> None:
    right = "퇴직금은 14일 이내에 줍니다. [1]"
    assert grade(owner_question(), right, DOCUMENTS) is True
    assert grade(owner_question(), f"{right} 세금도 냅니다. [1]", DOCUMENTS) is False, "it misleads"
    assert grade(owner_question(), "퇴직금은 곧 줍니다. [1]", DOCUMENTS) is False


def test_each_thing_asked_is_graded_where_the_file_asks_as_many() -> None:
    content = f"**퇴직금 기한**\n퇴직금은 14일 이내에 줍니다. [1]\n\n**연차 일수**\n{not_found('연차 일수')}"
    assert grades_of_asks(owner_question(), content, 2, True) == [True, True]
    assert grades_of_asks(owner_question(), content, 3, True) == [None] * 3
    assert grades_of_asks(question(gold=[FIRST]), content, 1, False) == [False]


def test_of_the_answer_questions_only_the_half_that_is_asked_for() -> None:
    choosing, held_out = graded_questions(ANSWER_FILE), graded_questions(ANSWER_FILE, held_out=True)
    assert len(choosing) + len(held_out) == 433
    assert not {each.id for each in choosing} & {each.id for each in held_out}
    assert all(isinstance(each, OwnerQuestion) for each in graded_questions(DATASETS / "owner_questions_dev.jsonl"))
