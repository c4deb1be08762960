"""The question log as the service uses it: it writes in a thread of its own, and no chat waits for it or fails with it."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager
from threading import BoundedSemaphore, Lock
from typing import Self, TypeVar

from agents.question_log.journal import Journal
from agents.question_log.records import AnsweredQuestion, GivenFeedback
from schemas.chat import AnswerMeta, ChatRequest
from schemas.feedback import Feedback, FeedbackRequest
from schemas.health import CapabilityState
from utils.config.settings import Settings
from utils.observability.health import AVAILABLE, ProbeResult
from utils.observability.sparse_log import SparseLog

logger = logging.getLogger(__name__)
_log = SparseLog(logger)

_GATHER_SECONDS = 0.2
_WAITING = 1_000  # lines; a disk that is slower than the questions loses the others
_PURGE_SECONDS = 3_600.0
_STOP_SECONDS = 5.0
_BROKEN = ProbeResult(
    CapabilityState.DEGRADED, "데이터 폴더에 쓸 수 없어 질문 기록을 남기지 못하고 의견을 받지 못합니다."
)

_CROWDED = "질문 기록이 밀려 일부를 남기지 않습니다."

T = TypeVar("T")
_Answered = tuple[ChatRequest, AnswerMeta, str]


class LogUnavailable(Exception):
    """The log cannot be read or written at the moment."""


class QuestionLog:
    """Notes answers and takes verdicts on them. Clients of ``excluded``, given by name, leave no trace."""

    def __init__(self, journal: Journal, excluded: frozenset[str] = frozenset()) -> None:
        self._journal = journal
        self._excluded = excluded
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="question log")
        self._room = BoundedSemaphore(_WAITING)
        self._is_broken = False
        self._gathered: list[_Answered] = []
        self._gathering = Lock()

    @classmethod
    def from_settings(cls, settings: Settings) -> Self | None:
        """The log that the settings ask for, None where it is switched off."""
        return cls.in_place_of(settings) if settings.enable_question_log else None

    @classmethod
    def in_place_of(cls, settings: Settings) -> Self:
        """The log at the place that the settings name, also where it is switched off: lines of before may be there."""
        journal = Journal(
            settings.data_dir,
            days=settings.question_log_days,
            file_bytes=settings.question_log_file_bytes,
            files=settings.question_log_files,
        )
        return cls(journal, frozenset(settings.question_log_excluded_clients))

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Remove what is too old, now and every hour; what waits at the end of the block is written."""
        for look in (self._journal.check, self._journal.purge):
            self._submit(look)
        purging = asyncio.create_task(self._purge(), name="question log")
        try:
            yield
        finally:
            purging.cancel()
            closing = asyncio.create_task(asyncio.to_thread(self._thread.shutdown))
            await asyncio.wait({closing}, timeout=_STOP_SECONDS)

    def note(self, request: ChatRequest, answer: AnswerMeta, client: str) -> None:
        """Have an answer to a client, given by name, written down with those of the next moment; returns at once."""
        if client in self._excluded:
            return
        if not self._room.acquire(blocking=False):
            _log.warning(_CROWDED)
            return
        with self._gathering:
            is_first = not self._gathered
            self._gathered.append((request, answer, client))
        if is_first:
            self._submit(self._write_gathered)

    def _write_gathered(self) -> None:
        # a thread that wakes for each answer takes the interpreter from the requests
        time.sleep(_GATHER_SECONDS)
        with self._gathering:
            gathered, self._gathered = self._gathered, []
        try:
            self._journal.append(*(AnsweredQuestion.of(*answered) for answered in gathered))
        finally:
            self._room.release(len(gathered))

    async def give(self, given: FeedbackRequest, client: str) -> Feedback | None:
        """Keep the verdict of a client, given by name; None if it was not answered so, or too long ago.

        Raises:
            LogUnavailable: nothing can be kept.
        """

        def kept() -> Feedback | None:
            if not self._journal.knows(given.request_id, client):
                return None
            line = GivenFeedback.of(given, client)
            self._journal.append(line)
            return line.as_kept()

        return await self._behind(kept)

    async def of_user(self, client: str, user_id: str) -> list[AnsweredQuestion | GivenFeedback]:
        """Return what is kept of a user of a client, both given by name. Raises `LogUnavailable`."""
        return await self._behind(lambda: self._journal.of_user(client, user_id))

    async def forget(self, client: str, user_id: str) -> int:
        """Remove what is kept of a user, also what waits to be written; the number of lines. Raises `LogUnavailable`."""
        return await self._behind(lambda: self._journal.forget(client, user_id))

    async def expire(self) -> None:
        """Remove what is too old now. Raises `LogUnavailable`."""
        await self._behind(self._journal.purge)

    async def health(self) -> ProbeResult:
        """The check of a health probe: the last line could be written."""
        return _BROKEN if self._is_broken else AVAILABLE

    async def _behind(self, work: Callable[[], T]) -> T:
        """Do some work behind the lines that wait: an answer that it looks for may be among them. Raises `LogUnavailable`."""
        waiting = self._begin(lambda: self._told(work))
        if waiting is None:
            raise LogUnavailable
        return await asyncio.wrap_future(waiting)

    def _submit(self, write: Callable[[], None]) -> None:
        if self._begin(lambda: self._quietly(write)) is None:
            _log.warning(_CROWDED)

    def _begin(self, work: Callable[[], T]) -> Future[T] | None:
        """Have some work done in the thread of the log, after what waits there; None where too much does, or at the end."""
        if not self._room.acquire(blocking=False):
            return None
        try:
            future = self._thread.submit(work)
        except RuntimeError:  # the service is being closed
            self._room.release()
            return None
        future.add_done_callback(lambda _: self._room.release())  # also of a verdict whose client has left
        return future

    def _quietly(self, write: Callable[[], None]) -> None:
        try:
            self._told(write)
        except LogUnavailable:  # it is logged, and /health says it
            return
        except Exception:
            logger.exception("a line of the question log could not be made")

    def _told(self, work: Callable[[], T]) -> T:
        """Do some work; tells once that the disk fails, and once that it is back.

        Raises:
            LogUnavailable: the disk fails.
        """
        try:
            result = work()
        except OSError as error:
            if not self._is_broken:
                logger.warning("질문 기록을 남길 수 없습니다 (%s)", error.strerror or error)
            self._is_broken = True
            raise LogUnavailable from error
        if self._is_broken:
            logger.info("질문 기록을 다시 남깁니다.")
        self._is_broken = False
        return result

    async def _purge(self) -> None:
        while True:
            await asyncio.sleep(_PURGE_SECONDS)
            self._submit(self._journal.purge)
