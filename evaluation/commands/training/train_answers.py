"""``python -m evaluation train-answers``: learn which sentence answers, and whether any does."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from statistics import mean

import numpy as np

from chains.extractive.sentence_features import (
    ANSWER_FEATURES,
    SENTENCE_FEATURES,
)
from chains.extractive.sentence_model import ANSWER_WEIGHTS
from evaluation.measures.answers import area_under_curve
from evaluation.training.answer_examples import collect_answer_examples
from evaluation.training.documents import training_questions
from evaluation.training.linear import FOLDS, Flags, Floats, fold_of
from evaluation.training.sentences import (
    AnswerExample,
    best_features,
    learn_answer_weights,
    learn_sentence_weights,
)
from utils.korean.word_rarity import RARITY_FILE
from utils.linear_models import LearnedWeights, LinearModel


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--data-dir",
        type=Path,
        nargs="+",
        required=True,
        help="data directories: with the starter base, and with the statutes beside it",
    )
    parser.add_argument("--out", type=Path, help="where to write the weights (default: data/extractive, by their ids)")
    parser.add_argument("--rarity-out", type=Path, default=RARITY_FILE, help="where to write how rare words are")
    parser.add_argument(
        "--answered-from",
        type=float,
        default=0.4,
        help="probability of an answer from which it is given (default: 0.4)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Learn from the choosing half of the answer questions and the starter questions; write the weights."""
    questions = training_questions()
    examples, rarity, learned_with = collect_answer_examples(arguments.data_dir, questions)
    weights = learn_sentence_weights(examples)
    learned, bias = learn_answer_weights(*_outcomes(examples, weights))
    found = LearnedWeights(
        command=f"python -m evaluation {ANSWER_WEIGHTS.command}",
        learned_with=learned_with,
        questions=len(questions),
        cross_validated=_cross_validated(examples),
        models={
            "sentence": LinearModel.of(SENTENCE_FEATURES, weights),
            "answer": LinearModel.of(ANSWER_FEATURES, learned, bias, arguments.answered_from),
        },
    )
    out = arguments.out or ANSWER_WEIGHTS.learned_for(learned_with).path
    found.write(out)
    if ANSWER_WEIGHTS.learned_for(learned_with) is ANSWER_WEIGHTS:
        arguments.rarity_out.write_text(rarity.as_json() + "\n", encoding="utf-8")
    print(f"{found.cross_validated}, written to {out}")
    return 0


def _outcomes(examples: Sequence[AnswerExample], weights: Floats) -> tuple[Floats, Flags]:
    rows = np.array([best_features(example, weights) for example in examples])
    return rows, np.array([bool(example.gold.any()) for example in examples])


def _cross_validated(examples: Sequence[AnswerExample]) -> dict[str, float]:
    """On questions that were not learned from: share whose best sentence is of a document that answers, and states a key
    fact; and how well the probability of an answer tells those with one from those without (area under the curve)."""
    fold = fold_of(example.question for example in examples)
    gold: list[bool] = []
    states: list[bool] = []
    right: list[float] = []
    wrong: list[float] = []
    for number in range(FOLDS):
        learned_from = [example for example in examples if fold[example.question] != number]
        weights = learn_sentence_weights(learned_from)
        answer, bias = learn_answer_weights(*_outcomes(learned_from, weights))
        for example in (example for example in examples if fold[example.question] == number):
            odds = float(best_features(example, weights) @ answer) + bias
            (right if example.gold.any() else wrong).append(odds)
            best = int(np.argmax(example.features @ weights))
            if example.gold.any():
                gold.append(bool(example.gold[best]))
            if example.states.any():
                states.append(bool(example.states[best]))
    figures = {"gold_first": mean(gold), "states_first": mean(states), "auc": area_under_curve(right, wrong)}
    return {name: round(value, 4) for name, value in figures.items()}
