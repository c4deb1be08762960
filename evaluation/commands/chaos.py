"""``python -m evaluation chaos``: what clients see while the servers around the service are broken, one after the other."""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from evaluation.bench.machine import machine
from evaluation.chaos.load import SteadyLoad
from evaluation.chaos.rig import RigOptions, running_rig
from evaluation.chaos.trial import Outcome, trials
from evaluation.questions import load_questions
from utils.config.settings import PROJECT_ROOT
from vectorstores.build.staging import Source
from vectorstores.cli import starter_source
from vectorstores.loaders.registry import loader_for

_DATASETS = PROJECT_ROOT / "evaluation" / "datasets"
_HEAD = ("dependency", "break", "answers", "5xx or none", "unmarked", "worst s", "recovered after s")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.description = (
        "Start the service with a Chroma server and a Redis of its own, with stubs of an embedding, a rerank and a model server, and with "
        "databases of its own in MySQL/MariaDB and PostgreSQL; ask steadily; break each in turn, and print what the clients saw. Status 1 if anybody was not answered, an "
        "answer did not name what was missing, or something was not used again."
    )
    add = parser.add_argument
    add("--clients", type=int, default=4, help="clients that ask one question after the other (default: 4)")
    add("--seconds", type=float, default=15.0, help="seconds that each break lasts (default: 15)")
    add("--mysql", default="mysql+pymysql://root@127.0.0.1:3306/", help="server of the domain tables; empty: left out")
    add(
        "--postgresql",
        default="postgresql+psycopg://postgres@127.0.0.1:5432/postgres",
        help="server of the conversations; empty: left out",
    )
    add("--documents", type=Path, help="file to build the index from (default: the starter knowledge base)")
    add("--out", type=Path, help="Markdown file to write the table to")


def run(arguments: argparse.Namespace) -> int:
    """Break everything, print the table."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that what was started is ended, too
    sources = [_source(arguments.documents)] if arguments.documents else [starter_source()]
    options = RigOptions(arguments.mysql or None, arguments.postgresql or None, sources)
    texts = [
        question.question for file in sorted(_DATASETS.glob("starter_*.jsonl")) for question in load_questions(file)
    ]
    outcomes: list[Outcome] = []
    with (
        tempfile.TemporaryDirectory(prefix="bizi-chaos-") as folder,
        running_rig(Path(folder), options) as rig,
        SteadyLoad(*rig.service.address, texts, arguments.clients) as load,
    ):
        for reason in rig.left_out:
            print(f"left out: {reason}", file=sys.stderr)
        for outcome in trials(load, rig.dependencies, arguments.seconds):
            outcomes.append(outcome)
            print(" | ".join(_cells(outcome)), flush=True)
    told = table(outcomes)
    print(f"\n{told}\n{arguments.clients} clients, {arguments.seconds:g} s each, machine: {machine()}")
    if arguments.out:
        arguments.out.write_text(told, encoding="utf-8")
    return int(not all(outcome.is_well for outcome in outcomes))


def table(outcomes: Sequence[Outcome]) -> str:
    """The outcomes as a table in Markdown."""
    rows = [_HEAD, ("---",) * len(_HEAD), *map(_cells, outcomes)]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in rows)


def _cells(outcome: Outcome) -> tuple[str, ...]:
    recovery = "never" if outcome.recovery is None else f"{outcome.recovery:.1f}"
    counts = (outcome.answers, outcome.errors, outcome.unmarked)
    return outcome.dependency, outcome.how, *map(str, counts), f"{outcome.worst:.2f}", recovery


def _source(path: Path) -> Source:
    return Source(path, loader_for(path), str(path), None)
