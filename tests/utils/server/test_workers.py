"""The supervisor of several processes, with real ones around a small app."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from utils.config.settings import PROJECT_ROOT

pytestmark = pytest.mark.whole


class Supervisor:
    """Two workers in processes of their own; ``with`` ends them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.small_workers", "2", str(folder)],
            cwd=PROJECT_ROOT,
            stderr=subprocess.PIPE,
            text=True,
        )

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{(self.folder / 'port').read_text()}"

    def starts(self) -> list[int]:
        """The processes that were started as workers, in their order."""
        file = self.folder / "starts"
        return [int(line) for line in file.read_text().split()] if file.exists() else []

    def asked(self, count: int = 20) -> set[int]:
        """Which processes answer, each time on a new connection."""
        return {int(httpx.get(self.url, timeout=20).text) for _ in range(count)}

    def serving(self, wanted: Callable[[set[int]], bool]) -> set[int]:
        """Return the workers that serve, as soon as they are as ``wanted``."""
        found: set[int] = set()

        def are_as_wanted() -> bool:
            nonlocal found
            try:
                found = self.asked()
            except (httpx.HTTPError, OSError, ValueError):
                return False
            return wanted(found)

        _until(are_as_wanted)
        return found

    def ready(self) -> None:
        """Wait until the supervisor knows that all serve: a worker that dies before is one that cannot start."""
        assert self.process.stderr is not None
        for line in self.process.stderr:
            if "응답합니다" in line:
                return
        raise AssertionError("it ended before all served")

    def wait(self, seconds: float = 60) -> tuple[int, str]:
        """Return exit code and log once it has ended."""
        _, log = self.process.communicate(timeout=seconds)
        return self.process.returncode, log


@contextmanager
def supervised(folder: Path) -> Iterator[Supervisor]:
    supervisor = Supervisor(folder)
    try:
        yield supervisor
    finally:
        if supervisor.process.poll() is None:
            supervisor.process.terminate()
            supervisor.wait()


def _until(is_so: Callable[[], bool], seconds: float = 60) -> None:
    until = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < until, "it never came to that"
        time.sleep(0.05)


def _lives(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def both(found: set[int]) -> bool:
    return len(found) == 2


@pytest.mark.slow
@pytest.mark.services
def test_a_killed_worker_is_replaced_and_a_restart_fails_no_request(tmp_path: Path) -> None:
    with supervised(tmp_path) as supervisor:
        supervisor.ready()
        killed, other = supervisor.serving(both)
        os.kill(killed, signal.SIGKILL)
        before = supervisor.serving(lambda found: both(found) and killed not in found)
        assert other in before

        answers: list[str] = []
        stop = threading.Event()

        def ask_steadily() -> None:
            with httpx.Client(timeout=30) as client:
                while not stop.is_set():
                    try:
                        answers.append(client.get(supervisor.url).text)
                    except httpx.HTTPError as error:
                        answers.append(repr(error))
                    stop.wait(0.01)

        clients = [threading.Thread(target=ask_steadily) for _ in range(2)]
        with httpx.stream("GET", f"{supervisor.url}/slowly", timeout=30) as stream:
            lines = stream.iter_lines()
            assert int(next(lines)) in before
            for client in clients:
                client.start()
            supervisor.process.send_signal(signal.SIGHUP)
            assert list(lines) == ["end"], "a stream under way is finished"
        supervisor.serving(lambda found: both(found) and not found & before)
        stop.set()
        for client in clients:
            client.join()
        assert [answer for answer in answers if not answer.isdigit()] == []
        supervisor.process.terminate()
        code, _ = supervisor.wait()
        assert code == 0
        assert not any(_lives(worker) for worker in supervisor.starts())


def test_workers_that_cannot_start_end_the_service_at_once(tmp_path: Path) -> None:
    (tmp_path / "broken").touch()
    with supervised(tmp_path) as supervisor:
        code, log = supervisor.wait()
    assert code == 3
    assert len(supervisor.starts()) <= 2, "each is tried once"
    assert "작업 프로세스가 시작하지 못해 서비스를 끝냅니다" in log
    assert "Traceback" not in log


@pytest.mark.slow
@pytest.mark.services
def test_replacements_that_cannot_start_are_not_tried_for_ever(tmp_path: Path) -> None:
    with supervised(tmp_path) as supervisor:
        first = supervisor.serving(both)
        _until(lambda: "작업" in _logged(supervisor))
        (tmp_path / "deadly").touch()
        os.kill(min(first), signal.SIGKILL)
        code, log = supervisor.wait()
    assert code == 3
    assert 2 < len(supervisor.starts()) <= 6
    assert "작업 프로세스가 시작하지 못해 서비스를 끝냅니다" in log


@pytest.mark.slow
@pytest.mark.services
def test_a_restart_with_what_cannot_start_keeps_those_who_serve(tmp_path: Path) -> None:
    with supervised(tmp_path) as supervisor:
        before = supervisor.serving(both)
        (tmp_path / "broken").touch()
        supervisor.process.send_signal(signal.SIGHUP)
        _until(lambda: len(supervisor.starts()) == 3)
        _until(lambda: not _lives(supervisor.starts()[-1]))
        assert supervisor.serving(both) == before


def test_workers_end_with_a_supervisor_that_is_killed(tmp_path: Path) -> None:
    with supervised(tmp_path) as supervisor:
        workers = supervisor.serving(both)
        supervisor.process.kill()
        _until(lambda: not any(_lives(worker) for worker in workers))


def _logged(supervisor: Supervisor) -> str:
    """The log so far, a line at a time."""
    assert supervisor.process.stderr is not None
    return supervisor.process.stderr.readline()
