"""``python -m evaluation train-units``: learn which answer unit answers, whether any does, and what aspects are asked for."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from math import log
from pathlib import Path
from statistics import mean

from evaluation.measures.answers import area_under_curve
from evaluation.training.documents import training_questions
from evaluation.training.linear import FOLDS, fold_of
from evaluation.training.units import (
    UnitExample,
    answer_row,
    best_of,
    collect_unit_examples,
    learn_unit_answers,
    learn_unit_order,
)
from utils.linear_models import LearnedWeights, LinearModel
from vectorstores.units.aspects import ASPECTS_FILE
from vectorstores.units.model import ANSWER_FEATURES, ORDER_FEATURES, UNIT_WEIGHTS


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data-dir", type=Path, required=True, help="data directory with the starter base")
    parser.add_argument("--out", type=Path, help="where to write the weights (default: data/units, by their ids)")
    parser.add_argument("--aspects-out", type=Path, default=ASPECTS_FILE, help="where to write the cues of aspects")
    parser.add_argument(
        "--answers-from",
        type=float,
        default=0.27,
        help="probability of an answer from which a unit is said (default: 0.27)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Learn from the choosing half of the answer questions and the starter questions; write weights and cues."""
    questions = training_questions()
    examples, aspects, learned_with = collect_unit_examples(arguments.data_dir, questions)
    order = learn_unit_order(examples)
    answer, bias = learn_unit_answers(examples, order)
    found = LearnedWeights(
        command=f"python -m evaluation {UNIT_WEIGHTS.command}",
        learned_with=learned_with,
        questions=len(questions),
        cross_validated=_cross_validated(examples, arguments.answers_from),
        models={
            "order": LinearModel.of(ORDER_FEATURES, order),
            "answer": LinearModel.of(ANSWER_FEATURES, answer, bias, arguments.answers_from),
        },
    )
    out = arguments.out or UNIT_WEIGHTS.learned_for(learned_with).path
    found.write(out)
    arguments.aspects_out.write_text(aspects.as_json(), encoding="utf-8")
    print(f"{found.cross_validated}, written to {out}")
    return 0


def _cross_validated(examples: Sequence[UnitExample], answers_from: float) -> dict[str, float]:
    """On questions not learned from: share whose best unit states a key fact, and is of a document that answers; how well
    the probability tells right units from others, and the shares said rightly and kept back rightly."""
    fold = fold_of(example.question for example in examples)
    states: list[bool] = []
    gold: list[bool] = []
    right: list[float] = []
    wrong: list[float] = []
    for number in range(FOLDS):
        learned_from = [example for example in examples if fold[example.question] != number]
        order = learn_unit_order(learned_from)
        weights, bias = learn_unit_answers(learned_from, order)
        for example in (example for example in examples if fold[example.question] == number):
            best = best_of(example, order)
            odds = float(answer_row(example, best, order) @ weights) + bias
            (right if example.gold[best] else wrong).append(odds)
            if example.gold.any():
                gold.append(bool(example.gold[best]))
            if example.states.any():
                states.append(bool(example.states[best]))
    limit = log(answers_from / (1 - answers_from))
    figures = {
        "states_first": mean(states),
        "gold_first": mean(gold),
        "auc": area_under_curve(right, wrong),
        "said_of_right": mean(odds >= limit for odds in right),
        "kept_back_of_wrong": mean(odds < limit for odds in wrong),
    }
    return {name: round(value, 4) for name, value in figures.items()}
