"""The queue of index jobs: order, bounds, restarts, and processes that misbehave."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from schemas.vectordb import IndexJob, JobState
from tests.support.small_index import record, write_lines
from utils.config.settings import PROJECT_ROOT, Settings
from vectorstores.jobs.process import JobLine, job_input, run_orders
from vectorstores.jobs.queue import JobQueue
from vectorstores.jobs.records import JobOrder, JobStore, new_job
from vectorstores.jobs.runner import JobQueueFull, JobRunner
from vectorstores.versions.versions import IndexLayout

ANSWERS = """
import json, sys
jobs = json.loads(sys.stdin.readline())["orders"]
print("noise")
print(json.dumps({"stage": "분석"}), flush=True)
def end(job, **outcome):
    print(json.dumps({"job": job, "outcome": outcome}), flush=True)
"""
DONE = ANSWERS + "[end(job, version='v2', added=3) for job in jobs]"
HANGS = ANSWERS + "sys.stdin.read()"
CRASHES = "import os; os._exit(9)"
DELETE = JobOrder(document="A")


class Adoptions:
    def __init__(self) -> None:
        self.count = 0

    async def __call__(self) -> None:
        self.count += 1


def runner(data_dir: Path, program: str = DONE, limit: int = 3, **settings: Any) -> tuple[JobRunner, Adoptions]:
    adopted = Adoptions()
    command = (sys.executable, "-c", program)
    return JobRunner(Settings(data_dir=data_dir, **settings), adopted, limit, command), adopted


async def ended(jobs: JobRunner, job: IndexJob) -> IndexJob:
    async with asyncio.timeout(20):
        while True:
            now = await jobs.job(job.id)
            assert now is not None
            if now.finished is not None:
                return now
            await asyncio.sleep(0.01)


async def running(jobs: JobRunner, job: IndexJob) -> IndexJob:
    async with asyncio.timeout(20):
        while True:
            now = await jobs.job(job.id)
            assert now is not None
            if now.stage:
                return now
            await asyncio.sleep(0.01)


async def test_jobs_are_done_in_turn_and_their_records_stay(tmp_path: Path) -> None:
    jobs, adopted = runner(tmp_path)
    async with jobs.running():
        first, second = [await jobs.submit(DELETE, ["a.jsonl"]) for _ in range(2)]
        done = await ended(jobs, second)
        assert (await ended(jobs, first)).state is JobState.DONE
    assert (done.version, done.added, done.stage) == ("v2", 3, "")
    assert done.finished is not None
    assert adopted.count in (1, 2), "the second may have waited with the first"
    later, _ = runner(tmp_path)
    assert await later.job(second.id) == done
    for unknown in ("nope", "../jobs/x", first.id + "\n", ""):
        assert await later.job(unknown) is None


async def test_a_job_that_ends_while_the_runner_stops_keeps_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs, _ = runner(tmp_path)
    ending = asyncio.Event()
    plain = JobQueue.save_ended

    async def cut_off(queue: JobQueue) -> None:
        if queue.unsaved and not ending.is_set():
            ending.set()
            await asyncio.Event().wait()  # until the runner stops
        await plain(queue)

    monkeypatch.setattr(JobQueue, "save_ended", cut_off)
    async with jobs.running():
        job = await jobs.submit(DELETE)
        async with asyncio.timeout(20):
            await ending.wait()
    later, _ = runner(tmp_path)
    found = await later.job(job.id)
    assert found is not None
    assert found.state is JobState.DONE


async def test_the_queue_is_bounded(tmp_path: Path) -> None:
    jobs, _ = runner(tmp_path, HANGS, limit=2)
    async with jobs.running():
        await running(jobs, await jobs.submit(DELETE))
        for _ in range(2):
            await jobs.submit(DELETE)
        with pytest.raises(JobQueueFull):
            await jobs.submit(DELETE)
        with pytest.raises(JobQueueFull):
            jobs.check_room()


async def test_a_restart_fails_what_was_running_and_takes_up_what_waited(tmp_path: Path) -> None:
    jobs, _ = runner(tmp_path, HANGS)
    async with jobs.running():
        first, second = await jobs.submit(DELETE), await jobs.submit(DELETE)
        assert (await running(jobs, first)).stage == "분석"
    stopped = await jobs.job(first.id)
    assert stopped is not None
    assert (stopped.state, "종료" in stopped.reason) == (JobState.FAILED, True)
    later, _ = runner(tmp_path)
    async with later.running():
        assert (await ended(later, second)).state is JobState.DONE
        assert (await ended(later, first)).state is JobState.FAILED


async def test_a_job_cut_off_without_a_word_is_failed_by_the_next_service(tmp_path: Path) -> None:
    store = JobStore(tmp_path)
    store.own().release()
    cut_off = new_job(DELETE)
    cut_off.job.state = JobState.RUNNING
    store.save(cut_off)
    jobs, _ = runner(tmp_path)
    async with jobs.running():
        found = await jobs.job(cut_off.job.id)
    assert found is not None
    assert found.state is JobState.FAILED
    assert "다시 시작" in found.reason


async def test_a_process_that_dies_or_hangs_fails_its_job_and_not_the_next(tmp_path: Path) -> None:
    for program, timeout, reason in ((CRASHES, 20.0, "비정상"), (HANGS, 0.3, "제한 시간")):
        jobs, adopted = runner(tmp_path, program, ingest_timeout=timeout)
        async with jobs.running():
            for job in [await jobs.submit(DELETE), await jobs.submit(DELETE)]:
                failed = await ended(jobs, job)
                assert failed.state is JobState.FAILED
                assert reason in failed.reason
        assert adopted.count == 0


def test_old_records_are_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vectorstores.jobs.records._KEPT", 2)
    store = JobStore(tmp_path)
    store.own().release()
    records = [new_job(DELETE) for _ in range(5)]
    for number, entry in enumerate(records):
        entry.job.id = f"20261121T00000{number}Z00000000"
        entry.job.state = JobState.QUEUED if number == 0 else JobState.DONE
        store.save(entry)
    (tmp_path / "jobs" / "20261121T000009Z00000000.json").write_text("{broken", encoding="utf-8")
    store.prune()
    left = [entry.job.id for entry in records if store.load(entry.job.id)]
    assert left == [records[0].job.id, records[4].job.id]


def test_a_build_by_hand_is_waited_for_and_reasons_name_no_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vectorstores.jobs.process._WAIT_SECONDS", 0.0)
    upload = tmp_path / "uploads" / "abc"
    upload.mkdir(parents=True)
    write_lines(upload / "a.jsonl", record("A", "임금"))
    settings, order = Settings(data_dir=tmp_path), JobOrder(uploads=("uploads/abc/a.jsonl",))
    lines: list[JobLine] = []

    def reason() -> str:
        run_orders(settings, {"1": order}, lines.append)
        outcome = lines[-1].outcome
        assert outcome is not None
        return outcome.reason

    with IndexLayout(tmp_path).lock_for_build():
        assert "다른 프로세스" in reason()
    (upload / "a.jsonl").unlink()
    assert "파일이나 컬렉션" in reason()


def test_the_process_ends_with_its_service(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "vectorstores.jobs.process"]
    with IndexLayout(tmp_path).lock_for_build():  # it waits for this lock, so it would live on
        process = subprocess.Popen(command, cwd=PROJECT_ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert process.stdin is not None
        process.stdin.write(job_input(Settings(data_dir=tmp_path), {"1": DELETE}))
        process.stdin.flush()
        time.sleep(0.5)
        assert process.poll() is None
        process.stdin.close()
        assert process.wait(timeout=20) == 1
    assert process.stdout is not None
    process.stdout.close()


def test_the_process_gets_the_settings_of_its_service_without_showing_them(tmp_path: Path) -> None:
    secret = "runpod-secret-0123456789"
    line = job_input(Settings(data_dir=tmp_path, runpod_api_key=secret, chroma_host="chroma.example"), {"1": DELETE})
    assert secret.encode() in line
    assert b"chroma.example" in line
    assert os.fsencode(tmp_path) in line
