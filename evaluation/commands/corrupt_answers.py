"""``python -m evaluation corrupt-answers``: the service's answers spoilt on purpose, and what the rule evaluator finds of it."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from evaluation.training.graded_answers import JUDGED_FILES, graded_questions
from evaluation.training.judge import JudgedAnswers, figures_table
from evaluation.training.judge_examples import collect_answers
from evaluation.training.spoilt_answers import Form


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data-dir", type=Path, required=True, help="data directory with the starter base")
    parser.add_argument(
        "--dataset",
        type=Path,
        nargs="+",
        default=list(JUDGED_FILES),
        help="question files (default: those that the evaluator is learned from)",
    )
    parser.add_argument("--held-out", action="store_true", help="of the answer questions the half to report on")
    parser.add_argument(
        "--out", type=Path, help="JSONL to write: every answer with its kind, its grade and its verdict"
    )


def run(arguments: argparse.Namespace) -> int:
    """Answer the questions, spoil the answers, judge all of them with the weights in effect; print the figures."""
    files = {path.stem: graded_questions(path, held_out=arguments.held_out) for path in arguments.dataset}
    answers, judge = collect_answers(arguments.data_dir, files)
    judged = JudgedAnswers.of(answers, lambda _: judge)
    print(figures_table(judged.figures()))
    if arguments.out:
        lines = [
            {
                "id": answer.question,
                "kind": answer.form.value,
                "spoilt": answer.is_spoilt,
                "right": answer.right,
                "grade": round(grade, 4),
                "content": answer.content,
            }
            for answer, grade in zip(judged.answers, judged.grades, strict=True)
            if answer.form is Form.INTACT or answer.is_spoilt
        ]
        text = "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines)
        arguments.out.write_text(text, encoding="utf-8")
    return 0
