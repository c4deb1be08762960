"""The answering engine of one process: everything heavy, built once from the settings, closed once."""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from datetime import date

from agents.assembly import SharedParts, build_router
from agents.executor import ChatExecutor
from chains.extractive import build_extractive_model
from chains.llm import LanguageModel
from chains.rag_chain import RAGChain
from utils.config.settings import PROJECT_ROOT, Settings
from utils.domain_store import DomainStore
from utils.fit_cache import FitCache
from utils.glossary import load_glossary
from utils.routing import RoutingDirectory
from utils.routing_calibration import load_calibration
from vectorstores.embedders.factory import build_embedder, build_kiwi_embedder
from vectorstores.embedders.kiwi import KiwiEmbedder
from vectorstores.engines import open_store
from vectorstores.index import KnowledgeIndex
from vectorstores.live import LiveSearch
from vectorstores.opening import open_beside
from vectorstores.ranking.combiner import LinearCombiner, learned_order
from vectorstores.rerankers.factory import build_reranker
from vectorstores.tokenizer import KiwiTokenizer

logger = logging.getLogger(__name__)

DOMAIN_DIR = PROJECT_ROOT / "data" / "domains"
CALIBRATION_FILE = PROJECT_ROOT / "data" / "domains" / "calibration.json"


@dataclass(frozen=True, slots=True)
class Engine:
    """What a service or an evaluation needs to answer questions."""

    settings: Settings
    parts: SharedParts
    live: LiveSearch
    routing: RoutingDirectory
    executor: ChatExecutor
    pool: ThreadPoolExecutor

    async def aclose(self) -> None:
        """Give everything back."""
        await self.parts.chain.model.aclose()
        self.pool.shutdown(wait=True, cancel_futures=True)
        self.live.close()
        self.routing.close()


def build_engine(
    settings: Settings,
    tokenizer: KiwiTokenizer | None = None,
    today: Callable[[], date] = date.today,
    opening: Future[KnowledgeIndex] | None = None,
) -> Engine:
    """Build everything; blocking, seconds. A process that has a tokenizer already, or an index being opened, shares it.

    Raises:
        vectorstores.errors.KnowledgeIndexError: there is no index, or it was built by another tokenizer or embedder.
        vectorstores.errors.ProviderUnavailable: a configured provider cannot be loaded.
    """
    store = open_store(settings)
    opening = opening or open_beside(store)
    tokenizer = tokenizer or KiwiTokenizer()
    embedder = build_embedder(settings, tokenizer)
    reranker = build_reranker(settings, embedder, tokenizer)
    glossary = load_glossary()
    order = _order(settings, embedder.id, reranker.id)
    live = LiveSearch(store, opening.result(), tokenizer, embedder, reranker, glossary, order)
    pool = ThreadPoolExecutor(settings.search_threads, thread_name_prefix="search")
    # What is fitted to the embedded vectors keeps them, whatever searches: routing, which embeds hundreds of examples at every
    # start and must go on when a provider is away, and the extractive writer, which compares a hundred sentences an answer.
    embedded = embedder if isinstance(embedder, KiwiEmbedder) else build_kiwi_embedder(tokenizer)
    extractive = build_extractive_model(tokenizer, embedded, glossary)
    model = _configured_model(settings) if settings.model_configured else extractive
    routing = RoutingDirectory(
        DomainStore(settings.database_url or f"sqlite:///{settings.data_dir / 'domains.db'}", DOMAIN_DIR),
        tokenizer,
        embedded,
        load_calibration(CALIBRATION_FILE, embedded.id),
        rejects=settings.enable_domain_rejection,
        cache=FitCache(settings.data_dir / "cache" / "routing.npz"),
    )
    parts = SharedParts(
        settings=settings,
        chain=RAGChain(settings, live, model, pool),
        analyzer=tokenizer,
        embedder_id=embedder.id,
        reranker_id=reranker.id,
        packs=routing.current.packs,
        routing=lambda: routing.current,
        glossary=glossary,
        extractive=extractive,
    )
    return Engine(settings, parts, live, routing, ChatExecutor(settings, build_router(parts), today), pool)


def _order(settings: Settings, embedder_id: str, reranker_id: str) -> LinearCombiner | None:
    """The learned order of candidates, or None with a word in the log."""
    order = learned_order(settings, embedder_id, reranker_id)
    if order is None and settings.enable_learned_ranking:
        logger.warning(
            "임베딩 %s, 재순위 %s(으)로 배운 후보 순서가 없어 융합 순서로 정렬합니다. 배우는 명령: python -m evaluation train-ranking",
            embedder_id,
            reranker_id,
        )
    return order


def _configured_model(settings: Settings) -> LanguageModel:
    from chains.openai_models import build_openai_model  # a second that a service without a model does not pay

    return build_openai_model(settings)
