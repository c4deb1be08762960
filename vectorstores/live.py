"""The searcher of the current index version, exchanged while the service runs."""

from __future__ import annotations

import asyncio
import logging

from utils.glossary import Glossary
from utils.legal_reference import LawNameFinder
from utils.protocols import Analyzer, Embedder
from vectorstores.errors import KnowledgeIndexError
from vectorstores.index import IndexStore, KnowledgeIndex
from vectorstores.opening import open_connected
from vectorstores.ranking.combiner import LinearCombiner
from vectorstores.rerankers.base import Reranker
from vectorstores.search import HybridSearcher

logger = logging.getLogger(__name__)

_POLL_SECONDS = 2.0
_GRACE_SECONDS = 60.0  # a search of the version before may still be under way; no request lives longer


class LiveSearch:
    """Holds the searcher; `watch` adopts a new version within seconds and closes the one before after a grace time."""

    def __init__(
        self,
        store: IndexStore,
        index: KnowledgeIndex,
        analyzer: Analyzer,
        embedder: Embedder,
        reranker: Reranker,
        glossary: Glossary,
        combiner: LinearCombiner | None,
    ) -> None:
        """``index`` is the version of ``store`` to begin with."""
        self._store = store
        self._analyzer = analyzer
        self._embedder = embedder
        self._reranker = reranker
        self._glossary = glossary
        self._combiner = combiner
        self.searcher = self._searcher(index)
        self._refreshing = asyncio.Lock()

    @property
    def version(self) -> str:
        return self.searcher.index.version

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
            if await asyncio.to_thread(self._store.current_version) == self.version:
                return False
            before = self.searcher.index
            self.searcher = self._searcher(await asyncio.to_thread(open_connected, self._store))
            logger.info("새 색인 버전으로 바꾸었습니다: %s", self.version)
            asyncio.get_running_loop().call_later(_GRACE_SECONDS, before.close)
            return True

    def close(self) -> None:
        self.searcher.index.close()

    def _searcher(self, index: KnowledgeIndex) -> HybridSearcher:
        law_names = LawNameFinder(self._glossary.laws.union(index.law_names()), self._glossary.law_aliases)
        return HybridSearcher(
            index,
            self._analyzer,
            self._embedder,
            self._reranker,
            law_names,
            self._combiner,
            self._glossary.words,
        )
