"""The audit log for the routes: a write is noted before it begins, and what became of it when it has ended."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

from schemas.administration.audit import AuditKind, AuditOutcome, AuditPage, Details
from schemas.problems import ErrorCode
from utils.administration.audit import AuditTrail
from utils.administration.audit_records import Actor, AuditedWrite, AuditFilter, WriteResult
from utils.http.problems import ProblemError, retry_after
from utils.routing.database import DomainStoreError

logger = logging.getLogger(__name__)

_RETRY_SECONDS = 10.0
_NOT_NOTED = "감사 기록을 남길 수 없어 작업을 하지 않았습니다. 바뀐 것은 없습니다. 잠시 후 다시 시도해 주세요."
_UNREADABLE = "지금은 감사 기록을 읽을 수 없습니다. 잠시 후 다시 시도해 주세요."


class AuditService:
    """Notes the writes of one process. Every refusal is a `ProblemError`."""

    def __init__(self, trail: AuditTrail) -> None:
        self._trail = trail

    @asynccontextmanager
    async def writing(
        self, kind: AuditKind, target: str, actor: Actor, details: Details | None = None
    ) -> AsyncIterator[WriteResult]:
        """Note a write, let the block do it, and note how it ended; where the first cannot be noted the block does not begin.

        Where the end cannot be noted the write has still happened: its entry stays ``unconfirmed``.
        """
        written = AuditedWrite(kind, target, actor, AuditOutcome.UNCONFIRMED, details=details)
        begun = await self._begin(written)
        result, outcome = WriteResult(), AuditOutcome.FAILED
        try:
            yield result
            outcome = AuditOutcome.DONE
        except ProblemError as problem:
            outcome = AuditOutcome.REFUSED if problem.status < 500 else AuditOutcome.FAILED
            raise
        finally:
            ended = replace(
                written, outcome=outcome, before=result.before, after=result.after, details=result.details or None
            )
            await self._end(ended, begun)

    async def page(self, wanted: AuditFilter, limit: int) -> AuditPage:
        """Return the youngest entries that are wanted."""
        try:
            return await asyncio.to_thread(self._trail.page, wanted, limit)
        except DomainStoreError as error:
            logger.warning("the audit log cannot be read: %s", error)
            raise ProblemError(
                ErrorCode.SERVICE_UNAVAILABLE, _UNREADABLE, headers=retry_after(_RETRY_SECONDS)
            ) from error

    async def _begin(self, written: AuditedWrite) -> int:
        try:
            return await asyncio.to_thread(self._trail.note, written)
        except DomainStoreError as error:
            logger.warning("a write was refused, for the audit log cannot be written: %s", error)
            raise ProblemError(
                ErrorCode.SERVICE_UNAVAILABLE, _NOT_NOTED, headers=retry_after(_RETRY_SECONDS)
            ) from error

    async def _end(self, ended: AuditedWrite, begun: int) -> None:
        try:
            await asyncio.to_thread(self._trail.note, ended, begun)
        except DomainStoreError:
            logger.exception("entry %d of the audit log stays unconfirmed (%s)", begun, ended.outcome.value)
