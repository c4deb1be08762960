"""All that routing is made of for one state of the domain data, exchanged when the data change."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from schemas.chat import Degradation
from utils.domain_classifier import DomainClassifier
from utils.protocols import Analyzer, Embedder
from utils.question_decomposer import QuestionDecomposer
from utils.routing.calibration import RoutingCalibration
from utils.routing.domain_pack import PackSet
from utils.routing.domain_store import DomainData, DomainStore
from utils.routing.fit_cache import FitCache

logger = logging.getLogger(__name__)

_POLL_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Routing:
    """The domain data with the classifier and the decomposer built from them.

    ``degradation`` is set while the shipped files serve in place of the database.
    """

    packs: PackSet
    classifier: DomainClassifier
    decomposer: QuestionDecomposer
    degradation: Degradation | None = None


class RoutingDirectory:
    """Gives the routing in force; `watch` rebuilds it within seconds of an operator's edit of tables or files."""

    def __init__(
        self,
        store: DomainStore,
        analyzer: Analyzer,
        embedder: Embedder,
        calibration: RoutingCalibration,
        *,
        rejects: bool,
        cache: FitCache,
    ) -> None:
        """Load and build; a third of a second unless ``cache`` knows these data.

        Raises:
            DomainDataError: neither the database nor the files hold usable data.
        """
        self.store = store
        self.analyzer = analyzer
        self.embedder = embedder
        self._calibration = calibration
        self._rejects = rejects
        self._cache = cache
        self.prepare: Callable[[Routing], object] = lambda _: None
        """Called with each new routing before it is in force, in a thread: what is made of it is ready then."""
        self._refreshing = threading.Lock()
        self._data = store.load()
        self.current = self._build(self._data)

    @property
    def version(self) -> str:
        """Equal for equal domain data."""
        return self._data.version

    @property
    def origin(self) -> Literal["database", "files"]:
        """Where the data in force come from."""
        return self._data.origin

    async def watch(self) -> None:
        """Follow tables and files until cancelled."""
        while True:
            await asyncio.sleep(_POLL_SECONDS)
            try:
                await asyncio.to_thread(self.refresh)
            except Exception:  # whatever an edit or a driver brings up, the next look shall come
                logger.exception("도메인 정보를 다시 읽지 못했습니다.")

    def refresh(self) -> None:
        """Look at tables and files, and put in force what has changed; blocking."""
        with self._refreshing:
            data = self.store.refresh(self._data)
            if data is not self._data:
                routing = self._build(data)
                self.prepare(routing)
                self.current, self._data = routing, data
                logger.info("도메인 정보를 다시 읽었습니다 (%s)", data.origin)

    def routing_of(self, packs: PackSet) -> Routing:
        """Build the routing of other packs, to try them out; a third of a second. What was learned of them is not kept."""
        return self._routing(packs, None, None)

    def close(self) -> None:
        self.store.close()

    def _build(self, data: DomainData) -> Routing:
        return self._routing(data.packs, data.degradation, self._cache)

    def _routing(self, packs: PackSet, degradation: Degradation | None, cache: FitCache | None) -> Routing:
        classifier = DomainClassifier(
            self.analyzer, self.embedder, packs, self._calibration, rejects=self._rejects, cache=cache
        )
        return Routing(packs, classifier, QuestionDecomposer(classifier.reader, packs.keys()), degradation)
