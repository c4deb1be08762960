"""Records of index jobs: one small JSON file each under ``DATA_DIR/jobs``, so that they outlive the service."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from schemas.vectordb import IndexJob, JobKind, JobState
from vectorstores.locks import FileLock

_FOLDER = "jobs"
_KEPT = 200
_ID = re.compile(r"[0-9]{8}T[0-9]{6}Z[0-9a-f]{8}")


class JobOrder(BaseModel):
    """What a job has to do: ingest ``uploads`` (keys of kept files) or remove ``document``."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    uploads: tuple[str, ...] = ()
    domain: str | None = None
    restore: bool = False
    document: str | None = None

    @property
    def kind(self) -> JobKind:
        return JobKind.INGEST if self.document is None else JobKind.DELETE


class JobRecord(BaseModel):
    """A job and its order."""

    job: IndexJob
    order: JobOrder


def new_job(order: JobOrder, files: Sequence[str] = ()) -> JobRecord:
    """A queued job; ids sort by time, and look like no account number, which logs would mask."""
    now = datetime.now(UTC)
    job = IndexJob(
        id=f"{now:%Y%m%dT%H%M%SZ}{secrets.token_hex(4)}",
        kind=order.kind,
        state=JobState.QUEUED,
        created=now,
        files=list(files),
        document=order.document,
        collection=order.domain,
    )
    return JobRecord(job=job, order=order)


class JobStore:
    """Reads and writes the records; blocking. Only the owner writes, any process may read."""

    def __init__(self, data_dir: Path) -> None:
        self._root = data_dir / _FOLDER

    def own(self) -> FileLock:
        """The right to run jobs here; raises BlockingIOError while another process has it."""
        self._root.mkdir(parents=True, exist_ok=True)
        return FileLock(self._root / "owner.lock", shared=False)

    def save(self, record: JobRecord) -> None:
        """Write a record so that it is there whole, even after a power cut."""
        part = self._root / f".{record.job.id}.part"
        with part.open("w", encoding="utf-8") as file:
            file.write(record.model_dump_json(indent=1))
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, self._path(record.job.id))

    def load(self, job_id: str) -> JobRecord | None:
        """A record; None when there is none, or it is no record."""
        if not _ID.fullmatch(job_id):
            return None
        try:
            return JobRecord.model_validate_json(self._path(job_id).read_bytes())
        except (FileNotFoundError, ValidationError):
            return None

    def unfinished(self) -> list[JobRecord]:
        """The records of jobs that are neither done nor failed, oldest first."""
        records = (self.load(path.stem) for path in sorted(self._root.glob("*.json")))
        return [record for record in records if record and record.job.state in (JobState.QUEUED, JobState.RUNNING)]

    def prune(self) -> None:
        """Forget all but the latest jobs that have ended."""
        open_jobs = {record.job.id for record in self.unfinished()}
        ended = [path for path in sorted(self._root.glob("*.json")) if path.stem not in open_jobs]
        for path in ended[:-_KEPT]:
            path.unlink(missing_ok=True)

    def _path(self, job_id: str) -> Path:
        return self._root / f"{job_id}.json"
