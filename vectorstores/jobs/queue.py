"""The jobs that one service knows of: waiting, running, and ended but not yet on disk."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from schemas.vectordb import JobKind, JobState
from vectorstores.jobs.process import JobOutcome
from vectorstores.jobs.records import JobRecord, JobStore

logger = logging.getLogger(__name__)


class JobQueue:
    """Records in memory, and on disk as far as it lets itself be written: what cannot be saved is told from memory, and saved
    as soon as there is room."""

    def __init__(self, store: JobStore) -> None:
        self._store = store
        self.waiting: list[JobRecord] = []
        self.running: dict[str, JobRecord] = {}
        self.cancelled: set[str] = set()
        self.unsaved: dict[str, JobRecord] = {}
        """Jobs that have ended, though their records do not say so yet."""
        self._arriving = 0
        self._read: set[str] = set()  # ids whose records need not be read any more
        self._alone: set[str] = set()  # jobs of a batch that failed as one
        self._saving = asyncio.Lock()

    @property
    def length(self) -> int:
        """Jobs that wait."""
        return len(self.waiting) + self._arriving

    def get(self, job_id: str) -> JobRecord | None:
        """A record whose state in memory is ahead of that on disk."""
        found = self.running.get(job_id) or self.unsaved.get(job_id)
        return found or next((waiting for waiting in self.waiting if waiting.job.id == job_id), None)

    async def add(self, record: JobRecord) -> None:
        """Queue a job, on disk first. Raises OSError."""
        self._arriving += 1
        self._read.add(record.job.id)
        try:
            await asyncio.to_thread(self._store.save, record)
        finally:
            self._arriving -= 1
        self._append(record)

    def _append(self, record: JobRecord) -> None:
        if self.get(record.job.id) is None:
            self.waiting.append(record)

    async def read(self, *, owned: bool) -> None:
        """Take in records that other processes have written; where these run the jobs, look at all that are open."""
        ids = await asyncio.to_thread(self._store.ids)
        records = await asyncio.to_thread(
            self._store.unfinished, [job_id for job_id in ids if job_id not in self._read]
        )
        if owned:
            for record in records:
                self._append(record)
            self._read |= set(ids)
        else:
            self.waiting = [record for record in records if record.job.state is JobState.QUEUED]
            self._read = set(ids) - {record.job.id for record in records}

    async def take_up(self) -> list[JobRecord]:
        """Begin to own the jobs: all that wait are queued here, and those are returned that were running."""
        records = await asyncio.to_thread(self._store.unfinished)
        self._read = {record.job.id for record in records}
        self.waiting = [record for record in records if record.job.state is JobState.QUEUED]
        return [record for record in records if record.job.state is JobState.RUNNING]

    def withdraw(self, job_id: str) -> JobRecord | None:
        """Take a job that waits out of the queue."""
        for record in self.waiting:
            if record.job.id == job_id:
                self.waiting.remove(record)
                return record
        return None

    def next_batch(self) -> list[JobRecord]:
        """The jobs to run next, which are running from now on: all in a row that may go into one version."""
        batch: list[JobRecord] = []
        while self.waiting and not (batch and (self._goes_alone(batch[0]) or self._goes_alone(self.waiting[0]))):
            batch.append(self.waiting.pop(0))
        self.running = {record.job.id: record for record in batch}
        for record in batch:
            record.job.state = JobState.RUNNING
        return batch

    def _goes_alone(self, record: JobRecord) -> bool:
        return record.order.kind is JobKind.PURGE or record.job.id in self._alone

    async def save_running(self, batch: Sequence[JobRecord]) -> None:
        """Have the records say that their jobs run; where they cannot, they are run all the same."""
        try:
            for record in batch:
                await asyncio.to_thread(self._store.save, record)
        except OSError as error:
            logger.warning("index job records: %s", error)

    async def put_back(self, batch: Sequence[JobRecord]) -> None:
        """Queue jobs again, before all others. Unless one among them was cancelled, each then runs alone: one has failed them."""
        for record in batch:
            record.job.state, record.job.stage = JobState.QUEUED, ""
            self.running.pop(record.job.id, None)
        if not self.cancelled:
            self._alone |= {record.job.id for record in batch}
        self.cancelled.clear()
        self.waiting[:0] = batch
        await self.save_running(batch)

    async def finish(self, record: JobRecord, outcome: JobOutcome, state: JobState) -> None:
        """Say what came of a job."""
        _end(record, outcome, state)
        self._alone.discard(record.job.id)
        self.unsaved[record.job.id] = record
        self.running.pop(record.job.id, None)
        await self.save_ended()

    def finish_now(self, record: JobRecord, outcome: JobOutcome) -> None:
        """`finish` where the event loop is about to end."""
        _end(record, outcome, JobState.FAILED if outcome.reason else JobState.DONE)
        try:
            self._store.save(record)
        except OSError:
            logger.exception("record of index job %s", record.job.id)

    async def save_ended(self) -> None:
        """Write what could not be written before; what still cannot stays in memory."""
        async with self._saving:
            for job_id, record in list(self.unsaved.items()):
                try:
                    await asyncio.to_thread(self._store.save, record)
                except OSError as error:
                    logger.warning("record of index job %s: %s", job_id, error)
                    return
                del self.unsaved[job_id]


def _end(record: JobRecord, outcome: JobOutcome, state: JobState) -> None:
    """Put what came of a job into its record, in place, for those who look at it meanwhile."""
    values: dict[str, Any] = {name: getattr(outcome, name) for name in JobOutcome.model_fields if name != "origins"}
    for name, value in values.items():
        setattr(record.job, name, value)
    record.job.stage = ""
    record.job.finished = datetime.now(UTC)
    record.job.state = state
