"""The answering engine of one process: everything heavy, built once from the settings, closed once."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import date

from agents.assembly import SharedParts, build_router
from agents.executor import ChatExecutor
from chains.extractive import build_extractive_model
from chains.llm import LanguageModel
from chains.rag_chain import RAGChain
from utils.config.settings import PROJECT_ROOT, Settings
from utils.domain_store import DomainStore
from utils.glossary import load_glossary
from utils.routing import RoutingDirectory
from utils.routing_calibration import load_calibration
from vectorstores.embedders.factory import build_embedder
from vectorstores.engines import open_store
from vectorstores.live import LiveSearch
from vectorstores.ranking.combiner import LinearCombiner
from vectorstores.rerankers.factory import build_reranker
from vectorstores.tokenizer import KiwiTokenizer

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
) -> Engine:
    """Build everything; blocking, seconds. A process that has a tokenizer already shares it.

    Raises:
        vectorstores.errors.KnowledgeIndexError: there is no index, or it was built by another tokenizer or embedder.
        vectorstores.errors.ProviderUnavailable: a configured provider cannot be loaded.
    """
    tokenizer = tokenizer or KiwiTokenizer()
    embedder = build_embedder(settings, tokenizer)
    reranker = build_reranker(settings, embedder, tokenizer)
    glossary = load_glossary()
    live = LiveSearch(open_store(settings), tokenizer, embedder, reranker, glossary, LinearCombiner.load())
    pool = ThreadPoolExecutor(settings.search_threads, thread_name_prefix="search")
    extractive = build_extractive_model(tokenizer, embedder, glossary)
    model = _configured_model(settings) if settings.model_configured else extractive
    routing = RoutingDirectory(
        DomainStore(settings.database_url or f"sqlite:///{settings.data_dir / 'domains.db'}", DOMAIN_DIR),
        tokenizer,
        embedder,
        load_calibration(CALIBRATION_FILE, embedder.id),
        rejects=settings.enable_domain_rejection,
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


def _configured_model(settings: Settings) -> LanguageModel:
    from chains.openai_models import build_openai_model  # a second that a service without a model does not pay

    return build_openai_model(settings)
