"""``python -m evaluation fairness``: what one hostile client does to the others."""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path
from statistics import median

from utils.config.settings import PROJECT_ROOT, load_settings

_DATASETS = PROJECT_ROOT / "evaluation" / "datasets"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Start the service again and again and let clients ask different questions, every second time with a hostile one "
        "among them: 20 at once of the dearest questions there are, slow bodies, heads without an end, wrong keys. Print the "
        "honest clients' times, and compare the medians. No service may use the data directory meanwhile."
    )
    add = parser.add_argument
    add("--data-dir", type=Path, help="data directory to serve (default: DATA_DIR)")
    add("--clients", type=int, default=100, help="honest clients (default: 100)")
    add("--seconds", type=float, default=60.0, help="seconds of each load (default: 60)")
    # where a service has all it can do, each per cent more makes everybody wait several times as long, whoever it is from
    add("--pace", type=float, default=16.0, help="seconds between two questions of one client (default: 16)")
    add("--pairs", type=int, default=3, help="loads without and with the hostile client (default: 3 of each)")
    add("--most", type=float, default=1.5, help="status 1 if the p95 grows by more than this factor (default: 1.5)")


def run(arguments: argparse.Namespace) -> int:
    """Measure, print both; status 1 if the honest clients had to wait for the hostile one."""
    from evaluation.bench.fairness import FairnessOptions, measure
    from evaluation.bench.machine import machine
    from evaluation.questions import load_questions

    data_dir = (arguments.data_dir or load_settings().data_dir).resolve()
    texts = [
        question.question for file in sorted(_DATASETS.glob("starter_*.jsonl")) for question in load_questions(file)
    ]
    options = FairnessOptions(arguments.clients, arguments.seconds, arguments.pace)
    p95: dict[bool, list[float]] = {False: [], True: []}
    for hostile in (False, True) * arguments.pairs:
        seen = measure(data_dir, texts, options, hostile=hostile)
        p95[hostile].append(seen.percentile(95))
        print(
            f"{'with' if hostile else 'without'} a hostile client: {len(seen.seconds)} answers, {seen.refused} refused, "
            f"p50 {seen.percentile(50):.0f} ms, p95 {p95[hostile][-1]:.0f} ms, p99 {seen.percentile(99):.0f} ms, "
            f"slowest /health/live {seen.slowest_health:.0f} ms, service {seen.cores:.2f} cores, "
            f"machine {machine().get('load before', math.nan)} at work",
            flush=True,
        )
    without, with_hostile = median(p95[False]), median(p95[True])
    growth = with_hostile / without
    print(f"p95, medians of {arguments.pairs}: {without:.0f} ms without, {with_hostile:.0f} ms with, × {growth:.2f}")
    if growth > arguments.most:
        print(f"fairness: over × {arguments.most:g}", file=sys.stderr)
    return int(growth > arguments.most)
