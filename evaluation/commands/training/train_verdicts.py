"""``python -m evaluation train-verdicts``: learn the yes or no of a unit to a question."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from evaluation.training.linear import FOLDS, fold_of
from evaluation.training.units import OWNER_FILES
from evaluation.training.verdicts import OWNERS, VerdictExample, learn_verdicts, read_documents, verdict_examples
from utils.conclusions.verdict_model import VERDICT_WEIGHTS, VerdictModel
from utils.config.settings import PROJECT_ROOT
from utils.linear_models import LearnedWeights, LearnedWith
from vectorstores.embedders.factory import build_kiwi_embedder
from vectorstores.tokenizer import KiwiTokenizer

STARTER_BASE = PROJECT_ROOT / "data" / "knowledge"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--out", type=Path, default=VERDICT_WEIGHTS.path, help="where to write the weights")
    parser.add_argument(
        "--said-from",
        type=float,
        default=0.84,
        help="probability of yes, or of no, from which it is said (default: 0.84)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Learn from the judged phrasings of the starter base and from owners' questions; write the weights."""
    tokenizer = KiwiTokenizer()
    examples = verdict_examples(read_documents(STARTER_BASE), OWNER_FILES, tokenizer)
    found = LearnedWeights(
        command=f"python -m evaluation {VERDICT_WEIGHTS.command}",
        learned_with=LearnedWith(tokenizer=tokenizer.id, embedder=build_kiwi_embedder(tokenizer).id),
        questions=len(examples),
        cross_validated=_cross_validated(examples, arguments.said_from),
        models=learn_verdicts(examples, arguments.said_from),
    )
    found.write(arguments.out)
    print(f"{found.cross_validated}, written to {arguments.out}")
    return 0


def _cross_validated(examples: Sequence[VerdictExample], said_from: float) -> dict[str, float]:
    """Of questions not learned from, by source: the share to which yes or no is said, and the share of these that is right."""
    fold = fold_of(example.group for example in examples)
    outcomes: dict[str, list[bool | None]] = {}
    for number in range(FOLDS):
        judge = VerdictModel(**learn_verdicts([each for each in examples if fold[each.group] != number], said_from))
        for example in (each for each in examples if fold[each.group] == number):
            verdict = judge.of(example.features)
            outcomes.setdefault(example.source, []).append(None if verdict is None else verdict == example.verdict)
    figures = {}
    for source in ("base", OWNERS):
        told = [outcome for outcome in outcomes.get(source, []) if outcome is not None]
        figures[f"{source}_told"] = len(told) / max(len(outcomes.get(source, [])), 1)
        figures[f"{source}_right"] = sum(told) / max(len(told), 1)
    return {name: round(value, 4) for name, value in figures.items()}
