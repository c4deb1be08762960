"""``python -m evaluation train-evaluator``: learn how the rule evaluator tells an answer that does not answer."""

from __future__ import annotations

import argparse
from pathlib import Path

from evaluation.training.graded_answers import JUDGED_FILES, graded_questions
from evaluation.training.judge import JudgedAnswers, document_figures, figures_table, judges_of_folds, learn_judge
from evaluation.training.judge_examples import collect_judge_examples
from utils.grounding.answer_judge import ANSWER_JUDGE
from utils.linear_models import LearnedWeights


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data-dir", type=Path, required=True, help="data directory with the starter base")
    parser.add_argument("--out", type=Path, help="where to write the weights (default: data/evaluation, by their ids)")


def run(arguments: argparse.Namespace) -> int:
    """Answer what may be learned from, spoil the answers, learn from all of them; write the weights, print the figures."""
    files = {path.stem: graded_questions(path) for path in JUDGED_FILES}
    found = collect_judge_examples(arguments.data_dir, files)
    judge_of = judges_of_folds(found)
    figures = JudgedAnswers.of(found.answers, judge_of).figures() | document_figures(found.of_documents, judge_of)
    judge = learn_judge(found.answers, found.of_documents)
    out = arguments.out or ANSWER_JUDGE.learned_for(found.learned_with).path
    LearnedWeights(
        command=f"python -m evaluation {ANSWER_JUDGE.command}",
        learned_with=found.learned_with,
        questions=sum(map(len, files.values())),
        cross_validated=figures,
        models={treatment.value: model for treatment, model in judge.models.items()},
    ).write(out)
    print(f"{figures_table(figures)}\nwritten to {out}")
    return 0
