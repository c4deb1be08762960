"""Two processes of the whole service on one port, with a Chroma server and Redis: what has to be one is one."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.chroma_process import ChromaProcess
from tests.support.redis_server import RedisServer
from tests.support.small_index import record, write_lines
from tests.support.worker_service import WorkerService
from utils.config.settings import PROJECT_ROOT

pytestmark = [pytest.mark.services, pytest.mark.slow, pytest.mark.timeout(500)]

_WEEKLY = "주휴수당은 1주 동안의 소정근로일을 개근한 근로자에게 주는 유급휴일 수당입니다."
_QUESTION = "주휴수당은 누구에게 주나요?"
_NAMES = ("budget", "cache", "talk", "ops", "sums", "steady")
_KEYS = {name: f"{name}-key-0123456789" for name in _NAMES}
_BURST = 60


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WorkerService]:
    folder = tmp_path_factory.mktemp("workers")
    documents = write_lines(folder / "docs.jsonl", record("WEEKLY", _WEEKLY))
    with ExitStack() as stack:
        chroma, redis = stack.enter_context(ChromaProcess(folder / "chroma")), stack.enter_context(RedisServer())
        scopes = "chat|documents|admin"
        environment = {
            "WORKERS": "2",
            "CHROMA_HOST": "127.0.0.1",
            "CHROMA_PORT": str(chroma.port),
            "REDIS_URL": redis.url,
            "DATA_DIR": str(folder / "var"),
            "LOG_DIR": str(folder / "logs"),
            "LLM_PROVIDER": "extractive",
            "API_KEYS": ",".join(f"{name}={key}:{scopes}" for name, key in _KEYS.items()),
            "RATE_LIMIT_PER_MINUTE": "1",
            "RATE_LIMIT_BURST": str(_BURST),
            "DISK_RESERVE_BYTES": "0",
            "LOG_FORMAT": "text",
        }
        subprocess.run(
            [sys.executable, "-m", "vectorstores", "ingest", str(documents)],
            cwd=PROJECT_ROOT,
            env={**os.environ, **environment},
            check=True,
            capture_output=True,
        )
        running = WorkerService(environment, folder / "service.log")
        try:
            running.wait_for_starts(2)
            yield running
        finally:
            workers = running.workers()
            code = running.stop()
        assert code == 0, running.log.read_text()[-3000:]
        assert not [pid for pid in workers if Path(f"/proc/{pid}").exists()]
        assert "Traceback" not in running.log.read_text()


def key_of(name: str) -> dict[str, str]:
    return {"X-API-Key": _KEYS[name]}


def ask(client: httpx.Client, **body: Any) -> dict[str, Any]:
    response = client.post("/api/chat", json={"message": _QUESTION, **body})
    assert response.status_code == 200, response.text
    answer: dict[str, Any] = response.json()
    return answer


def test_a_client_has_one_budget(service: WorkerService) -> None:
    first, second = service.workers()
    with service.client_of(first, **key_of("budget")) as a, service.client_of(second, **key_of("budget")) as b:
        left = [int(client.get("/api/vectordb/stats").headers["ratelimit-remaining"]) for client in (a, b, a, b)]
        assert left == [_BURST - 1, _BURST - 2, _BURST - 3, _BURST - 4]


def test_an_answer_of_the_other_process_comes_from_the_cache(service: WorkerService) -> None:
    first, second = service.workers()
    with service.client_of(first, **key_of("cache")) as a, service.client_of(second, **key_of("cache")) as b:
        computed, kept = ask(a), ask(b)
    assert (computed["cached"], kept["cached"]) == (False, True)
    assert kept["content"] == computed["content"]


def test_a_conversation_goes_on_in_the_other_process(service: WorkerService) -> None:
    first, second = service.workers()
    with service.client_of(first, **key_of("talk")) as a, service.client_of(second, **key_of("talk")) as b:
        ask(a, session_id="shared")
        ask(b, session_id="shared", message="그럼 15시간 미만이면요?")
        turns = [turn["question"] for turn in a.get("/api/sessions/shared").json()["turns"]]
        assert turns == [_QUESTION, "그럼 15시간 미만이면요?"]
        assert b.delete("/api/sessions/shared").is_success
        assert a.get("/api/sessions/shared").status_code == 404


def test_jobs_of_both_are_run_by_one_and_adopted_by_both(service: WorkerService, tmp_path: Path) -> None:
    first, second = service.workers()
    files = [
        write_lines(tmp_path / f"{name}.jsonl", record(name, f"{name} 수당은 취업규칙에서 정합니다."))
        for name in ("하나", "둘")
    ]
    with service.client_of(first, **key_of("ops")) as a, service.client_of(second, **key_of("ops")) as b:
        jobs = []
        for client, file in zip((a, b), files, strict=True):
            uploaded = client.post("/api/vectordb/ingest", files=[("files", (file.name, file.read_bytes()))])
            assert uploaded.status_code == 202, uploaded.text
            jobs.append(uploaded.json()["id"])
        assert _job_runners(service) == 1
        for client, job in zip((b, a), jobs, strict=True):  # each asked of the other process
            assert _outcome(client, job) == "done"
        until = time.monotonic() + 60
        while {_stats(client)["documents"] for client in (a, b)} != {3}:
            assert time.monotonic() < until, (_stats(a), _stats(b))
            time.sleep(2)
        assert _stats(a)["version"] == _stats(b)["version"]


def test_counts_are_those_of_both(service: WorkerService) -> None:
    first, second = service.workers()
    with service.client_of(first, **key_of("sums")) as a, service.client_of(second, **key_of("sums")) as b:
        before = _chats(a)
        for client in (a, b, b):
            ask(client)
        assert (_chats(a), _chats(b)) == (before + 3, before + 3)


def test_a_killed_process_is_replaced_and_a_restart_fails_no_request(service: WorkerService) -> None:
    killed, kept = service.workers()
    os.kill(killed, signal.SIGKILL)
    before = set(service.wait_for_starts(3))
    assert len(before) == 2
    assert kept in before

    failures, asked, stop = [], 0, threading.Event()

    def ask_steadily() -> None:
        nonlocal asked
        with httpx.Client(base_url=service.url, timeout=60) as client:
            while not stop.is_set():
                try:
                    client.get("/health/live").raise_for_status()
                    asked += 1
                except httpx.HTTPError as error:
                    failures.append(repr(error))
                stop.wait(0.05)

    steady = threading.Thread(target=ask_steadily)
    steady.start()
    service.process.send_signal(signal.SIGHUP)
    service.wait_for_starts(5)
    _until_gone(before)
    stop.set()
    steady.join()
    assert failures == []
    assert asked > 0
    assert len(service.workers()) == 2


def _job_runners(service: WorkerService) -> int:
    """Return how many processes hold the right to run jobs."""
    (lock,) = service.log.parent.rglob("owner.lock")
    held = f":{lock.stat().st_ino} "
    return sum(held in line and "FLOCK" in line for line in Path("/proc/locks").read_text().splitlines())


def _outcome(client: httpx.Client, job: str) -> str:
    until = time.monotonic() + 150
    while (state := client.get(f"/api/vectordb/jobs/{job}").json())["state"] in ("queued", "running"):
        assert time.monotonic() < until, state
        time.sleep(8)  # each request costs one of few
    outcome: str = state["state"]
    return outcome


def _stats(client: httpx.Client) -> dict[str, Any]:
    stats: dict[str, Any] = client.get("/api/vectordb/stats").json()
    return stats


def _chats(client: httpx.Client) -> int:
    text = client.get("/metrics").text
    counts = re.findall(r'^bizi_requests_total\{[^}]*route="/api/chat"[^}]*\} (\S+)', text, re.MULTILINE)
    return round(sum(map(float, counts)))


def _until_gone(workers: set[int]) -> None:
    until = time.monotonic() + 90
    while any(Path(f"/proc/{pid}").exists() for pid in workers):
        assert time.monotonic() < until
        time.sleep(0.1)
