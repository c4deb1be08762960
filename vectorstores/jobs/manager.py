"""Changing the knowledge base of a running service: uploads and deletions as jobs, and the way back."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Sequence
from datetime import date
from typing import BinaryIO

from schemas.problems import ErrorCode, FieldProblem
from schemas.vectordb import IndexJob, IndexVersions, JobList, RolledBack, StatuteChange, StatuteChanges, StatuteUnit
from utils.config.settings import Settings
from utils.http.problems import ProblemError, retry_after
from vectorstores.build.draft import is_remembered
from vectorstores.errors import BuildInProgress, DiskFull, IndexMissing, KnowledgeIndexError
from vectorstores.integrity.disk import UPLOAD_FACTOR, free_bytes, is_disk_full, require_free, tree_bytes
from vectorstores.jobs.kept_versions import kept_versions
from vectorstores.jobs.records import JobOrder, Upload
from vectorstores.jobs.runner import JobEnded, JobQueueFull, JobRunner
from vectorstores.jobs.uploads import StoredUpload, UnknownUploadFormat, UploadRefused, UploadStore
from vectorstores.live.live_search import LiveSearch
from vectorstores.statute_book.changes import ArticleChange, counts_of
from vectorstores.statute_book.history import NoStatutes, NoVersionBefore, StatuteHistory
from vectorstores.versions.versions import IndexLayout, Pointer

logger = logging.getLogger(__name__)

_RETRY_SECONDS = 30.0
_REMEMBERED_JOBS = 200
_SHOWN_UNITS = 50
_FULL = "저장 공간이 모자라 받을 수 없습니다. 공간을 비우거나 문서를 지운 뒤 다시 시도해 주세요."
_UNWRITABLE = "파일을 저장할 수 없습니다. 저장 공간을 확인한 뒤 다시 시도해 주세요."


class KnowledgeManager:
    """Answers for one data directory. Every refusal is a `ProblemError`."""

    def __init__(self, settings: Settings, live: LiveSearch, runner: JobRunner) -> None:
        self._data_dir = settings.data_dir
        self._unnamed = settings.default_collection
        self._reserve = settings.disk_reserve_bytes
        self._live = live
        self._runner = runner
        self._uploads = UploadStore(settings.data_dir)
        self._layout = IndexLayout(settings.data_dir)
        self._statutes = StatuteHistory(self._layout)

    def check_room(self, size: int | None = None) -> None:
        """Refuse now what could not be queued, or an upload of ``size`` bytes, 0 if unknown, that could not be kept, later."""
        try:
            self._runner.check_room()
            if size is not None and free_bytes(self._data_dir) < size + self._reserve:
                raise ProblemError(ErrorCode.SERVICE_UNAVAILABLE, _FULL, headers=retry_after(_RETRY_SECONDS))
        except JobQueueFull as error:
            detail = "색인 작업이 많이 밀려 있습니다. 잠시 후 다시 시도해 주세요."
            raise ProblemError(ErrorCode.RATE_LIMITED, detail, headers=retry_after(_RETRY_SECONDS)) from error
        except OSError as error:
            raise _cannot_write(error) from error

    async def ingest(self, files: Sequence[Upload], domain: str | None, restore: bool) -> IndexJob:
        """Keep the files and queue their ingest; none is kept when one is refused."""
        kept: list[StoredUpload] = []
        try:
            await asyncio.to_thread(self._require_space, files)
            with await asyncio.to_thread(self._uploads.arriving):
                for number, file in enumerate(files):
                    kept.append(await self._keep(number, file))
                _check_collection(domain or self._unnamed, kept)
                names: dict[str, str] = {}
                for upload in kept:
                    names.setdefault(upload.key, upload.name)
                order = JobOrder(uploads=tuple(names), names=tuple(names.values()), domain=domain, restore=restore)
                return await self._submit(order, [upload.name for upload in kept])
        except ProblemError:
            await self._runner.expire_uploads([upload.key for upload in kept if upload.is_new])
            raise
        except OSError as error:
            await self._runner.expire_uploads([upload.key for upload in kept if upload.is_new])
            raise _cannot_write(error) from error

    def _require_space(self, files: Sequence[Upload]) -> None:
        """Room for the files, for a version with them beside the current one, and for deleting something after that."""
        try:
            index = tree_bytes(self._layout.root)
            needed = UPLOAD_FACTOR * sum(_size(file.content) for file in files) + index
            require_free(self._data_dir, needed + self._reserve)
        except DiskFull as error:
            logger.warning("upload refused: %s", error)
            raise ProblemError(ErrorCode.SERVICE_UNAVAILABLE, _FULL, headers=retry_after(_RETRY_SECONDS)) from error

    async def _keep(self, number: int, file: Upload) -> StoredUpload:
        try:
            return await asyncio.to_thread(self._uploads.keep, file.name, file.content)
        except UnknownUploadFormat as error:
            raise ProblemError(ErrorCode.UNSUPPORTED_MEDIA_TYPE, str(error)) from error
        except UploadRefused as error:
            problem = FieldProblem(path=f"files.{number}", message=str(error))
            raise ProblemError(ErrorCode.VALIDATION_FAILED, errors=[problem]) from error

    async def delete(self, document_id: str, purge: bool) -> IndexJob:
        """Queue the removal of a document, or of all pages of a PDF; with ``purge`` of every trace, though it be deleted before."""
        known = await asyncio.to_thread(self._is_held, document_id)
        if not known and not (purge and await self._is_remembered(document_id)):
            raise ProblemError(ErrorCode.NOT_FOUND, "그런 문서가 없습니다.")
        try:
            return await self._submit(JobOrder(document=document_id, purge=purge), [])
        except OSError as error:
            raise _cannot_write(error) from error

    def _is_held(self, document_id: str) -> bool:
        with self._live.lease() as searcher:
            return any(collection.has_document(document_id) for collection in searcher.index.collections.values())

    async def _is_remembered(self, document_id: str) -> bool:
        """Return True if there may be traces of a document that the current version does not hold."""
        if any(job.document == document_id for job in await self._runner.latest(_REMEMBERED_JOBS)):
            return True
        try:
            return await asyncio.to_thread(is_remembered, self._layout, document_id)
        except KnowledgeIndexError as error:
            logger.warning("what earlier versions hold cannot be read: %s", error)
            return True

    async def _submit(self, order: JobOrder, names: Sequence[str]) -> IndexJob:
        self.check_room()
        return await self._runner.submit(order, names)

    async def job(self, job_id: str) -> IndexJob:
        """A job by its id."""
        job = await self._runner.job(job_id)
        if job is None:
            raise ProblemError(ErrorCode.NOT_FOUND, "그런 작업이 없습니다.")
        return job

    async def jobs(self, count: int) -> JobList:
        """The latest jobs."""
        return JobList(jobs=await self._runner.latest(count))

    async def cancel(self, job_id: str) -> IndexJob:
        """Have a job cancelled that has not ended."""
        try:
            job = await self._runner.cancel(job_id)
        except JobEnded as error:
            raise ProblemError(ErrorCode.CONFLICT, "이미 끝난 작업이라 취소할 수 없습니다.") from error
        except OSError as error:
            raise _cannot_write(error) from error
        if job is None:
            raise ProblemError(ErrorCode.NOT_FOUND, "그런 작업이 없습니다.")
        return job

    async def versions(self) -> IndexVersions:
        """The versions that are kept: the one in use, and the one before it."""
        try:
            return IndexVersions(versions=await asyncio.to_thread(kept_versions, self._layout))
        except KnowledgeIndexError as error:
            logger.warning("the versions of the index cannot be read: %s", error)
            detail = "색인 버전을 읽을 수 없습니다. 잠시 후 다시 시도해 주세요."
            raise ProblemError(ErrorCode.SERVICE_UNAVAILABLE, detail, headers=retry_after(_RETRY_SECONDS)) from error

    async def rollback(self) -> RolledBack:
        """Go back one version, and stay where this service cannot use it."""
        try:
            pointer = await asyncio.to_thread(self._roll_back)
        except BuildInProgress as error:
            raise ProblemError(
                ErrorCode.CONFLICT, "색인 작업이 진행 중입니다. 끝난 뒤에 다시 시도해 주세요."
            ) from error
        except IndexMissing as error:
            raise ProblemError(ErrorCode.CONFLICT, "되돌릴 이전 버전이 없습니다.") from error
        except OSError as error:
            raise _cannot_write(error) from error
        try:
            await self._live.refresh()
        except KnowledgeIndexError as error:
            logger.warning("이전 버전을 열 수 없어 되돌리지 않았습니다: %s", error)
            await asyncio.to_thread(self._roll_back)
            raise ProblemError(
                ErrorCode.CONFLICT, "이전 버전은 지금 설정으로 쓸 수 없어 되돌리지 않았습니다."
            ) from error
        return RolledBack(version=pointer.current, previous=pointer.previous)

    async def statute_changes(
        self, before: str | None, after: str | None, offset: int, limit: int, today: date
    ) -> StatuteChanges:
        """Return a page of what became of the statutes between two kept versions of the index."""
        try:
            compared = await asyncio.to_thread(self._statutes.between, before, after, today)
        except NoVersionBefore as error:
            raise ProblemError(ErrorCode.CONFLICT, "비교할 이전 버전이 없습니다.") from error
        except NoStatutes as error:
            raise ProblemError(ErrorCode.NOT_FOUND, "색인에 법령이 없습니다.") from error
        except IndexMissing as error:
            raise ProblemError(
                ErrorCode.NOT_FOUND,
                "그런 색인 버전이 없거나 이제 보관하지 않습니다. 지금 버전과 바로 전 버전을 비교할 수 있습니다.",
            ) from error
        except (KnowledgeIndexError, OSError) as error:
            logger.warning("versions of the statutes cannot be compared: %s", error)
            detail = "색인 버전을 읽을 수 없습니다. 잠시 후 다시 시도해 주세요."
            raise ProblemError(ErrorCode.SERVICE_UNAVAILABLE, detail, headers=retry_after(_RETRY_SECONDS)) from error
        return StatuteChanges(
            from_version=compared.before,
            to_version=compared.after,
            counts=counts_of(compared.changes),
            total=len(compared.changes),
            offset=offset,
            changes=[_statute_change(change) for change in compared.changes[offset : offset + limit]],
        )

    def _roll_back(self) -> Pointer:
        with self._layout.lock_for_build():
            return self._layout.rollback()


def _statute_change(change: ArticleChange) -> StatuteChange:
    return StatuteChange(
        kind=change.kind.value,
        law=change.law,
        article=change.article,
        heading=change.heading,
        upcoming=change.upcoming,
        units=[StatuteUnit(document=unit.document, unit=unit.unit) for unit in change.units[:_SHOWN_UNITS]],
        unit_count=len(change.units),
    )


def _check_collection(domain: str | None, kept: Sequence[StoredUpload]) -> None:
    if domain is None and any(upload.needs_collection for upload in kept):
        missing = FieldProblem(path="collection", message="PDF와 안내문에는 컬렉션이 필요합니다.")
        raise ProblemError(ErrorCode.VALIDATION_FAILED, errors=[missing])


def _size(file: BinaryIO) -> int:
    """Bytes from where it stands to its end."""
    here = file.tell()
    size = file.seek(0, os.SEEK_END) - here
    file.seek(here)
    return size


def _cannot_write(error: OSError) -> ProblemError:
    logger.error("index change refused: %s", error)
    detail = _FULL if is_disk_full(error) else _UNWRITABLE
    return ProblemError(ErrorCode.SERVICE_UNAVAILABLE, detail, headers=retry_after(_RETRY_SECONDS))
