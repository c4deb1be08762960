"""The searcher of the current index version, exchanged while the service runs."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from utils.korean.glossary import Glossary
from utils.law.question_references import LawNameFinder
from utils.protocols import Analyzer, Embedder
from vectorstores.errors import KnowledgeIndexError
from vectorstores.index import KnowledgeIndex
from vectorstores.live.index_store import IndexStore
from vectorstores.live.opening import open_connected
from vectorstores.ranking.combiner import LinearCombiner
from vectorstores.rerankers.base import Reranker
from vectorstores.search.hybrid import HybridSearcher
from vectorstores.units.model import UnitModel
from vectorstores.versions.users import Users

logger = logging.getLogger(__name__)

_POLL_SECONDS = 2.0


class _OpenVersion:
    """A version and who searches it: the service while it is current, and every lease of it."""

    def __init__(self, owner: LiveSearch, searcher: HybridSearcher) -> None:
        self.owner = owner
        self.searcher = searcher
        self.users = Users()

    def release(self) -> None:
        """Give it back; the last one has it closed, in a thread, as that takes milliseconds."""
        if self.users.leave():
            threading.Thread(target=self.searcher.close, name="closing index").start()


_leased: ContextVar[_OpenVersion | None] = ContextVar("leased index version", default=None)


class LiveSearch:
    """Holds the searcher; `watch` adopts a new version within seconds.

    What has not changed between two versions stays open and is shared by both. The version before is closed as soon as the
    last `lease` of it ends.
    """

    def __init__(
        self,
        store: IndexStore,
        index: KnowledgeIndex,
        analyzer: Analyzer,
        embedder: Embedder,
        reranker: Reranker,
        glossary: Glossary,
        combiner: LinearCombiner | None,
        unit_model: UnitModel | None = None,
    ) -> None:
        """``index`` is the version of ``store`` to begin with."""
        self._store = store
        self._analyzer = analyzer
        self._embedder = embedder
        self._reranker = reranker
        self._glossary = glossary
        self._combiner = combiner
        self._unit_model = unit_model
        self._current = _OpenVersion(self, self._searcher(index))
        self._refreshing = asyncio.Lock()

    @property
    def searcher(self) -> HybridSearcher:
        """The searcher of the version leased around the caller, else of the current one."""
        leased = _leased.get()
        return (leased if leased is not None and leased.owner is self else self._current).searcher

    @property
    def version(self) -> str:
        return self.searcher.index.version

    @contextmanager
    def lease(self) -> Iterator[HybridSearcher]:
        """Keep one version open, and `searcher` the same, for the caller and the tasks and threads it hands its context to.

        A lease within a lease is one of the same version.
        """
        version = self._held()
        token = _leased.set(version)
        try:
            yield version.searcher
        finally:
            _leased.reset(token)
            version.release()

    def _held(self) -> _OpenVersion:
        leased = _leased.get()
        if leased is not None and leased.owner is self and leased.users.enter():
            return leased
        while not (current := self._current).users.enter():  # exchanged since it was read
            continue
        return current

    async def watch(self) -> None:
        """Adopt new versions until cancelled."""
        while True:
            await asyncio.sleep(_POLL_SECONDS)
            try:
                await self.refresh()
            except (KnowledgeIndexError, OSError) as error:
                logger.warning("새 색인 버전을 열 수 없어 지금 버전으로 계속 답합니다: %s", error)

    async def refresh(self) -> bool:
        """Adopt the current version if it is another one; True when it was.

        Raises:
            KnowledgeIndexError: the new version cannot be opened; the one before stays.
        """
        async with self._refreshing:  # two at once would open a version twice and close one of them never
            before = self._current
            opened = before.searcher.index
            if await asyncio.to_thread(self._store.current_version) == opened.version:
                return False
            index = await asyncio.to_thread(open_connected, self._store, opened)
            self._current = _OpenVersion(self, self._searcher(index))
            before.release()
            logger.info("새 색인 버전으로 바꾸었습니다: %s", index.version)
            return True

    def close(self) -> None:
        if self._current.users.leave():
            self._current.searcher.close()

    def _searcher(self, index: KnowledgeIndex) -> HybridSearcher:
        glossary = self._glossary
        law_names = LawNameFinder(glossary.laws.union(index.law_names()), glossary.law_aliases, glossary.ambiguous_laws)
        return HybridSearcher(
            index,
            self._analyzer,
            self._embedder,
            self._reranker,
            law_names,
            self._combiner,
            self._glossary.words,
            self._unit_model,
        )
