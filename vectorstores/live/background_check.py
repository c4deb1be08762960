"""Reads the whole index every few hours while the service runs, so that what breaks after its opening becomes known."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from vectorstores.index import CollectionIndex, KnowledgeIndex
from vectorstores.integrity.checksums import damaged_files, part_of
from vectorstores.integrity.damage_messages import is_unusable
from vectorstores.live.index_store import IndexStore

logger = logging.getLogger(__name__)

PERIOD_SECONDS = 6 * 3600.0
_PAUSE_SECONDS = 0.001  # after each MiB, about as long as it takes: half of one core at most
_NICENESS = 19  # requests go first


class _Stopped(Exception):
    """The service ends."""


class BackgroundCheck:
    """Checks every build that answers are made from, once in a period: opening compares all of a build, so there is no hurry."""

    def __init__(
        self, store: IndexStore, current: Callable[[], KnowledgeIndex], period: float = PERIOD_SECONDS
    ) -> None:
        """``current`` gives the version that answers are made from; what is damaged of it is taken out or replaced there."""
        self._store = store
        self._current = current
        self._period = period
        self._stop = threading.Event()

    async def watch(self) -> None:
        """Check until cancelled."""
        loop = asyncio.get_running_loop()
        thread = ThreadPoolExecutor(1, thread_name_prefix="integrity", initializer=_give_way)
        try:
            while True:
                await asyncio.sleep(self._period)
                await loop.run_in_executor(thread, self.check)
        finally:
            self._stop.set()
            thread.shutdown()

    def check(self) -> None:
        """Read every build of the current version; blocking, until the watch is cancelled."""
        with contextlib.suppress(_Stopped):
            self._check()

    def _check(self) -> None:
        index = self._current()
        for collection in list(index.collections.values()):
            if collection.is_stand_in:
                continue
            damaged = damaged_files(collection.directory, collection.build.files, self._pause)
            if damaged:
                self._take_out(index, collection, damaged)

    def _take_out(self, index: KnowledgeIndex, collection: CollectionIndex, damaged: list[str]) -> None:
        logger.error("%s: 파일이 없거나 손상되었습니다: %s", collection.name, ", ".join(damaged))
        parts = {part_of(name) for name in damaged}
        if is_unusable(parts):
            index.replace(collection.name, self._store.stand_in(index.manifest, collection.build))
        else:
            collection.take_out(parts)

    def _pause(self) -> None:
        if self._stop.wait(_PAUSE_SECONDS):
            raise _Stopped


def _give_way() -> None:
    with contextlib.suppress(OSError):  # where a thread has no priority of its own
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICENESS)
