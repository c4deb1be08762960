"""``chat.log``: how each answer came about, for who operates the service; JSON lines in LOG_DIR, without personal data.

The question log beside it (`agents.question_log.log`) is for who writes the documents, and is kept for months. This one holds times, tokens and
scores as well, and only the last few files. Clients that leave no questions there leave none here.
"""

from __future__ import annotations

import asyncio
import logging
import queue
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from logging.handlers import QueueHandler, QueueListener, RotatingFileHandler
from pathlib import Path
from typing import Self, cast

import orjson

from agents.question_log.chat_lines import ChatLines, lock_of
from agents.question_log.files import append_whole, locked
from agents.question_log.records import AnsweredQuestion
from schemas.chat import AnswerMeta, ChatRequest, Evaluation, SourceItem
from schemas.health import CapabilityState
from utils.config.settings import Settings
from utils.observability.health import AVAILABLE, ProbeResult
from utils.observability.sparse_log import SparseLog

FILE = "chat.log"

logger = logging.getLogger(__name__)
_log = SparseLog(logger)
_GATHER_SECONDS = 0.2
_STOP_SECONDS = 5.0
_EXPIRE_SECONDS = 3_600.0
_WAITING = 1_000  # answers; a disk that is slower than the questions loses the others
_BROKEN = ProbeResult(CapabilityState.DEGRADED, "LOG_DIR에 쓸 수 없어 chat.log를 남기지 못합니다.")


@dataclass(frozen=True, slots=True)
class _Answered:
    request: ChatRequest
    answer: AnswerMeta
    client: str


class ChatLog:
    """Notes answers in a thread of its own; no chat waits for it or fails with it. Lines are kept ``days`` days."""

    def __init__(
        self, file: Path, *, file_bytes: int, files: int, days: int = 30, excluded: frozenset[str] = frozenset()
    ) -> None:
        self._lines = ChatLines(file, days)
        self._excluded = excluded
        self._waiting: queue.Queue[logging.LogRecord] = queue.Queue(_WAITING)
        self._queue = _AsItIs(self._waiting)
        self._file = _SharedFile(file, file_bytes, files)

    @classmethod
    def from_settings(cls, settings: Settings) -> Self | None:
        """The log that the settings ask for, None where it is switched off."""
        return cls.in_place_of(settings) if settings.enable_chat_log else None

    @classmethod
    def in_place_of(cls, settings: Settings) -> Self:
        """The log at the place that the settings name, also where it is switched off: lines of before may be there."""
        return cls(
            settings.log_dir / FILE,
            file_bytes=settings.chat_log_file_bytes,
            files=settings.chat_log_files,
            days=settings.chat_log_retention_days,
            excluded=frozenset(settings.question_log_excluded_clients),
        )

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Write while the block lasts, and remove what is too old; what waits at its end is written, unless the disk hangs."""
        listener = _Unhurried(self._waiting, self._file)
        listener.start()
        expiring = asyncio.create_task(self._expire_for_ever(), name="chat log")
        try:
            yield
        finally:
            expiring.cancel()
            stopping = asyncio.create_task(asyncio.to_thread(_stop, listener))
            await asyncio.wait({stopping}, timeout=_STOP_SECONDS)

    def note(self, request: ChatRequest, answer: AnswerMeta, client: str) -> None:
        """Have an answer to a client, given by name, written down; returns at once."""
        if client not in self._excluded:
            self._queue.handle(logging.makeLogRecord({"msg": _Answered(request, answer, client)}))

    async def of_user(self, client: str, user_id: str) -> list[dict[str, object]]:
        """Return the lines of a user of a client, both given by name. Raises OSError."""
        await self._written()
        return await asyncio.to_thread(self._lines.of_user, client, user_id)

    async def forget(self, client: str, user_id: str) -> int:
        """Remove the lines of a user, also those that wait to be written; their number. Raises OSError."""
        await self._written()
        return await asyncio.to_thread(self._lines.forget, client, user_id)

    async def expire(self) -> None:
        """Remove the lines that are too old now. Raises OSError."""
        await asyncio.to_thread(self._lines.expire)

    async def health(self) -> ProbeResult:
        """The check of a health probe: the last line could be written."""
        return _BROKEN if self._file.is_broken else AVAILABLE

    async def _written(self) -> None:
        """Wait until nothing waits any more, or the disk has had its time."""

        def wait() -> None:
            with self._waiting.all_tasks_done:
                self._waiting.all_tasks_done.wait_for(lambda: not self._waiting.unfinished_tasks, _STOP_SECONDS)

        await asyncio.to_thread(wait)

    async def _expire_for_ever(self) -> None:
        while True:
            try:
                await self.expire()
            except OSError as error:
                _log.warning(f"LOG_DIR: chat.log의 오래된 줄을 지울 수 없습니다 ({error.strerror or error}).")
            await asyncio.sleep(_EXPIRE_SECONDS)


class _Unhurried(QueueListener):
    """Lets lines gather, so that its thread takes the interpreter a few times a second and not within each request."""

    def dequeue(self, block: bool) -> logging.LogRecord:
        was_idle = self.queue.empty()  # type: ignore[attr-defined]
        record = super().dequeue(block)
        if was_idle:
            time.sleep(_GATHER_SECONDS)
        return record


def _stop(listener: QueueListener) -> None:
    with suppress(queue.Full):  # nothing more is written anyway
        listener.stop()


class _AsItIs(QueueHandler):
    """Hands records on without making their text, which the thread of the log does."""

    def prepare(self, record: logging.LogRecord) -> logging.LogRecord:
        return record

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - logging's name
        _log.warning("chat.log가 밀려 일부를 남기지 않습니다.")


class _SharedFile(RotatingFileHandler):
    """A file that several processes write and rotate, line by line under a lock."""

    def __init__(self, path: Path, file_bytes: int, files: int) -> None:
        self.is_broken = False
        self._path = path
        super().__init__(path, maxBytes=file_bytes, backupCount=files - 1, delay=True)

    def emit(self, record: logging.LogRecord) -> None:
        try:
            line = chat_line(cast(_Answered, record.msg))
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with locked(lock_of(self._path)):
                if self._path.exists() and self._path.stat().st_size + len(line) > self.maxBytes:
                    self.doRollover()
                append_whole(self._path, line)
            self.is_broken = False
        except OSError as error:
            self.is_broken = True
            _log.warning(f"LOG_DIR: {self._path.parent}에 chat.log를 남길 수 없습니다 ({error.strerror or error}).")
        except Exception:
            logger.exception("a line of chat.log could not be made")


def chat_line(answered: _Answered) -> bytes:
    """Return the line of an answer; times are milliseconds."""
    request, answer = answered.request, answered.answer
    noted = AnsweredQuestion.of(request, answer, answered.client).model_dump(mode="json", exclude={"kind", "cited"})
    more = {
        "sources": [_source(source) for source in answer.sources],
        "scores": _scores(answer.evaluation),
        "timings": answer.timing_metrics,
        "tokens": answer.token_usage.model_dump(),
        "retries": answer.retry_count,
    }
    return orjson.dumps(noted | more, option=orjson.OPT_APPEND_NEWLINE)


def _source(source: SourceItem) -> dict[str, object]:
    return {"index": source.index, "id": source.metadata.get("id"), "title": source.title}


def _scores(evaluation: Evaluation | None) -> dict[str, object]:
    if evaluation is None:
        return {}
    grounded = {"total": evaluation.total_score, "passed": evaluation.passed, "grounded": evaluation.grounding.passed}
    return {**evaluation.scores, **grounded}
