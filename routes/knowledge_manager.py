"""Changing the knowledge base of a running service: uploads and deletions as jobs, and the way back."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence

from routes.dependencies import Upload
from schemas.problems import ErrorCode, FieldProblem
from schemas.vectordb import IndexJob, RolledBack
from utils.config.settings import Settings
from utils.problems import ProblemError, retry_after
from vectorstores.errors import BuildInProgress, IndexMissing, KnowledgeIndexError
from vectorstores.job_runner import JobQueueFull, JobRunner, JobsElsewhere
from vectorstores.jobs import JobOrder
from vectorstores.live import LiveSearch
from vectorstores.uploads import StoredUpload, UnknownUploadFormat, UploadRefused, UploadStore
from vectorstores.versions import IndexLayout, Pointer

logger = logging.getLogger(__name__)

_RETRY_SECONDS = 30.0


class KnowledgeManager:
    """Answers for one data directory. Every refusal is a `ProblemError`."""

    def __init__(self, settings: Settings, live: LiveSearch, runner: JobRunner) -> None:
        self._live = live
        self._runner = runner
        self._uploads = UploadStore(settings.data_dir)
        self._layout = IndexLayout(settings.data_dir)

    def check_room(self) -> None:
        """Refuse now what could not be queued later."""
        try:
            self._runner.check_room()
        except JobQueueFull as error:
            detail = "색인 작업이 많이 밀려 있습니다. 잠시 후 다시 시도해 주세요."
            raise ProblemError(ErrorCode.RATE_LIMITED, detail, headers=retry_after(_RETRY_SECONDS)) from error
        except JobsElsewhere as error:
            raise ProblemError(ErrorCode.CONFLICT, "이 프로세스는 색인 작업을 맡고 있지 않습니다.") from error

    async def ingest(self, files: Sequence[Upload], domain: str | None, restore: bool) -> IndexJob:
        """Keep the files and queue their ingest; none is kept when one is refused."""
        kept: list[StoredUpload] = []
        try:
            for number, file in enumerate(files):
                kept.append(await self._keep(number, file))
            _check_collection(domain, kept)
            order = JobOrder(uploads=tuple(dict.fromkeys(one.key for one in kept)), domain=domain, restore=restore)
            return await self._submit(order, [one.name for one in kept])
        except ProblemError:
            for one in kept:
                await asyncio.to_thread(self._uploads.discard, one)
            raise

    async def _keep(self, number: int, file: Upload) -> StoredUpload:
        try:
            return await asyncio.to_thread(self._uploads.keep, file.name, file.content)
        except UnknownUploadFormat as error:
            raise ProblemError(ErrorCode.UNSUPPORTED_MEDIA_TYPE, str(error)) from error
        except UploadRefused as error:
            problem = FieldProblem(path=f"files.{number}", message=str(error))
            raise ProblemError(ErrorCode.VALIDATION_FAILED, errors=[problem]) from error
        except OSError as error:
            raise _cannot_write(error) from error

    async def delete(self, document_id: str) -> IndexJob:
        """Queue the removal of a document, or of all pages of a PDF."""
        collections = self._live.searcher.index.collections.values()
        known = await asyncio.to_thread(lambda: any(one.has_document(document_id) for one in collections))
        if not known:
            raise ProblemError(ErrorCode.NOT_FOUND, "그런 문서가 없습니다.")
        return await self._submit(JobOrder(document=document_id), [])

    async def _submit(self, order: JobOrder, names: Sequence[str]) -> IndexJob:
        self.check_room()
        try:
            return await self._runner.submit(order, names)
        except OSError as error:
            raise _cannot_write(error) from error

    async def job(self, job_id: str) -> IndexJob:
        """A job by its id."""
        job = await self._runner.job(job_id)
        if job is None:
            raise ProblemError(ErrorCode.NOT_FOUND, "그런 작업이 없습니다.")
        return job

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
        try:
            await self._live.refresh()
        except KnowledgeIndexError as error:
            logger.warning("이전 버전을 열 수 없어 되돌리지 않았습니다: %s", error)
            await asyncio.to_thread(self._roll_back)
            raise ProblemError(
                ErrorCode.CONFLICT, "이전 버전은 지금 설정으로 쓸 수 없어 되돌리지 않았습니다."
            ) from error
        return RolledBack(version=pointer.current, previous=pointer.previous)

    def _roll_back(self) -> Pointer:
        with self._layout.lock_for_build():
            return self._layout.rollback()


def _check_collection(domain: str | None, kept: Sequence[StoredUpload]) -> None:
    if domain is None and any(one.needs_collection for one in kept):
        missing = FieldProblem(path="collection", message="PDF와 안내문에는 컬렉션이 필요합니다.")
        raise ProblemError(ErrorCode.VALIDATION_FAILED, errors=[missing])


def _cannot_write(error: OSError) -> ProblemError:
    logger.error("upload or job record: %s", error)
    detail = "파일을 저장할 수 없습니다. 저장 공간을 확인한 뒤 다시 시도해 주세요."
    return ProblemError(ErrorCode.SERVICE_UNAVAILABLE, detail, headers=retry_after(_RETRY_SECONDS))
