"""``python -m evaluation bench`` (`make bench`)."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path

from utils.config.settings import Settings, SettingsError, load_settings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Measure the starter index and, where there are statutes, a sample of them and the whole index of the data "
        "directory; print a table with the aims. Indexes that are built for it go to DATA_DIR/bench. No service may "
        "use the data directory meanwhile."
    )
    add = parser.add_argument
    add("--data-dir", type=Path, help="data directory whose index of all statutes is measured (default: DATA_DIR)")
    add("--statutes", type=Path, help="statute archive or tree: a sample of it is indexed and measured too")
    add("--sample-articles", type=_positive, default=20_000, metavar="N", help="size of the sample (default: 20,000)")
    add("--dataset", type=Path, help="JSONL of id, question, gold for the statutes (default: the starter questions)")
    add("--questions", type=_positive, metavar="N", help="questions put to each index (default: all)")
    add("--peer-questions", type=_count, default=100, metavar="N", help="… and to LangChain; 0: none (default: 100)")
    add("--peer-articles", type=_count, metavar="N", help="leave LangChain out of indexes with more chunks than this")
    add("--seconds", type=_seconds, default=10.0, help="seconds of each load on the service (default: 10)")
    add("--out", type=Path, help="JSON to write the figures to")


def run(arguments: argparse.Namespace) -> int:
    """Measure, print the table; status 1 after a failure, with what was measured before it."""
    # as main.py does, and before numpy is imported: searches here are to cost what they cost in the service
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from evaluation.bench.machine import machine
    from evaluation.bench.report import BenchReport
    from evaluation.bench.subject import BenchOptions
    from evaluation.bench.suite import run_bench
    from vectorstores.commands.progress_bar import TqdmProgress
    from vectorstores.errors import KnowledgeIndexError

    options = BenchOptions(
        statutes=arguments.statutes,
        sample_articles=arguments.sample_articles,
        dataset=arguments.dataset,
        questions=arguments.questions,
        peer_questions=arguments.peer_questions,
        peer_chunks=arguments.peer_articles,
        seconds=arguments.seconds,
    )
    report = BenchReport(machine())
    progress = TqdmProgress()
    failure: Exception | None = None
    try:
        run_bench(_settings(arguments.data_dir), options, report, progress)
    except (SettingsError, KnowledgeIndexError, OSError, ValueError) as error:
        failure = error
    finally:
        progress.close()
    if report.measured:
        print(report.table())
    if report.measured and arguments.out:
        arguments.out.write_text(json.dumps(report.as_json(), ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    if failure is not None:
        print(f"bench: {failure}", file=sys.stderr)
    return 0 if failure is None else 1


def _settings(data_dir: Path | None) -> Settings:
    settings = load_settings()
    return settings.model_copy(update={"data_dir": data_dir.resolve()}) if data_dir else settings


def _count(text: str) -> int:
    number = int(text)
    if number < 0:
        raise argparse.ArgumentTypeError("must not be negative")
    return number


def _positive(text: str) -> int:
    number = _count(text)
    if number == 0:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


def _seconds(text: str) -> float:
    number = float(text)
    if not 0 < number <= 600:
        raise argparse.ArgumentTypeError("must be above 0 and at most 600")
    return number
