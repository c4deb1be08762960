"""The conversations of the service: read and written by owner, one request of a session at a time, removed by age."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, Self

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import Checkpoint, CheckpointMetadata, CheckpointTuple, empty_checkpoint

from agents.sessions.backends import Saver, SessionBackend, backend_of, is_kept_anywhere
from agents.sessions.conversation import Conversation, Owner, first_version, new_version, written_at
from agents.sessions.errors import SessionBusy, SessionStoreRefused, SessionsUnavailable
from agents.sessions.link import StoreLink
from agents.sessions.order import TurnOrder
from schemas.health import CapabilityState
from utils.assistants.pack import DEFAULT_ASSISTANT
from utils.config.settings import Settings
from utils.observability.health import AVAILABLE, ProbeResult

logger = logging.getLogger(__name__)

_FIRST_SECONDS = 10.0  # for the start, which has tables made
_SHORTEST_ROUND, _LONGEST_ROUND = 1.0, 60.0  # seconds between two searches for what has expired
_AT_ONCE = 100
_POLL = 0.05
_PROBE = Owner("", "health")
_AWAY = "대화 저장소를 쓸 수 없어 이전 대화를 읽지 못하고 이번 대화를 저장하지 못합니다."


class SessionStore:
    """Conversations behind a checkpointer.

    ``max_turns`` and ``max_age`` (seconds since the last turn) bound a conversation; one that is older is not read any more,
    and removed within a minute.
    """

    def __init__(
        self,
        backend: SessionBackend,
        *,
        max_turns: int,
        max_age: float,
        seconds: float,
        wait: float,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """``seconds`` bound each call, ``wait`` the time until a session is free."""
        self._link = StoreLink(backend, seconds)
        self._order = TurnOrder()
        self.max_turns = max_turns
        self._max_age = timedelta(seconds=max_age)
        self._wait = wait
        self.clock = clock
        self._refused = False

    @classmethod
    def from_settings(cls, settings: Settings) -> Self | None:
        """The store that the settings name. None where sessions are off and none of before could be left to expire.

        Raises:
            SessionStoreRefused: it cannot be used.
        """
        if not settings.enable_sessions and not is_kept_anywhere(settings):
            return None
        return cls(
            backend_of(settings),
            max_turns=settings.session_max_turns,
            max_age=settings.session_max_age,
            seconds=settings.session_timeout,
            wait=settings.request_timeout / 2,
        )

    def use_secrets(self, settings: Settings) -> None:
        """Connect with the password of ``settings`` from now on. Raises `SessionStoreRefused` for an address that is none."""
        self._link.backend.use(settings.session_url)
        self._link.reconnect()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Open the store and remove what has expired, now and ever again; a store that is away is tried again.

        Raises:
            SessionStoreRefused: the store can never be used.
        """
        try:
            await self._link.use(_nothing, _FIRST_SECONDS)
        except SessionsUnavailable as error:
            if isinstance(error.__cause__, SessionStoreRefused):
                await self._link.aclose()
                raise error.__cause__ from None
        removing = asyncio.create_task(self._remove_for_ever(), name="sessions")
        try:
            yield
        finally:
            removing.cancel()
            await self._link.aclose()

    @asynccontextmanager
    async def turn(self, owner: Owner, session_id: str, assistant: str = DEFAULT_ASSISTANT) -> AsyncIterator[bool]:
        """Have a session for the length of the block, before all processes on the store; False where it is away.

        Raises:
            SessionBusy: another request had it for too long.
        """
        async with self._held(owner.thread(session_id, assistant), self._wait) as is_there:
            yield is_there

    async def read(self, owner: Owner, session_id: str, assistant: str = DEFAULT_ASSISTANT) -> Conversation | None:
        """The conversation with an assistant, None where there is none of this owner's.

        Raises:
            SessionsUnavailable: it cannot be read.
        """
        return self._conversation(await self._link.use(partial(_latest, owner.thread(session_id, assistant))))

    async def write(self, owner: Owner, conversation: Conversation) -> None:
        """Keep a conversation in place of the one before. Raises `SessionsUnavailable`."""
        now, thread = self.clock(), owner.thread(conversation.session_id, conversation.assistant)
        version, values = new_version(now, conversation.version), conversation.values
        checkpoint: Checkpoint = {
            **empty_checkpoint(),
            "id": version,
            "ts": now.isoformat(),
            "channel_values": values,
            "channel_versions": dict.fromkeys(values, version),
        }
        metadata: CheckpointMetadata = {"source": "update", "step": 0, "parents": {}, "run_id": owner.digest}

        async def put(saver: Saver) -> None:
            await saver.aput(_config(thread), checkpoint, metadata, checkpoint["channel_versions"])
            await saver.aprune([thread], strategy="keep_latest")

        try:
            await self._link.use(put)
        except SessionsUnavailable:
            self._refused = True
            raise
        self._refused = False

    async def listed(self, owner: Owner, limit: int, before: str | None) -> tuple[list[Conversation], str | None]:
        """The owner's conversations, the one used last first, and where the ones that follow begin.

        Raises:
            SessionsUnavailable: they cannot be read.
        """
        found = await self._found(owner, before, limit + 1)
        kept = []
        for thread, version in found[:limit]:
            conversation = self._conversation(await self._link.use(partial(_latest, thread)))
            if conversation is not None and conversation.version == version:  # else a killed process left an older one
                kept.append(conversation)
        return kept, found[limit - 1][1] if len(found) > limit else None

    async def delete(self, owner: Owner, session_id: str, assistant: str = DEFAULT_ASSISTANT) -> bool:
        """Remove a conversation, after the request that goes on with it; False where there is none.

        Raises:
            SessionsUnavailable: it may still be there.
            SessionBusy: a request has it for too long.
        """
        thread = owner.thread(session_id, assistant)
        async with self._held(thread, self._wait):
            found = await self._link.use(partial(_latest, thread))
            if found is None or self._is_expired(found):
                return False
            await self._link.use(partial(_delete, thread))
            await self._link.use(self._link.backend.tidy)
            return True

    async def delete_all(self, owner: Owner) -> int:
        """Remove all conversations of an owner; their number. Raises as `delete`."""
        deleted: set[str] = set()
        while found := {thread for thread, _ in await self._found(owner, None, _AT_ONCE)} - deleted:
            for thread in found:
                async with self._held(thread, self._wait):
                    await self._link.use(partial(_delete, thread))
            deleted |= found
        await self._link.use(self._link.backend.tidy)
        return len(deleted)

    async def remove_expired(self) -> int:
        """Remove the conversations whose time is up; their number. Raises `SessionsUnavailable`."""
        horizon = first_version(self.clock() - self._max_age)
        removed, place = 0, horizon
        while found := await self._found(None, place, _AT_ONCE):
            for thread in dict.fromkeys(thread for thread, _ in found):
                with suppress(SessionBusy):  # somebody goes on with it; what is expired of it is not read
                    async with self._held(thread, 0.0):
                        removed += await self._link.use(partial(_remove_older, thread, horizon))
            place = found[-1][1]
        await self._link.use(self._link.backend.tidy)
        return removed

    def expires(self, conversation: Conversation) -> datetime:
        """The time at which a conversation goes unless it is gone on with."""
        return conversation.updated + self._max_age

    async def health(self) -> ProbeResult:
        """The check of a health probe: reads, and writes if that failed the last time."""
        probe = Conversation.begun("health", self.clock())
        try:
            await self.read(_PROBE, probe.session_id)
            if self._refused:
                await self.write(_PROBE, probe)
                await self._link.use(partial(_delete, _PROBE.thread(probe.session_id)))
        except SessionsUnavailable:
            return ProbeResult(CapabilityState.UNAVAILABLE, _AWAY)
        return AVAILABLE

    @asynccontextmanager
    async def _held(self, thread: str, seconds: float) -> AsyncIterator[bool]:
        until = time.monotonic() + seconds
        async with self._order.turn(thread, seconds):
            is_locked = None
            try:
                is_locked = await self._lock(thread, until)
                yield is_locked
            finally:
                if is_locked is not False:  # None: whoever was cancelled may have it by now
                    await self._link.unlock(thread)

    async def _lock(self, thread: str, until: float) -> bool:
        """Take the lock of all processes; False where the store is away."""
        try:
            while not await self._link.lock(thread):
                if time.monotonic() > until:
                    raise SessionBusy
                await asyncio.sleep(_POLL)
        except SessionsUnavailable:
            return False
        return True

    async def _found(self, owner: Owner | None, before: str | None, limit: int) -> list[tuple[str, str]]:
        """Threads and versions of checkpoints, the latest first: those of an owner, those ``before`` a version."""
        wanted = None if owner is None else {"run_id": owner.digest}
        place = None if before is None else _config("", before)

        async def search(saver: Saver) -> list[tuple[str, str]]:
            entries = [entry async for entry in saver.alist(None, filter=wanted, before=place, limit=limit)]
            return [_place(entry) for entry in entries]

        return await self._link.use(search)

    def _conversation(self, entry: CheckpointTuple | None) -> Conversation | None:
        """The conversation of a checkpoint; what has expired, or makes no sense, counts as none."""
        if entry is None or self._is_expired(entry):
            return None
        try:
            return Conversation.stored(entry.checkpoint["channel_values"], entry.checkpoint["id"], self.max_turns)
        except (KeyError, TypeError, ValueError) as error:
            logger.warning("a conversation cannot be read: %s", type(error).__name__)
            return None

    def _is_expired(self, entry: CheckpointTuple) -> bool:
        return written_at(entry.checkpoint["id"]) < self.clock() - self._max_age

    async def _remove_for_ever(self) -> None:
        pause = min(_LONGEST_ROUND, max(_SHORTEST_ROUND, self._max_age.total_seconds() / 10))
        while True:
            with suppress(SessionsUnavailable):  # told in the log and by `health`
                await self.remove_expired()
            await asyncio.sleep(pause)


async def _nothing(saver: Saver) -> None:
    """Have the store opened."""


async def _latest(thread: str, saver: Saver) -> CheckpointTuple | None:
    return await saver.aget_tuple(_config(thread))


async def _delete(thread: str, saver: Saver) -> None:
    await saver.adelete_thread(thread)


async def _remove_older(thread: str, horizon: str, saver: Saver) -> int:
    """Delete a thread that was not gone on with; of another what a killed process left. The number of those deleted."""
    latest = await _latest(thread, saver)
    if latest is None or latest.checkpoint["id"] < horizon:
        await _delete(thread, saver)
        return 1
    await saver.aprune([thread], strategy="keep_latest")
    return 0


def _config(thread: str, version: str | None = None) -> RunnableConfig:
    place: dict[str, Any] = {"thread_id": thread, "checkpoint_ns": ""}
    return {"configurable": place if version is None else {**place, "checkpoint_id": version}}


def _place(entry: CheckpointTuple) -> tuple[str, str]:
    place = entry.config["configurable"]
    return place["thread_id"], place["checkpoint_id"]
