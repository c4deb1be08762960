"""``python -m evaluation soak``: what the service holds while it answers for a long time."""

from __future__ import annotations

import argparse
import asyncio
import itertools
import re
import sys
import tempfile
from pathlib import Path

from utils.config.settings import PROJECT_ROOT, load_settings

_DATASETS = PROJECT_ROOT / "evaluation" / "datasets"
_TASKS = re.compile(r"^bizi_event_loop_tasks(?:\{.*\})? (\S+)$", re.MULTILINE)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Start the service and ask it the starter questions again and again, each time in another wording. Print memory, threads, descriptors, "
        "sockets and tasks of the process over the requests; status 1 if any of them keeps growing. No service may use the data directory meanwhile."
    )
    add = parser.add_argument
    add("--data-dir", type=Path, help="data directory to serve (default: DATA_DIR)")
    add("--requests", type=int, default=20_000, help="requests in all (default: 20,000)")
    add("--connections", type=int, default=8, help="connections at once (default: 8)")
    add("--looks", type=int, default=20, help="times to look at the process (default: 20; fewer than 8 cannot fail)")
    add("--plot", type=Path, help="SVG to draw them into")
    add("--cached", action="store_true", help="with the response cache on")


def run(arguments: argparse.Namespace) -> int:
    """Ask, print the table; status 1 if something grows, or the service fails."""
    from evaluation.bench.service import RunningService
    from evaluation.bench.soak import Holding, growths, holding_of, plot, soak, table
    from evaluation.questions import load_questions

    data_dir = (arguments.data_dir or load_settings().data_dir).resolve()
    texts = [
        question.question for file in sorted(_DATASETS.glob("starter_*.jsonl")) for question in load_questions(file)
    ]
    holdings: list[Holding] = []
    settings = {"ENABLE_RESPONSE_CACHE": str(arguments.cached).lower()}
    with tempfile.TemporaryDirectory(prefix="bizi-soak-") as folder:
        try:
            with RunningService(data_dir, Path(folder) / "service.log", settings) as service:

                async def look(requests: int) -> None:
                    told = (await service.client.fetch(service.client.get("/metrics"))).decode()
                    found = _TASKS.search(told)
                    tasks = int(float(found[1])) if found else 0
                    if (pid := service.pid) is not None and (held := holding_of(pid, requests, tasks)) is not None:
                        holdings.append(held)
                        print(f"{requests:,}: {held.private_mb:.0f} MB", file=sys.stderr, flush=True)

                asked = (
                    service.client.post("/api/chat", {"message": f"{texts[number % len(texts)]} ({number}번)"})
                    for number in itertools.count()
                )
                every = max(1, arguments.requests // arguments.looks)
                asyncio.run(soak(service.client, asked, arguments.requests, arguments.connections, look, every))
        except OSError as error:
            print(f"soak: {error}", file=sys.stderr)
            return 1
    print(table(holdings))
    if arguments.plot:
        arguments.plot.write_text(plot(holdings), encoding="utf-8")
    grown = growths(holdings)
    for sentence in grown:
        print(f"soak: {sentence}", file=sys.stderr)
    return int(bool(grown))
