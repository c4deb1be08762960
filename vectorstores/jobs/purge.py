"""Destroying what a purge has removed from the index wherever else it may stand: earlier versions, uploads, job records, kept
answers.

What the operator copied elsewhere (backups, snapshots of the disk) is not reached from here; see
docs/decisions/0020-jobs-that-come-back.md.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Collection

from schemas.vectordb import JobProblem
from utils.config.settings import Settings
from vectorstores.backends.vectors import vector_server
from vectorstores.jobs.process import JobOutcome, forget_outcomes
from vectorstores.jobs.records import JobRecord, JobStore
from vectorstores.jobs.uploads import UploadStore
from vectorstores.versions.cleanup import clean_up_when_free
from vectorstores.versions.versions import IndexLayout

logger = logging.getLogger(__name__)

_SEARCH_SECONDS = 90.0  # no request lives longer; after that a version goes though somebody has it open
_MOST_SECONDS = 120.0
_RETRY_SECONDS = 0.2
_NOT_ALL = "색인에서는 지웠지만 디스크에 쓸 수 없어 흔적이 남았을 수 있습니다. 다시 요청해 주세요."
_ANSWERS_LEFT = "공유 캐시에 닿지 않아, 거기 보관된 답변은 보관 기간(CACHE_TTL)이 지나야 없어집니다."


class Eraser:
    """Removes what one data directory holds beside the current version."""

    def __init__(self, settings: Settings, store: JobStore, forget: Callable[[], Awaitable[bool]]) -> None:
        """``forget`` drops kept answers and says whether all are gone."""
        self.layout = IndexLayout(settings.data_dir)
        self._server = vector_server(settings)
        self._store = store
        self._uploads = UploadStore(settings.data_dir)
        self._days = settings.upload_retention_days
        self._overdue: set[str] = set()  # uploads to go at once, which others kept from going
        self._forget = forget

    async def erase(self, record: JobRecord, outcome: JobOutcome) -> JobOutcome:
        """Destroy what a purge has removed from the index, its own record's words about it included."""
        origins = outcome.origins
        document_ids = [record.order.document] if record.order.document is not None else []
        all_forgotten = await self._forget()
        begun = time.monotonic()
        while True:
            waited = time.monotonic() - begun
            if await asyncio.to_thread(self._erase_files, document_ids, origins, waited > _SEARCH_SECONDS):
                break
            if waited > _MOST_SECONDS:
                return outcome.model_copy(update={"reason": _NOT_ALL})
            await asyncio.sleep(_RETRY_SECONDS)
        record.scrub()
        try:
            await asyncio.to_thread(self._store.save, record)  # before anybody is told that nothing is left
        except OSError as error:
            logger.warning("a purge could not be completed: %s", error)
            return outcome.model_copy(update={"reason": _NOT_ALL})
        notes = [] if all_forgotten else [JobProblem(file="", message=_ANSWERS_LEFT)]
        return outcome.model_copy(update={"origins": [], "problems": [], "notes": notes})

    def _erase_files(self, document_ids: Collection[str], origins: Collection[str], in_use: bool) -> bool:
        """Erase the files that hold the documents; return True if everything is gone."""
        if not clean_up_when_free(self.layout, self._server, in_use=in_use):
            return False
        try:
            forget_outcomes(self.layout)
            self._store.scrub(document_ids, origins)
        except OSError as error:
            logger.warning("a purge could not be completed: %s", error)
            return False
        return self.expire_uploads(origins)

    def expire_uploads(self, at_once: Collection[str] = ()) -> bool:
        """Remove the uploads that no job needs any more, those ``at_once`` however young.

        False when that has to wait; they go the next time.
        """
        self._overdue.update(at_once)
        due = frozenset(self._overdue)
        is_done = self._uploads.expire(self._needed, self._days, due)
        if is_done:
            self._overdue.difference_update(due)
        return is_done

    def clean(self) -> bool:
        """Remove what builds and uploads have left; False when some of it has to wait, for somebody still needs it."""
        index_is_clean = clean_up_when_free(self.layout, self._server)
        return self.expire_uploads() and index_is_clean

    def _needed(self) -> set[str]:
        return {upload for record in self._store.unfinished() for upload in record.order.uploads}
