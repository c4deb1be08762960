"""Questions spoilt by rule."""

from __future__ import annotations

import pytest

from evaluation.measures.perturbation import PERTURBATIONS, perturbed
from utils.korean.hangul import keys_of

QUESTION = "직원을 내보내려면 어떤 절차를 밟아야 하고 밀린 월급과 퇴직금은 언제까지 줘야 하나요?"
MANY = [f"{number}번째 직원의 근로계약서를 언제까지 써야 하는지 알려 주세요" for number in range(200)]


@pytest.mark.parametrize("kind", PERTURBATIONS)
def test_the_same_question_is_spoilt_in_the_same_way(kind: str) -> None:
    assert perturbed(QUESTION, kind) == perturbed(QUESTION, kind) != QUESTION


def test_no_space_is_left() -> None:
    assert perturbed(QUESTION, "joined") == QUESTION.replace(" ", "")


def test_spaces_alone_are_misplaced() -> None:
    spoilt = [perturbed(question, "spacing") for question in MANY]
    assert [question.replace(" ", "") for question in spoilt] == [question.replace(" ", "") for question in MANY]
    assert any(" " in word for question in spoilt for word in question.partition("언제까지")[::2])
    assert sum(question != two for question, two in zip(spoilt, MANY, strict=True)) > 150


def test_about_every_eighth_word_has_one_error() -> None:
    pairs = [
        (typed, meant)
        for question in MANY
        for typed, meant in zip(perturbed(question, "typos").split(" "), question.split(" "), strict=True)
    ]
    wrong = [(typed, meant) for typed, meant in pairs if typed != meant]
    assert 0.09 < len(wrong) / len(pairs) < 0.17
    assert all(abs(len(keys_of(typed)) - len(keys_of(meant))) <= 2 for typed, meant in wrong)


def test_another_seed_spoils_otherwise() -> None:
    assert perturbed(QUESTION, "spacing", seed=1) != perturbed(QUESTION, "spacing", seed=2)
