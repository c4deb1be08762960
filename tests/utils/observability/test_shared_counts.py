"""Processes of one service that count together, as real processes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from utils.config.settings import PROJECT_ROOT

WORKER = """
import sys
from pathlib import Path
from utils.observability.metrics import Metrics, RefusalCause
metrics = Metrics(Path(sys.argv[1]))
for line in sys.stdin:
    match line.strip():
        case "count":
            metrics.refused(RefusalCause.RATE)
            metrics.in_flight.inc()
            metrics.duration.labels("/api/chat", "2xx").observe(0.03)
        case "leave":
            metrics.close()
        case "tell":
            sys.stdout.write(metrics.exposition().decode())
    print("# EOF", flush=True)
"""


class Worker:
    """A process that counts in the folder."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def does(self, what: str) -> str:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{what}\n")
        self._process.stdin.flush()
        said = []
        while (line := self._process.stdout.readline()) != "# EOF\n":
            assert line, "the process ended"
            said.append(line)
        return "".join(said)

    def tells(self, name: str) -> float:
        families = text_string_to_metric_families(self.does("tell"))
        values = [
            sample.value
            for family in families
            for sample in family.samples
            if sample.name == name and sample.labels.get("cause", "rate") == "rate"
        ]
        assert len(values) == 1
        return values[0]

    def is_killed(self) -> None:
        self._process.kill()
        self._process.wait()


@contextmanager
def worker(folder: Path) -> Iterator[Worker]:
    command = [sys.executable, "-c", WORKER, str(folder)]
    with subprocess.Popen(
        command, cwd=PROJECT_ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            yield Worker(process)
        finally:
            process.kill()


def test_processes_count_together_and_outlive_each_other(tmp_path: Path) -> None:
    folder = tmp_path / "metrics"
    with ExitStack() as stack:
        first, second = (stack.enter_context(worker(folder)) for _ in range(2))
        first.does("tell")  # it has begun: who begins alone empties the folder
        second.does("count")
        for asked in (first, second):
            first.does("count")
            assert asked.tells("bizi_requests_in_flight") == asked.tells("bizi_refusals_total")
        assert second.tells("bizi_refusals_total") == 3
        assert second.tells("bizi_request_seconds_count") == 3
        first.is_killed()
        third = stack.enter_context(worker(folder))
        assert third.tells("bizi_refusals_total") == 3, "what was counted stays counted"
        assert third.tells("bizi_requests_in_flight") == 1, "requests of a process that is gone are under way no longer"
        second.does("leave")
        assert third.tells("bizi_requests_in_flight") == 0
        second.is_killed()
        third.is_killed()
    with worker(folder) as alone:
        assert alone.tells("bizi_refusals_total") == 0, "a service that starts anew counts anew"
