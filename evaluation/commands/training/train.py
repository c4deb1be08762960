"""``python -m evaluation train``: learn everything that is learned, in its order (docs/learned.md)."""

from __future__ import annotations

import argparse
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from evaluation.training.order import Inputs, Step, index_of, training_steps
from utils.config.settings import PROJECT_ROOT, load_settings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--statutes", type=Path, required=True, help="statute archive (.tar.gz or folder of Markdown)")
    parser.add_argument("--decisions", type=Path, required=True, help="gzipped JSONL of issues, holding, cited")
    parser.add_argument("--routing-questions", type=Path, help="JSONL of id, question, domains to calibrate routing on")
    parser.add_argument("--exclude", type=Path, nargs="*", default=[], help="evaluation JSONL to learn nothing from")
    parser.add_argument("--data-dir", type=Path, help="the indexes come into its folder training (default: DATA_DIR)")
    parser.add_argument("--from", dest="first", help="begin with this step, on what the steps before it have made")
    parser.add_argument("--dry-run", action="store_true", help="print the commands and run none")


def run(arguments: argparse.Namespace) -> int:
    """Run the steps; the status is that of the first one that fails.

    Raises:
        ValueError: a step is unknown, its inputs are missing, or an index is there that another encoder may have made.
    """
    inputs = Inputs(
        statutes=arguments.statutes.resolve(),
        decisions=arguments.decisions.resolve(),
        folder=(arguments.data_dir or load_settings().data_dir).resolve() / "training",
        excluded=[path.resolve() for path in arguments.exclude],
        routing_questions=arguments.routing_questions and arguments.routing_questions.resolve(),
    )
    steps = training_steps(inputs)
    if arguments.dry_run:
        for step in steps:
            print(shlex.join(["python", "-m", *step.words]))
        return 0
    if arguments.first is None:
        _refuse_old_indexes((inputs.starter, inputs.whole))
    status = _run_all(_beginning_with(steps, arguments.first))
    if status == 0 and inputs.routing_questions is None:
        print("calibrate-routing: left out, no --routing-questions; routing keeps the weights it has")
    return status


def _refuse_old_indexes(data_dirs: Sequence[Path]) -> None:
    """An index does not tell one training of the encoder from the next."""
    old = [str(data_dir) for data_dir in data_dirs if index_of(data_dir).exists()]
    if old:
        raise ValueError(
            f"{', '.join(old)}: remove what an earlier training left, or go on from a step of it with --from"
        )


def _beginning_with(steps: Sequence[Step], first: str | None) -> Sequence[Step]:
    names = [step.name for step in steps]
    if first is None:
        return steps
    if first not in names:
        raise ValueError(f"--from {first}: the steps are {', '.join(names)}")
    return steps[names.index(first) :]


def _run_all(steps: Sequence[Step]) -> int:
    for step in steps:
        missing = step.missing()
        if missing:
            raise ValueError(f"{step.name}: {', '.join(map(str, missing))} is not there")
        print(f"{step.name}: {shlex.join(['python', '-m', *step.words])}", flush=True)
        status = subprocess.run([sys.executable, "-m", *step.words], cwd=PROJECT_ROOT, check=False).returncode  # noqa: S603
        if status != 0:
            print(f"{step.name}: failed; go on with --from {step.name}", file=sys.stderr)
            return status
    return 0
