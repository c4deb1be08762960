"""Learning the judge, on examples where a single feature tells."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from evaluation.training.judge import JudgedAnswers, document_figures, figures_table, judges_of_folds, learn_judge
from evaluation.training.judge_examples import AnswerExample, AskExample, JudgeExamples
from evaluation.training.spoilt_answers import Form
from utils.grounding.answer_judge import ANSWER_JUDGE, ENOUGH, FEATURES, AskFinding, Treatment
from utils.grounding.rule_evaluator import AskedPart
from utils.linear_models import LearnedWith

LEARNED_WITH = LearnedWith(tokenizer="t", embedder="e")


def finding(treatment: Treatment, number: int, *, right: bool) -> AskFinding:
    """Noise, but for the first feature."""
    noise = np.random.default_rng(number).random(len(FEATURES[treatment]))
    return AskFinding(treatment, (4.0 * right - 2.0 + float(noise[0]), *noise[1:].tolist()))


def answer(number: int, form: Form, *, right: bool, treatment: Treatment = Treatment.UNITS) -> AnswerExample:
    found = finding(treatment, number, right=right)
    ask = AskExample(f"q{number % 60}", form, found, right)
    parts = (AskedPart("무엇인가요?", (found,)),)
    return AnswerExample(ask.question, "f", form, "", right, True, True, parts, (ask,))


@pytest.fixture(scope="module")
def examples() -> JudgeExamples:
    answers = [answer(number, Form.INTACT, right=number % 4 > 0) for number in range(120)]
    answers += [answer(number, Form.NEIGHBOUR, right=False) for number in range(120, 180)]
    answers += [
        answer(number, Form.INTACT, right=number % 2 > 0, treatment=Treatment.SILENCE) for number in range(180, 240)
    ]
    quoted = [
        AskExample(f"q{number % 60}", None, finding(Treatment.TEXT, number, right=number % 2 > 0), number % 2 > 0)
        for number in range(240, 300)
    ]
    return JudgeExamples(answers, quoted, LEARNED_WITH)


def test_what_tells_is_learned_and_few_right_answers_fail(examples: JudgeExamples) -> None:
    judge = learn_judge(examples.answers, examples.of_documents)
    for treatment in Treatment:
        weights = judge.models[treatment].weights
        assert max(weights, key=lambda name: abs(weights[name])) == FEATURES[treatment][0]
    figures = JudgedAnswers.of(examples.answers, lambda _: judge).figures()
    assert figures["auc"] == 1.0
    assert figures["failed intact"] < 0.08
    assert figures["failed neighbouring unit"] == figures["failed wrong"] == 1.0
    assert figures["of neighbouring unit"] == 60


def test_a_question_is_judged_without_having_been_learned_from(examples: JudgeExamples) -> None:
    """The answers to one question are labelled the wrong way round: its own judge does not know."""
    turned = [replace(each, right=not each.right) if each.question == "q7" else each for each in examples.answers]
    judge_of = judges_of_folds(JudgeExamples(turned, examples.of_documents, LEARNED_WITH))
    grades = JudgedAnswers.of(turned, judge_of)
    own = [
        (grade >= ENOUGH, each.right)
        for grade, each in zip(grades.grades, grades.answers, strict=True)
        if each.question == "q7" and each.form is Form.INTACT
    ]
    assert own
    assert all(said is not right for said, right in own)


def test_nothing_found_is_no_answer_and_a_settled_part_is_one(examples: JudgeExamples) -> None:
    judge = learn_judge(examples.answers, examples.of_documents)
    given = answer(1, Form.INTACT, right=True)
    nothing, settled = (
        replace(given, parts=(AskedPart("무엇인가요?", (), is_settled),)) for is_settled in (False, True)
    )
    assert JudgedAnswers.of([nothing, settled], lambda _: judge).grades == (0.0, 1.0)


def test_the_table_names_each_kind_with_its_number(examples: JudgeExamples) -> None:
    judge_of = judges_of_folds(examples)
    table = figures_table(
        JudgedAnswers.of(examples.answers, judge_of).figures() | document_figures(examples.of_documents, judge_of)
    )
    assert "failed neighbouring unit      100.0% of 60" in table
    assert "auc by documents" in table


def test_the_shipped_weights_find_what_is_spoilt_on_questions_not_learned_from() -> None:
    figures = json.loads(ANSWER_JUDGE.path.read_text(encoding="utf-8"))["cross_validated"]
    assert figures["of spoilt"] >= 400
    assert figures["failed spoilt"] >= 0.9
    assert figures["failed intact"] <= 0.05
    assert figures["auc acceptance"] >= 0.6, "the answer questions have labels of a smaller base"
