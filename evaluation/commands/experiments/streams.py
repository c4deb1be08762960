"""``python -m evaluation streams``: many answers streamed at once by a slow model."""

from __future__ import annotations

import argparse
import asyncio
import itertools
import sys
import tempfile
from pathlib import Path

from utils.config.settings import PROJECT_ROOT, load_settings

_DATASETS = PROJECT_ROOT / "evaluation" / "datasets"
_MOST_MS = 50.0
_MOST_GROWTH = 1.05


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Start the service beside a stub of a model server that writes slowly; have clients ask different questions and read the answers "
        "as they come. Print how much of the time to the first word is the service's (all of it but the waiting for the model), and what "
        "the service holds meanwhile; status 1 if a stream failed, the median or p95 of that share is over 50 ms, or memory grows. No "
        "service may use the data directory meanwhile."
    )
    add = parser.add_argument
    add("--data-dir", type=Path, help="data directory to serve (default: DATA_DIR)")
    add("--port", type=int, default=9210, help="port of the stub (default: 9210)")
    add("--streams", type=int, default=200, help="streams at once (default: 200)")
    add("--rounds", type=int, default=4, help="questions of each client, one after the other (default: 4)")
    add("--tokens", type=int, default=400, help="tokens of an answer (default: 400)")
    add("--pace", type=float, default=20.0, help="tokens a second of each answer (default: 20)")


def run(arguments: argparse.Namespace) -> int:
    """Measure, print."""
    from evaluation.bench.machine import machine
    from evaluation.bench.model_stub import HOST
    from evaluation.bench.service import RunningService
    from evaluation.bench.soak import Holding, holding_of, table
    from evaluation.bench.streams import calls_of, model_stub, own_shares, percentiles, run_streams
    from evaluation.questions import load_questions

    data_dir = (arguments.data_dir or load_settings().data_dir).resolve()
    texts = [
        question.question for file in sorted(_DATASETS.glob("starter_*.jsonl")) for question in load_questions(file)
    ]
    asked = (f"{texts[number % len(texts)]} ({number}번)" for number in itertools.count())
    settings = {
        "LLM_PROVIDER": "openai",
        "OPENAI_API_KEY": "stub",
        "OPENAI_BASE_URL": f"http://{HOST}:{arguments.port}/v1",
        "MAX_CONCURRENT_REQUESTS": str(2 * arguments.streams),
    }
    holdings: list[Holding] = []
    load = machine().get("load before")
    with (
        tempfile.TemporaryDirectory(prefix="bizi-streams-") as folder,
        model_stub(arguments.port, arguments.tokens, arguments.pace),
        RunningService(data_dir, Path(folder) / "service.log", settings) as service,
    ):

        def look() -> None:
            if (pid := service.pid) is not None and (held := holding_of(pid, len(holdings) + 1)) is not None:
                holdings.append(held)

        before = service.processor_seconds() or 0.0
        length = arguments.tokens / arguments.pace
        seen = asyncio.run(
            run_streams(service.client, asked, arguments.streams, arguments.rounds, spread=length, look=look)
        )
        cores = ((service.processor_seconds() or 0.0) - before) / max(1, len(holdings))
        shares = own_shares(seen.streams, asyncio.run(calls_of(arguments.port)))
    failures = [stream.failure for stream in seen.streams if stream.failure]
    seconds = [stream.ended - stream.began for stream in seen.streams]
    first = [1000 * (stream.first_token - stream.began) for stream in seen.streams if stream.first_token]
    own, whole, lasted = percentiles(shares), percentiles(first), percentiles(seconds)
    print(table(holdings[:: max(1, len(holdings) // 20)]).replace("requests", "seconds", 1))
    print(
        f"{len(seen.streams)} streams, {seen.most_open} at once, {sum(stream.tokens for stream in seen.streams):,} token events; "
        f"failed: {failures or 'none'}\nour share of the first word: p50 {own[0]:.0f} ms, p95 {own[1]:.0f} ms "
        f"(first word in all: p50 {whole[0]:.0f} ms, p95 {whole[1]:.0f} ms; whole stream p50 {lasted[0]:.1f} s, p95 {lasted[1]:.1f} s, "
        f"{length:.1f} s of it the model's)\nservice {cores:.2f} cores; load of the machine before: {load}"
    )
    third = len(holdings) // 3  # the first third opens streams and fills caches
    middle, last = (
        min(held.private_mb for held in part) for part in (holdings[third : 2 * third], holdings[2 * third :])
    )
    wrong = [*failures[:1]]
    wrong += [f"memory: {middle:.0f} → {last:.0f} MB"] if last > middle * _MOST_GROWTH else []
    wrong += [f"p50 and p95 of our share: {own[0]:.0f}, {own[1]:.0f} ms"] if own[1] > _MOST_MS else []
    for sentence in wrong:
        print(f"streams: {sentence}", file=sys.stderr)
    return int(bool(wrong))
