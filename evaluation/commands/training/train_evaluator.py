"""``python -m evaluation train-evaluator``: learn how the rule evaluator tells a document of another subject."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from evaluation.experiments.feature_ablation import held_out_probabilities
from evaluation.measures.answers import area_under_curve
from evaluation.training.documents import training_questions
from evaluation.training.fit_examples import collect_fit_examples
from evaluation.training.sentences import learn_answer_weights
from utils.grounding.subject_fit import FIT_FEATURES, SUBJECT_FIT
from utils.linear_models import LearnedWeights, LinearModel

# Shares of the right documents whose probability lies below the two marks of the scale.
_BELOW_MISFIT, _BELOW_FIT = 0.05, 0.4


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data-dir", type=Path, required=True, help="data directory with the starter base")
    parser.add_argument("--out", type=Path, help="where to write the weights (default: data/evaluation, by their ids)")


def run(arguments: argparse.Namespace) -> int:
    """Answer the training questions whatever the probability of an answer, with their documents and without; learn, write."""
    questions = training_questions()
    rows, learned_with = collect_fit_examples(arguments.data_dir, questions)
    features, right = np.array([one.features for one in rows]), np.array([one.right for one in rows])
    probabilities = held_out_probabilities(rows, features, right)
    weights, bias = learn_answer_weights(features, right)
    misfit, fit = np.quantile(probabilities[right], [_BELOW_MISFIT, _BELOW_FIT]).tolist()
    cross_validated = {"auc": round(area_under_curve(probabilities[right].tolist(), probabilities[~right].tolist()), 4)}
    out = arguments.out or SUBJECT_FIT.learned_for(learned_with).path
    LearnedWeights(
        command=f"python -m evaluation {SUBJECT_FIT.command}",
        learned_with=learned_with,
        questions=len(questions),
        cross_validated=cross_validated,
        models={"fit": LinearModel.of(FIT_FEATURES, weights, bias)},
        marks={"misfit": round(misfit, 4), "fit": round(fit, 4)},
    ).write(out)
    print(f"{cross_validated}, written to {out}")
    return 0
