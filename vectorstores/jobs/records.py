"""Records of index jobs: one small JSON file each under ``DATA_DIR/jobs``, so that they outlive the service.

Any service of the data directory may add a job; the one that owns it runs them all. ``<id>.cancel`` beside a record is the wish
of another service to have the job cancelled.
"""

from __future__ import annotations

import os
import re
import secrets
import time
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from pydantic import BaseModel, ConfigDict, ValidationError

from schemas.vectordb import IndexJob, JobKind, JobState
from vectorstores.storage.locks import FileLock

_FOLDER = "jobs"
_KEPT = 200
_SAME_MOMENT = 0x1000
_WRITING_SECONDS = 60.0
_ID = re.compile(r"[0-9]{8}T[0-9]{6}Z[0-9a-f]{8}")
_OPEN = (JobState.QUEUED, JobState.RUNNING)


@dataclass(frozen=True, slots=True)
class Upload:
    """A file as a client sent it; ``content`` is read in a thread."""

    name: str
    content: BinaryIO


class JobOrder(BaseModel):
    """Task of a job: ingest ``uploads`` (keys of kept files) or remove ``document``; ``purge`` erases it for good.

    ``names`` are the sender's names of the uploads; the same files may have been kept before under other names.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    uploads: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    domain: str | None = None
    restore: bool = False
    document: str | None = None
    purge: bool = False

    @property
    def kind(self) -> JobKind:
        if self.document is None:
            return JobKind.INGEST
        return JobKind.PURGE if self.purge else JobKind.DELETE

    def named_uploads(self) -> list[tuple[str, str]]:
        """Each upload with what its sender calls it."""
        names = self.names or tuple(PurePosixPath(upload).name for upload in self.uploads)
        return list(zip(self.uploads, names, strict=True))


class JobRecord(BaseModel):
    """A job and its order."""

    job: IndexJob
    order: JobOrder

    @property
    def is_open(self) -> bool:
        return self.job.state in _OPEN

    def scrub(self) -> None:
        """Forget whom and what the job was about; that there was one may be told."""
        self.order = JobOrder(domain=self.order.domain, restore=self.order.restore)
        self.job.files, self.job.problems, self.job.notes, self.job.document = [], [], [], None


def new_job(order: JobOrder, files: Sequence[str] = ()) -> JobRecord:
    """A queued job; ids sort by time, to the microsecond, and look like no account number, which logs would mask."""
    now = datetime.now(UTC)
    job = IndexJob(
        id=f"{now:%Y%m%dT%H%M%SZ}{now.microsecond:05x}{secrets.randbelow(_SAME_MOMENT):03x}",
        kind=order.kind,
        state=JobState.QUEUED,
        created=now,
        files=list(files),
        document=order.document,
        collection=order.domain,
    )
    return JobRecord(job=job, order=order)


class JobStore:
    """Reads and writes the records; blocking. The owner alone changes a record, any process may add one."""

    def __init__(self, data_dir: Path) -> None:
        self._root = data_dir / _FOLDER

    def own(self) -> FileLock:
        """The right to run jobs here; raises BlockingIOError while another process has it, OSError on a read-only disk."""
        self._root.mkdir(parents=True, exist_ok=True)
        return FileLock(self._root / "owner.lock", shared=False)

    def save(self, record: JobRecord) -> None:
        """Write a record so that it is there whole, even after a power cut. Raises OSError."""
        self._root.mkdir(parents=True, exist_ok=True)
        # a job may end while its start is still being written: each writer has a file of its own
        part = self._root / f".{record.job.id}.{secrets.token_hex(4)}.part"
        try:
            with part.open("w", encoding="utf-8") as file:
                file.write(record.model_dump_json(indent=1))
                file.flush()
                os.fsync(file.fileno())
            os.replace(part, self._path(record.job.id))
        except OSError:
            part.unlink(missing_ok=True)
            raise

    def load(self, job_id: str) -> JobRecord | None:
        """A record; None when there is none, or it is no record."""
        if not _ID.fullmatch(job_id):
            return None
        try:
            return JobRecord.model_validate_json(self._path(job_id).read_bytes())
        except (FileNotFoundError, ValidationError):
            return None

    def ids(self) -> list[str]:
        """Of all records, oldest first."""
        return sorted(path.stem for path in self._root.glob("*.json"))

    def latest(self, count: int) -> list[JobRecord]:
        """The ``count`` youngest records, youngest first."""
        records = (self.load(job_id) for job_id in reversed(self.ids()))
        return [record for record, _ in zip((record for record in records if record), range(count), strict=False)]

    def unfinished(self, among: Sequence[str] | None = None) -> list[JobRecord]:
        """The records of jobs that have not ended, oldest first; of all, or ``among`` some ids."""
        records = (self.load(job_id) for job_id in (self.ids() if among is None else among))
        return [record for record in records if record is not None and record.is_open]

    def wish_cancelled(self, job_id: str) -> None:
        """Ask the owner to cancel a job. Raises OSError."""
        (self._root / f"{job_id}.cancel").touch()

    def cancel_wishes(self) -> list[str]:
        """The ids of jobs to be cancelled."""
        return [path.stem for path in self._root.glob("*.cancel")]

    def drop_wish(self, job_id: str) -> None:
        (self._root / f"{job_id}.cancel").unlink(missing_ok=True)

    def prune(self) -> None:
        """Forget all but the latest jobs that have ended, and what writers that died have left."""
        open_jobs = {record.job.id for record in self.unfinished()}
        for job_id in [known_id for known_id in self.ids() if known_id not in open_jobs][:-_KEPT]:
            self._path(job_id).unlink(missing_ok=True)
        for path in self._root.glob(".*.part"):
            with suppress(FileNotFoundError):  # its writer has just finished it
                if path.stat().st_mtime < time.time() - _WRITING_SECONDS:
                    path.unlink()

    def scrub(self, document_ids: Collection[str], uploads: Collection[str]) -> None:
        """Forget documents and uploads in the records of jobs that have ended. Raises OSError."""
        for job_id in self.ids():
            record = self.load(job_id)
            if record is None or record.is_open:
                continue
            if record.order.document in document_ids or not set(uploads).isdisjoint(record.order.uploads):
                record.scrub()
                self.save(record)

    def _path(self, job_id: str) -> Path:
        return self._root / f"{job_id}.json"
