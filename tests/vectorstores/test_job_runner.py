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
from vectorstores.job_process import JobLine, job_input, run_order
from vectorstores.job_runner import JobQueueFull, JobRunner, JobsElsewhere
from vectorstores.jobs import JobOrder, JobStore, new_job
from vectorstores.versions import IndexLayout

ANSWERS = 'import sys; sys.stdin.readline(); print("noise"); print(\'{"stage": "분석"}\', flush=True); '
DONE = ANSWERS + 'print(\'{"outcome": {"version": "v2", "added": 3}}\', flush=True)'
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
            if now.state in (JobState.DONE, JobState.FAILED):
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
    assert adopted.count == 2
    later, _ = runner(tmp_path)
    assert await later.job(second.id) == done
    for unknown in ("nope", "../jobs/x", first.id + "\n", ""):
        assert await later.job(unknown) is None


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


async def test_one_process_runs_the_jobs_of_a_data_directory(tmp_path: Path) -> None:
    jobs, _ = runner(tmp_path)
    other, _ = runner(tmp_path)
    async with jobs.running(), other.running():
        with pytest.raises(JobsElsewhere):
            await other.submit(DELETE)
        job = await jobs.submit(DELETE)
        await ended(jobs, job)
        assert await other.job(job.id) is not None


def test_old_records_are_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vectorstores.jobs._KEPT", 2)
    store = JobStore(tmp_path)
    store.own().release()
    records = [new_job(DELETE) for _ in range(5)]
    for number, one in enumerate(records):
        one.job.id = f"20261121T00000{number}Z00000000"
        one.job.state = JobState.QUEUED if number == 0 else JobState.DONE
        store.save(one)
    (tmp_path / "jobs" / "20261121T000009Z00000000.json").write_text("{broken", encoding="utf-8")
    store.prune()
    left = [one.job.id for one in records if store.load(one.job.id)]
    assert left == [records[0].job.id, records[4].job.id]


def test_a_build_by_hand_is_waited_for_and_reasons_name_no_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vectorstores.job_process._WAIT_SECONDS", 0.0)
    upload = tmp_path / "uploads" / "abc"
    upload.mkdir(parents=True)
    write_lines(upload / "a.jsonl", record("A", "임금"))
    settings, order = Settings(data_dir=tmp_path), JobOrder(uploads=("uploads/abc/a.jsonl",))
    lines: list[JobLine] = []
    with IndexLayout(tmp_path).lock_for_build():
        assert "다른 프로세스" in run_order(settings, order, lines.append).reason
    (upload / "a.jsonl").unlink()
    assert "파일이나 컬렉션" in run_order(settings, order, lines.append).reason


def test_the_process_ends_with_its_service(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "vectorstores.job_process"]
    with IndexLayout(tmp_path).lock_for_build():  # it waits for this lock, so it would live on
        process = subprocess.Popen(command, cwd=PROJECT_ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert process.stdin is not None
        process.stdin.write(job_input(Settings(data_dir=tmp_path), DELETE))
        process.stdin.flush()
        time.sleep(0.5)
        assert process.poll() is None
        process.stdin.close()
        assert process.wait(timeout=20) == 1
    assert process.stdout is not None
    process.stdout.close()


def test_the_process_gets_the_settings_of_its_service_without_showing_them(tmp_path: Path) -> None:
    secret = "runpod-secret-0123456789"
    line = job_input(Settings(data_dir=tmp_path, runpod_api_key=secret, chroma_host="chroma.example"), DELETE)
    assert secret.encode() in line
    assert b"chroma.example" in line
    assert os.fsencode(tmp_path) in line
