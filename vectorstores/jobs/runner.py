"""Runs index jobs, those that wait together as one version, in a process of their own; see `vectorstores.jobs.process`."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Sequence
from contextlib import asynccontextmanager

from schemas.vectordb import IndexJob, JobKind, JobState
from utils.config.settings import Settings
from utils.resilience.cancellation import cancel_and_wait
from vectorstores.errors import KnowledgeIndexError
from vectorstores.jobs.child import JobChild
from vectorstores.jobs.process import JobLine, JobOutcome, Outcomes, forget_outcomes, published_outcomes
from vectorstores.jobs.purge import Eraser
from vectorstores.jobs.queue import JobQueue
from vectorstores.jobs.records import JobOrder, JobRecord, JobStore, new_job
from vectorstores.storage.locks import FileLock

logger = logging.getLogger(__name__)

QUEUE_LIMIT = 20
JOB_COMMAND = (sys.executable, "-m", "vectorstores.jobs.process")
_POLL_SECONDS = 1.0
_CANCEL_SECONDS = 10.0
_CUT_OFF = "서비스가 다시 시작되어 작업이 중단되었습니다. 지금 색인은 그대로이니 다시 요청해 주세요."
_STOPPED = "서비스가 종료되어 작업이 중단되었습니다. 지금 색인은 그대로이니 다시 요청해 주세요."
_CRASHED = "작업이 비정상적으로 끝났습니다. 지금 색인은 그대로입니다."
_CANCELLED = "요청에 따라 작업을 취소했습니다. 지금 색인은 그대로입니다."


class JobQueueFull(Exception):
    """As many jobs wait as may."""


class JobEnded(Exception):
    """The job is over: there is nothing to cancel."""


async def _nothing_to_forget() -> bool:
    return True


class JobRunner:
    """The jobs of one data directory, as one service sees them.

    Every service takes jobs in. The one that owns the directory runs them; when it dies another takes over within seconds.
    ``adopted`` is awaited after each change, so that a job that is done can be searched; ``forget`` after a purge, to drop
    answers that are kept, and says whether all are gone. What was queued when the owner ended is run by the next one; what
    was running counts as failed, unless the index says that it was done.
    """

    def __init__(
        self,
        settings: Settings,
        adopted: Callable[[], Awaitable[object]],
        limit: int = QUEUE_LIMIT,
        command: Sequence[str] = JOB_COMMAND,
        forget: Callable[[], Awaitable[bool]] = _nothing_to_forget,
    ) -> None:
        self._settings = settings
        self._adopted = adopted
        self._limit = limit
        self._command = command
        self._store = JobStore(settings.data_dir)
        self._eraser = Eraser(settings, self._store, forget)
        self._queue = JobQueue(self._store)
        self._lock: FileLock | None = None
        self._child: JobChild | None = None
        self._clean_now = False
        self._more = asyncio.Event()
        self._idle = asyncio.Event()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Take jobs in, and run them once this process owns them, until left; those under way are stopped then."""
        await self._look_around()
        tasks = [
            asyncio.create_task(self._work(), name="index jobs"),
            asyncio.create_task(self._watch(), name="index job records"),
        ]
        try:
            yield
        finally:
            for task in tasks:
                await cancel_and_wait(task)
            await self._queue.save_ended()  # a job may have ended while its task was cancelled
            if self._lock is not None:
                await asyncio.to_thread(self._eraser.clean)
                self._lock.release()
                self._lock = None

    # Taking jobs in

    def check_room(self) -> None:
        """Raises `JobQueueFull` when a job could not be taken now."""
        if self._queue.length >= self._limit:
            raise JobQueueFull

    async def submit(self, order: JobOrder, files: Sequence[str] = ()) -> IndexJob:
        """Queue a job; it is on disk when this returns. Raises `JobQueueFull`, or OSError when it cannot be written."""
        self.check_room()
        record = new_job(order, files)
        await self._queue.add(record)
        self._more.set()
        return record.job

    async def job(self, job_id: str) -> IndexJob | None:
        """A job of this service or of another."""
        record = self._queue.get(job_id) or await asyncio.to_thread(self._store.load, job_id)
        return None if record is None else record.job

    async def latest(self, count: int) -> list[IndexJob]:
        """The latest jobs, the youngest first."""
        records = await asyncio.to_thread(self._store.latest, count)
        return [(self._queue.get(record.job.id) or record).job for record in records]

    async def cancel(self, job_id: str) -> IndexJob | None:
        """Have a job that waits or runs cancelled; None when there is none. One that is done in that moment stays done.

        Raises `JobEnded`, or OSError when another process, which runs it, cannot be told.
        """
        record = self._queue.get(job_id) or await asyncio.to_thread(self._store.load, job_id)
        if record is None:
            return None
        if not record.is_open:
            raise JobEnded
        if self._lock is None:
            await asyncio.to_thread(self._store.wish_cancelled, job_id)
            return record.job
        was_running = job_id in self._queue.running
        await self._cancel(job_id)
        if was_running:
            try:
                await asyncio.wait_for(self._idle.wait(), _CANCEL_SECONDS)
            except TimeoutError:
                logger.warning("index job %s has not stopped yet", job_id)
        return record.job

    async def _cancel(self, job_id: str) -> None:
        """Cancel a job of this process."""
        if (record := self._queue.withdraw(job_id)) is not None:
            await self._queue.finish(record, JobOutcome(reason=_CANCELLED), JobState.CANCELLED)
        elif job_id in self._queue.running and self._child is not None:
            self._queue.cancelled.add(job_id)
            self._child.stop()

    async def expire_uploads(self, at_once: Collection[str] = ()) -> None:
        """Remove the uploads that no job needs any more; those that have to wait go soon after."""
        if not await asyncio.to_thread(self._eraser.expire_uploads, at_once):
            self._clean_now = False

    # Looking around

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(_POLL_SECONDS)
            try:
                await self._look_around()
            except OSError as error:
                logger.warning("index job records: %s", error)

    async def _look_around(self) -> None:
        """Own the jobs if nobody does, and take in what other processes have written."""
        if self._lock is None and (lock := await asyncio.to_thread(self._own)) is not None:
            self._lock = lock
            await self._take_up()
        await self._queue.save_ended()
        await self._queue.read(owned=self._lock is not None)
        if self._lock is None:
            return
        for job_id in await asyncio.to_thread(self._store.cancel_wishes):
            await self._cancel(job_id)
            await asyncio.to_thread(self._store.drop_wish, job_id)
        if self._queue.waiting:
            self._more.set()
        elif not self._clean_now and not self._queue.running:
            await self._clean()

    def _own(self) -> FileLock | None:
        try:
            return self._store.own()
        except BlockingIOError:
            return None  # another process runs them
        except OSError as error:
            logger.warning("이 자료 폴더의 색인 작업을 맡을 수 없습니다: %s", error)
            return None

    async def _take_up(self) -> None:
        published = await asyncio.to_thread(self._published)
        for record in await self._queue.take_up():
            outcome = published.get(record.job.id, JobOutcome(reason=_CUT_OFF))
            await self._finish(record, outcome)
        await self._clean()

    # Running jobs

    async def _work(self) -> None:
        while True:
            await self._more.wait()
            self._more.clear()
            while self._lock is not None and (batch := self._queue.next_batch()):
                self._idle.clear()
                try:
                    await self._run(batch)
                finally:
                    self._queue.running.clear()
                    self._idle.set()
                await self._clean()

    async def _run(self, batch: Sequence[JobRecord]) -> None:
        outcomes: dict[str, JobOutcome] = {}
        self._child = JobChild(self._command, self._settings)
        try:
            reason = await self._in_process(batch, outcomes)
            if any(outcome.version is not None for outcome in outcomes.values()):
                await self._adopted()
        except asyncio.CancelledError:
            # at once, not in a thread: the loop is about to end
            published = self._published()
            for record in batch:
                outcome = outcomes.get(record.job.id) or published.get(record.job.id)
                self._queue.finish_now(record, outcome or JobOutcome(reason=_STOPPED))
            raise
        except Exception:  # one batch must not end the queue
            logger.exception("index jobs %s", ", ".join(record.job.id for record in batch))
            reason = _CRASHED
        again = []
        for record in batch:
            if (outcome := outcomes.get(record.job.id)) is not None:
                await self._finish(record, outcome)
            elif record.job.id in self._queue.cancelled:
                await self._queue.finish(record, JobOutcome(reason=_CANCELLED), JobState.CANCELLED)
            elif len(batch) > 1:
                again.append(record)
            else:
                await self._finish(record, JobOutcome(reason=reason))
        await self._queue.put_back(again)

    async def _in_process(self, batch: Sequence[JobRecord], outcomes: dict[str, JobOutcome]) -> str:
        """Have a batch done; the result is why there is no outcome of those there is none of."""
        assert self._child is not None

        def hear(line: JobLine) -> None:
            for record in batch:
                record.job.stage = line.stage or record.job.stage
            if line.job is not None and line.outcome is not None:
                outcomes[line.job] = line.outcome

        await self._queue.save_running(batch)
        reason = await self._child.run({record.job.id: record.order for record in batch}, hear)
        if len(outcomes) < len(batch):  # it may have died after it made the version
            published = await asyncio.to_thread(self._published)
            outcomes |= {entry.job.id: published[entry.job.id] for entry in batch if entry.job.id in published}
        return reason

    async def _finish(self, record: JobRecord, outcome: JobOutcome) -> None:
        if record.order.kind is JobKind.PURGE and not outcome.reason:
            record.job.stage = "파기"
            outcome = await self._eraser.erase(record, outcome)
        await self._queue.finish(record, outcome, JobState.FAILED if outcome.reason else JobState.DONE)

    def _published(self) -> Outcomes:
        try:
            return published_outcomes(self._eraser.layout)
        except (OSError, KnowledgeIndexError) as error:
            logger.warning("what became of index jobs cannot be read: %s", error)
            return {}

    async def _clean(self) -> None:
        """Remove what jobs have left; what still has a user is looked at again."""
        self._clean_now = await asyncio.to_thread(self._eraser.clean)
        if not self._queue.unsaved:
            try:
                await asyncio.to_thread(forget_outcomes, self._eraser.layout)
                await asyncio.to_thread(self._store.prune)
            except OSError as error:
                logger.warning("index job records: %s", error)


async def purge_documents(settings: Settings, document_ids: Sequence[str]) -> list[IndexJob]:
    """Purge documents by id, one after the other, by a runner that gives way to that of a running service. Raises OSError."""

    async def nothing_is_open() -> None:
        return

    async def answers_are_gone() -> bool:
        return settings.redis_url is None  # a service of its own process forgets its own; Redis is not asked from here

    runner, done = JobRunner(settings, nothing_is_open, forget=answers_are_gone), []
    async with runner.running():
        for document_id in document_ids:
            job: IndexJob | None = await runner.submit(JobOrder(document=document_id, purge=True))
            job_id = job.id if job is not None else ""
            while job is not None and job.finished is None:
                await asyncio.sleep(_POLL_SECONDS / 5)
                job = await runner.job(job_id)
            if job is not None:
                done.append(job)
    return done
