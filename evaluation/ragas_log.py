"""RAGAS scores of the answers a running service gives: JSON lines in ``ragas.log``, written behind the users' backs."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

import orjson

from evaluation.ragas_evaluator import RagasEvaluator, RagasSample
from schemas.chat import ChatRequest, ChatResponse
from utils.observability.personal_data import mask_personal_data

logger = logging.getLogger(__name__)

_WAITING = 20  # answers; scoring takes longer than answering, so under load most are let go


class ScoreFile:
    """JSON lines in a file; what cannot be written there goes to the log of the service, which says so once."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._is_told = False

    def open(self) -> bool:
        """Make the folder and the file; return whether they can be written. A warning says so where they cannot."""
        return self._append(b"")

    def write(self, entry: Mapping[str, object]) -> None:
        """Add an entry."""
        if not self._append(orjson.dumps(entry, option=orjson.OPT_APPEND_NEWLINE)):
            logger.info("RAGAS", extra={"ragas": dict(entry)})

    def _append(self, line: bytes) -> bool:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("ab") as file:
                file.write(line)
        except OSError as error:
            if not self._is_told:
                logger.warning(
                    "LOG_DIR: %s에 쓸 수 없어 점수를 이 로그에 남깁니다 (%s)", self._path.parent, error.strerror
                )
            self._is_told = True
            return False
        self._is_told = False
        return True


class RagasLog:
    """Scores answers one after the other, in the background, and never makes anybody wait."""

    def __init__(self, evaluator: RagasEvaluator, file: Path) -> None:
        self._evaluator = evaluator
        self._file = ScoreFile(file)
        self._waiting: asyncio.Queue[tuple[ChatRequest, ChatResponse]] = asyncio.Queue(_WAITING)

    def observe(self, request: ChatRequest, response: ChatResponse) -> None:
        """Have an answer scored, if it was written from documents and not too many are waiting."""
        if not response.read:
            return
        try:
            self._waiting.put_nowait((request, response))
        except asyncio.QueueFull:
            logger.info("RAGAS: answer %s is not scored, too many are waiting", response.request_id)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Score while the block lasts; what waits at its end is let go."""
        await asyncio.to_thread(self._file.open)
        worker = asyncio.create_task(self._score_all(), name="ragas")
        try:
            yield
        finally:
            worker.cancel()
            await asyncio.wait({worker})

    async def _score_all(self) -> None:
        while True:
            request, response = await self._waiting.get()
            try:
                entry = await self._entry(request, response)
                await asyncio.to_thread(self._file.write, entry)
            except Exception:
                logger.exception("RAGAS: answer %s could not be scored", response.request_id)

    async def _entry(self, request: ChatRequest, response: ChatResponse) -> dict[str, object]:
        contexts = tuple(source.content for source in response.read)
        scores = await self._evaluator.score(RagasSample(request.message, response.content, contexts))
        return {
            "time": datetime.now(UTC).isoformat(timespec="seconds"),
            "request_id": response.request_id,
            "question": mask_personal_data(request.message),
            "domains": response.domains,
            "model": response.model,
            **scores.as_dict(),
        }
