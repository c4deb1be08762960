"""The judge that is shipped, over answers of questions that it was not learned from."""

from __future__ import annotations

import asyncio
from statistics import mean

import pytest

from evaluation.training.documents import ANSWER_FILE
from evaluation.training.graded_answers import graded_questions
from evaluation.training.judge import JudgedAnswers
from evaluation.training.judge_examples import AnswerExample, ExampleMaker
from evaluation.training.spoilt_answers import SPOILT, STILL_STATED, Form
from utils.grounding.answer_judge import ENOUGH, Treatment

QUESTIONS = 45


@pytest.fixture(scope="module")
def answers(example_maker: ExampleMaker) -> list[AnswerExample]:
    held_out = graded_questions(ANSWER_FILE, held_out=True)[:QUESTIONS]
    return asyncio.run(example_maker.answers({ANSWER_FILE.stem: held_out}))


def test_only_wrong_answers_made_of_right_ones_are_spoilt(answers: list[AnswerExample]) -> None:
    spoilt = [each for each in answers if each.is_spoilt]
    assert {each.form for each in spoilt} <= set(SPOILT)
    assert all(each.was_right and (each.form in STILL_STATED or each.right is False) for each in spoilt)
    assert len({each.form for each in spoilt}) >= 5


def test_every_intact_answer_has_its_parts_and_silence_is_wrong_where_units_answer(
    answers: list[AnswerExample],
) -> None:
    right = [each for each in answers if each.form is Form.INTACT and each.right]
    assert all(each.parts for each in right)
    silences = [ask for each in right for ask in each.asks if ask.finding.treatment is Treatment.SILENCE]
    assert {ask.right for ask in silences if ask.form is Form.DROPPED} == {False}


def test_most_of_what_was_spoilt_fails_and_what_is_right_does_not(
    answers: list[AnswerExample], example_maker: ExampleMaker
) -> None:
    judge = example_maker.engine.learned.judge
    judged = JudgedAnswers.of(answers, lambda _: judge)
    spoilt = judged.where(lambda each: each.is_spoilt)
    intact = judged.where(lambda each: each.form is Form.INTACT and each.right is True)
    assert len(spoilt) > 50
    assert mean(grade < ENOUGH for grade in spoilt) > 0.8
    assert mean(grade < ENOUGH for grade in intact) < 0.1
