"""Learning the judge of answers (`utils.grounding.answer_judge`), and measuring it on answers not learned from.

Three logistic regressions, both outcomes weighing the same. An intact answer weighs most: it is what the judge will see. Right answers
from other units than the best keep the lead of the best one from deciding alone.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import mean

import numpy as np

from evaluation.measures.answers import area_under_curve
from evaluation.training.judge_examples import AnswerExample, AskExample, JudgeExamples
from evaluation.training.linear import FOLDS, fold_of, logistic_regression
from evaluation.training.spoilt_answers import SPOILT, Form
from utils.grounding.answer_judge import ENOUGH, FEATURES, AnswerJudge, AskFinding, Treatment
from utils.linear_models import LinearModel

_WEIGHTS = {Form.INTACT: 4.0, Form.LATE: 0.25}
"""Weights of answers beside others: a late answer can be made of every one."""
_L2 = 0.003
_FAILED = 0.03
"""The share of right answers that a model fails where it is learned; a little more fail among others."""

JudgedFor = Callable[[str], AnswerJudge]
"""The judge for the answers to a question, by its id."""


def learn_judge(answers: Sequence[AnswerExample], of_documents: Sequence[AskExample]) -> AnswerJudge:
    """Fit the three models; ``of_documents`` are answers from documents without units."""
    asks = [*of_documents, *(ask for answer in answers for ask in answer.asks)]
    models = {each: _learn(each, [ask for ask in asks if ask.finding.treatment is each]) for each in Treatment}
    judge = AnswerJudge(models)
    quoted = [(ask.finding,) for ask in of_documents if ask.right]
    own = [
        tuple(finding for part in answer.parts if not part.is_settled for finding in part.findings)
        for answer in answers
        if answer.form is Form.INTACT and answer.right
    ]
    return AnswerJudge({each: _with_limit(each, judge, [*quoted, *own]) for each in Treatment})


def _with_limit(treatment: Treatment, judge: AnswerJudge, right: Sequence[tuple[AskFinding, ...]]) -> LinearModel:
    """The model that says yes to all but a few right answers: of several things asked the one answered worst counts."""
    probabilities = [[judge.probability(each) for each in found if each.treatment is treatment] for found in right]
    limit = float(np.quantile([min(found) for found in probabilities if found], _FAILED))
    return judge.models[treatment].model_copy(update={"threshold": round(limit, 4)})


def _learn(treatment: Treatment, examples: Sequence[AskExample]) -> LinearModel:
    rows = np.array([each.finding.values for each in examples], dtype=np.float64)
    right = np.array([each.right for each in examples])
    shares = np.array([1.0 if each.form is None else _WEIGHTS.get(each.form, 1.0) for each in examples])
    shares[right] *= 0.5 / shares[right].sum()
    shares[~right] *= 0.5 / shares[~right].sum()
    weights, bias = logistic_regression(rows, right, shares, _L2)
    return LinearModel.of(FEATURES[treatment], weights, bias)


def judges_of_folds(found: JudgeExamples) -> JudgedFor:
    """Judges that were learned without the question they are for."""
    fold = fold_of([*(each.question for each in found.answers), *(each.question for each in found.of_documents)])
    judges = [
        learn_judge(
            [each for each in found.answers if fold[each.question] != number],
            [each for each in found.of_documents if fold[each.question] != number],
        )
        for number in range(FOLDS)
    ]
    return lambda question: judges[fold[question]]


@dataclass(frozen=True, slots=True)
class JudgedAnswers:
    """Answers with the grade of the thing asked that each answers worst."""

    answers: tuple[AnswerExample, ...]
    grades: tuple[float, ...]

    @classmethod
    def of(cls, answers: Sequence[AnswerExample], judge_of: JudgedFor) -> JudgedAnswers:
        """Grade answers, each by the judge for its question."""
        return cls(tuple(answers), tuple(_least(each, judge_of(each.question)) for each in answers))

    def where(self, holds: Callable[[AnswerExample], bool]) -> list[float]:
        """The grades of the answers of which something holds."""
        return [grade for answer, grade in zip(self.answers, self.grades, strict=True) if holds(answer)]

    def figures(self) -> dict[str, float]:
        """``auc`` of right above wrong answers as given, of each file too; the shares that fail: of ``intact`` right ones, of ``wrong``
        ones as given, of all ``spoilt`` ones and each kind, and of right ones from ``another unit``."""
        files = dict.fromkeys(each.file for each in self.answers if each.has_facts)
        figures = {"auc": self._auc(files), **{f"auc {file}": self._auc([file]) for file in files}}
        shares = {
            "intact": self.where(lambda each: each.form is Form.INTACT and each.right is True),
            "wrong": self.where(lambda each: each.form is Form.INTACT and each.right is False),
            "spoilt": self.where(lambda each: each.is_spoilt),
            **{form.value: self.where(partial(_is_spoilt_so, form)) for form in SPOILT},
            "right from another unit": self.where(
                lambda each: each.form is Form.OTHER_UNIT and each.has_facts and each.right is True
            ),
            "wrong from another unit": self.where(
                lambda each: each.form is Form.OTHER_UNIT and each.has_facts and each.right is False
            ),
        }
        for name, grades in shares.items():
            figures |= _failed(name, grades)
        return {name: round(value, 4) for name, value in figures.items()}

    def _auc(self, files: Collection[str]) -> float:
        own = [
            (grade, answer.right)
            for answer, grade in zip(self.answers, self.grades, strict=True)
            if answer.form is Form.INTACT and answer.has_facts and answer.file in files
        ]
        return area_under_curve(*([grade for grade, right in own if right is wanted] for wanted in (True, False)))


def document_figures(examples: Sequence[AskExample], judge_of: JudgedFor) -> dict[str, float]:
    """Return, of answers from documents without units: the area under the curve of right above wrong ones, and the shares that fail
    of right ones, of wrong ones, and of answers to something else."""
    grades = [judge_of(each.question).grade(each.finding) for each in examples]
    kinds = {
        "right by documents": [grade for grade, each in zip(grades, examples, strict=True) if each.right],
        "wrong by documents": [
            grade for grade, each in zip(grades, examples, strict=True) if not each.right and each.form is None
        ],
        "something else by documents": [
            grade for grade, each in zip(grades, examples, strict=True) if each.form is not None
        ],
    }
    right, wrong, _ = kinds.values()
    figures = {"auc by documents": area_under_curve(right, wrong)}
    for name, found in kinds.items():
        figures |= _failed(name, found)
    return {name: round(value, 4) for name, value in figures.items()}


def figures_table(figures: Mapping[str, float]) -> str:
    """Areas under the curve, then of each kind of answer the share that fails and how many there are."""
    lines = [f"{name:<28}{value:>8.3f}" for name, value in figures.items() if name.startswith("auc")]
    for name, value in figures.items():
        kind = name.removeprefix("failed ")
        if kind != name:
            lines.append(f"{name:<28}{value:>8.1%} of {figures[f'of {kind}']:.0f}")
    return "\n".join(lines)


def _is_spoilt_so(form: Form, answer: AnswerExample) -> bool:
    return answer.is_spoilt and answer.form is form


def _failed(name: str, grades: Sequence[float]) -> dict[str, float]:
    return {f"failed {name}": mean(grade < ENOUGH for grade in grades), f"of {name}": len(grades)} if grades else {}


def _least(answer: AnswerExample, judge: AnswerJudge) -> float:
    """The grade of the thing asked that is answered worst; what nothing is found of is not answered."""
    grades = [
        1.0 if part.is_settled else max((judge.grade(finding) for finding in part.findings), default=0.0)
        for part in answer.parts
    ]
    return min(grades, default=1.0)
