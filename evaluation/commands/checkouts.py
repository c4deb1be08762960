"""``python -m evaluation checkouts``: an older checkout beside this one, on the same questions, by turns."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import Any

from evaluation.bench.load import Load
from evaluation.bench.service import RunningService
from evaluation.questions import load_questions
from utils.config.settings import PROJECT_ROOT

_CHAT = "/api/chat"
_BLOCK = 20  # questions before the other checkout has its turn: drift of the machine meets both


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Start the service of another checkout and of this one, each with the index that its own code built, and ask both the same "
        "questions by turns: first one by one (times, answers that differ), then over several connections (requests a second). No "
        "answer is cached."
    )
    add = parser.add_argument
    add("--other", type=Path, required=True, help="folder of the other checkout")
    add("--other-data-dir", type=Path, required=True, help="data directory that the other checkout built")
    add("--data-dir", type=Path, required=True, help="data directory that this checkout built")
    add("--dataset", type=Path, required=True, help="questions (JSONL)")
    add("--connections", type=int, default=4, help="questions at once for the rate (default: 4)")
    add("--rounds", type=int, default=2, help="how often the rate is measured (default: 2)")
    add("--differences", type=Path, help="file for the answers that differ (JSONL)")


def run(arguments: argparse.Namespace) -> int:
    """Measure and print; status 0."""
    questions = [(question.id, question.question) for question in load_questions(arguments.dataset)]
    folders = {"other": (arguments.other, arguments.other_data_dir), "this": (PROJECT_ROOT, arguments.data_dir)}
    with ExitStack() as stack:
        logs = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        services = {
            name: stack.enter_context(RunningService(data_dir, logs / f"{name}.log", None, checkout.resolve()))
            for name, (checkout, data_dir) in folders.items()
        }
        answers, times = asyncio.run(_one_by_one(services, questions))
        rates = asyncio.run(_rates(services, questions, arguments.connections, arguments.rounds))
    for name in services:
        p50, p95 = Load(tuple(times[name]), 1.0).percentiles.values()
        print(f"{name}: p50 {p50:.1f} ms, p95 {p95:.1f} ms, {median(rates[name]):.1f} requests/s {rates[name]}")
    pairs = [new / old for old, new in zip(times["other"], times["this"], strict=True)]
    print(f"this / other: median of the pairs x{median(pairs):.2f}, requests/s x{_ratio(rates):.2f}")
    differing = [key for key, _ in questions if answers["other"][key]["content"] != answers["this"][key]["content"]]
    print(f"answers that differ: {len(differing)} of {len(questions)}", *differing)
    if arguments.differences:
        lines = [
            json.dumps({"id": key, **{name: answers[name][key]["content"] for name in services}}, ensure_ascii=False)
            for key in differing
        ]
        arguments.differences.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return 0


def _ratio(rates: dict[str, list[float]]) -> float:
    return median(rates["this"]) / median(rates["other"])


async def _one_by_one(
    services: dict[str, RunningService], questions: Sequence[tuple[str, str]]
) -> tuple[dict[str, dict[str, Any]], dict[str, list[float]]]:
    """Return the answers by question and the milliseconds of each, by service."""
    answers: dict[str, dict[str, Any]] = {name: {} for name in services}
    times: dict[str, list[float]] = {name: [] for name in services}
    for name, service in services.items():  # the first question pays for what is made when it is first needed
        await service.client.fetch(service.client.post(_CHAT, {"message": questions[0][1]}))
        print(f"{name}: ready in {service.seconds_to_ready:.1f} s", file=sys.stderr)
    for key, text in questions:
        for name, service in services.items():
            request = service.client.post(_CHAT, {"message": text})
            load = await service.client.run([request])
            times[name] += load.times_ms
            answers[name][key] = json.loads(await service.client.fetch(request))
    return answers, times


async def _rates(
    services: dict[str, RunningService], questions: Sequence[tuple[str, str]], connections: int, rounds: int
) -> dict[str, list[float]]:
    """Return requests a second of each round, by service; the services take turns block by block."""
    rates: dict[str, list[float]] = {name: [] for name in services}
    for _ in range(rounds):
        seconds = dict.fromkeys(services, 0.0)
        for start in range(0, len(questions), _BLOCK):
            for name, service in services.items():
                block = [service.client.post(_CHAT, {"message": text}) for _, text in questions[start : start + _BLOCK]]
                seconds[name] += (await service.client.run(block, connections)).seconds
        for name in services:
            rates[name].append(round(len(questions) / seconds[name], 1))
    return rates
