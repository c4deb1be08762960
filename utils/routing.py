"""All that routing is made of for one state of the domain data, exchanged when the data change."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass

from schemas.chat import Degradation
from utils.domain_classifier import DomainClassifier
from utils.domain_pack import PackSet
from utils.domain_store import DomainData, DomainStore
from utils.fit_cache import FitCache
from utils.protocols import Analyzer, Embedder
from utils.question_decomposer import QuestionDecomposer
from utils.routing_calibration import RoutingCalibration

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
    """Gives the routing in force; `watch` rebuilds it within seconds of an operator's edit."""

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
        self._store = store
        self._analyzer = analyzer
        self._embedder = embedder
        self._calibration = calibration
        self._rejects = rejects
        self._cache = cache
        self._data = store.load()
        self.current = self._build(self._data)

    @property
    def version(self) -> str:
        """Equal for equal domain data."""
        return self._data.version

    async def watch(self) -> None:
        """Follow the database until cancelled."""
        while True:
            await asyncio.sleep(_POLL_SECONDS)
            data = await asyncio.to_thread(self._store.refresh, self._data)
            if data is not self._data:
                self.current = await asyncio.to_thread(self._build, data)
                self._data = data
                logger.info("도메인 정보를 다시 읽었습니다 (%s)", data.origin)

    def close(self) -> None:
        self._store.close()

    def _build(self, data: DomainData) -> Routing:
        packs = data.packs
        classifier = DomainClassifier(
            self._analyzer, self._embedder, packs, self._calibration, rejects=self._rejects, cache=self._cache
        )
        return Routing(packs, classifier, QuestionDecomposer(classifier.reader, packs.keys()), data.degradation)
