"""Runs index jobs one after the other, each in a process of its own; see `vectorstores.job_process`."""

from __future__ import annotations

import asyncio
import logging
import sys
from asyncio.subprocess import PIPE, Process
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

from pydantic import ValidationError

from schemas.vectordb import IndexJob, JobState
from utils.cancellation import cancel_and_wait
from utils.config.settings import PROJECT_ROOT, Settings
from vectorstores.job_process import JobLine, JobOutcome, job_input
from vectorstores.jobs import JobOrder, JobRecord, JobStore, new_job
from vectorstores.locks import FileLock

logger = logging.getLogger(__name__)

QUEUE_LIMIT = 20
JOB_COMMAND = (sys.executable, "-m", "vectorstores.job_process")
JOB_COMMAND = (sys.executable, "-m", "vectorstores.job_process")
_LINE_LIMIT = 4 * 1024 * 1024
_CUT_OFF = "서비스가 다시 시작되어 작업이 중단되었습니다. 지금 색인은 그대로이니 다시 요청해 주세요."
_STOPPED = "서비스가 종료되어 작업이 중단되었습니다. 지금 색인은 그대로이니 다시 요청해 주세요."
_TIMED_OUT = "제한 시간을 넘겨 작업을 멈췄습니다. 지금 색인은 그대로입니다."
_CRASHED = "작업이 비정상적으로 끝났습니다. 지금 색인은 그대로입니다."


class JobQueueFull(Exception):
    """As many jobs wait as may."""


class JobsElsewhere(Exception):
    """This process does not run the jobs of its data directory: another one does, or it may not write there."""


class JobRunner:
    """The queue of one service. ``adopted`` is awaited after each change, so that a job that is done can be searched.

    What was queued when the service ended is run by the next one; what was running is failed.
    """

    def __init__(
        self,
        settings: Settings,
        adopted: Callable[[], Awaitable[object]],
        limit: int = QUEUE_LIMIT,
        command: Sequence[str] = JOB_COMMAND,
    ) -> None:
        self._settings = settings
        self._adopted = adopted
        self._limit = limit
        self._command = command
        self._store = JobStore(settings.data_dir)
        self._lock: FileLock | None = None
        self._waiting: deque[JobRecord] = deque()
        self._arriving = 0
        self._running: JobRecord | None = None
        self._more = asyncio.Event()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Take up what the last service left, and work until left; the job under way is stopped then."""
        try:
            self._lock = await asyncio.to_thread(self._store.own)
        except OSError as error:  # held by another process, or not to be written to
            logger.warning("이 자료 폴더의 색인 작업을 맡을 수 없어, 여기서는 받지 않습니다: %s", error)
            yield
            return
        await self._take_up()
        worker = asyncio.create_task(self._work(), name="index jobs")
        try:
            yield
        finally:
            await cancel_and_wait(worker)
            self._lock.release()
            self._lock = None

    async def _work(self) -> None:
        while True:
            await self._more.wait()
            self._more.clear()
            while self._waiting:
                self._running = self._waiting.popleft()
                await self._run_one(self._running)
                self._running = None

    def check_room(self) -> None:
        """Raises `JobQueueFull` or `JobsElsewhere` when a job could not be taken now."""
        if self._lock is None:
            raise JobsElsewhere
        if len(self._waiting) + self._arriving >= self._limit:
            raise JobQueueFull

    async def submit(self, order: JobOrder, files: Sequence[str] = ()) -> IndexJob:
        """Queue a job; it is on disk when this returns. Raises as `check_room`."""
        self.check_room()
        record = new_job(order, files)
        self._arriving += 1
        try:
            await asyncio.to_thread(self._store.save, record)
        finally:
            self._arriving -= 1
        self._waiting.append(record)
        self._more.set()
        return record.job

    async def job(self, job_id: str) -> IndexJob | None:
        """A job of this service or of one before."""
        if self._running is not None and self._running.job.id == job_id:
            return self._running.job
        record = await asyncio.to_thread(self._store.load, job_id)
        return None if record is None else record.job

    async def _take_up(self) -> None:
        for record in await asyncio.to_thread(self._store.unfinished):
            if record.job.state is JobState.RUNNING:
                await self._finish(record, JobOutcome(reason=_CUT_OFF))
            else:
                self._waiting.append(record)
                self._more.set()

    async def _run_one(self, record: JobRecord) -> None:
        record.job.state = JobState.RUNNING
        try:
            await asyncio.to_thread(self._store.save, record)
            outcome = await self._in_process(record)
            if outcome.version is not None:
                await self._adopted()
        except asyncio.CancelledError:
            # at once, not in a thread: the loop is about to end
            self._store.save(_finished(record, JobOutcome(reason=_STOPPED)))
            raise
        except Exception:  # one job must not end the queue
            logger.exception("index job %s", record.job.id)
            outcome = JobOutcome(reason=_CRASHED)
        await self._finish(record, outcome)

    async def _finish(self, record: JobRecord, outcome: JobOutcome) -> None:
        try:
            await asyncio.to_thread(self._store.save, _finished(record, outcome))
            await asyncio.to_thread(self._store.prune)
        except OSError:
            logger.exception("record of index job %s", record.job.id)

    async def _in_process(self, record: JobRecord) -> JobOutcome:
        process = await asyncio.create_subprocess_exec(
            *self._command, stdin=PIPE, stdout=PIPE, cwd=PROJECT_ROOT, limit=_LINE_LIMIT
        )
        try:
            async with asyncio.timeout(self._settings.ingest_timeout):
                return await self._converse(process, record)
        except TimeoutError:
            return JobOutcome(reason=_TIMED_OUT)
        finally:
            if process.returncode is None:
                process.kill()
            await process.wait()

    async def _converse(self, process: Process, record: JobRecord) -> JobOutcome:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(job_input(self._settings, record.order))
        await process.stdin.drain()
        async for line in process.stdout:
            try:
                said = JobLine.model_validate_json(line)
            except ValidationError:
                continue  # some library printed
            if said.outcome is not None:
                return said.outcome
            record.job.stage = said.stage or ""
        return JobOutcome(reason=_CRASHED)


def _finished(record: JobRecord, outcome: JobOutcome) -> JobRecord:
    """The record with what came of its job, in place, for those who look at it meanwhile."""
    values: dict[str, Any] = {name: getattr(outcome, name) for name in JobOutcome.model_fields}
    for name, value in values.items():
        setattr(record.job, name, value)
    record.job.stage = ""
    record.job.finished = datetime.now(UTC)
    record.job.state = JobState.FAILED if outcome.reason else JobState.DONE
    return record
