"""``python -m evaluation ablation-answers`` and ``ablation-routing``: what each feature of a linear model gains."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from evaluation.commands.routing import read_training_sets
from evaluation.experiments.feature_ablation import (
    FeatureAblation,
    judge_ablation,
    routing_ablation,
    sentence_ablation,
)
from evaluation.measures.routing import load_examples
from evaluation.questions import load_questions
from evaluation.training.answer_examples import collect_answer_examples
from evaluation.training.documents import ANSWER_FILE, training_questions
from evaluation.training.graded_answers import JUDGED_FILES, graded_questions
from evaluation.training.judge_examples import collect_judge_examples
from utils.grounding.answer_judge import Treatment


def add_answers_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data-dir", type=Path, required=True, help="data directory with the starter base")
    _add_together(parser)


def add_routing_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dataset", type=Path, required=True, help="JSONL: id, question, domains")
    _add_together(parser)


def run_answers(arguments: argparse.Namespace) -> int:
    """Print the tables of the sentence model, over all answer and starter questions, and of the judge of answers."""
    questions = training_questions() + [question for question in load_questions(ANSWER_FILE) if question.is_held_out]
    examples, _, _ = collect_answer_examples([arguments.data_dir], questions)
    files = {path.stem: graded_questions(path) for path in JUDGED_FILES}
    rows = collect_judge_examples(arguments.data_dir, files).asks
    together = _together(arguments.together)
    _print(sentence_ablation(examples, together), len(questions))
    for treatment in Treatment:
        own = [row for row in rows if row.finding.treatment is treatment]
        _print(judge_ablation(treatment, own, together), len({row.question for row in own}))
    return 0


def run_routing(arguments: argparse.Namespace) -> int:
    """Print the table of routing over a labelled dataset."""
    examples = [example for example in load_examples(arguments.dataset) if example.domains is not None]
    data, own = read_training_sets(examples)
    _print(routing_ablation(data, own, examples, _together(arguments.together)), len(examples))
    return 0


def _add_together(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--together", action="append", default=[], help="features to leave out together, with commas (may be repeated)"
    )


def _together(given: Sequence[str]) -> list[tuple[str, ...]]:
    return [tuple(names.split(",")) for names in given]


def _print(ablation: FeatureAblation, questions: int) -> None:
    print(ablation.markdown())
    print(
        f"{questions} questions, five folds by question; paired: questions that get better and worse without the feature\n"
    )
