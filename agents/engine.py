"""The answering engine of one process: everything heavy, built once from the settings, closed once."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import date
from functools import partial

from agents.assembly import RouterInForce, SharedParts
from agents.notices.dialogue import NoticeDialogue
from agents.routing import RoutingDirectory
from agents.serving.chat_runner import ChatExecutor
from chains.extractive.chat_model import build_extractive_model
from chains.learned import LearnedModels, load_learned
from chains.models.language_model import LanguageModel
from chains.rag_chain import RAGChain
from utils.config.settings import Settings
from utils.grounding.ask_fit import AskFit
from utils.grounding.rule_evaluator import RuleEvaluator
from utils.korean.coverage import QuestionReader
from utils.korean.glossary import load_glossary
from utils.law.korean_day import korean_day
from utils.observability.telemetry import Telemetry
from utils.resilience.fair_pool import FairPool
from utils.routing.domain_store import open_domain_store
from utils.routing.fit_cache import FitCache
from utils.usage.ledger import UsageLedger
from vectorstores.build.providers import open_store
from vectorstores.embedders.factory import build_embedder, build_kiwi_embedder
from vectorstores.embedders.kiwi import KiwiEmbedder
from vectorstores.index import KnowledgeIndex
from vectorstores.live.live_search import LiveSearch
from vectorstores.live.opening import dimension_of, open_in_background
from vectorstores.notices.library import NoticeLibrary
from vectorstores.notices.pack import NoticeData
from vectorstores.rerankers.factory import build_reranker
from vectorstores.tokenizer import KiwiTokenizer


@dataclass(frozen=True, slots=True)
class Engine:
    """The parts that a service or an evaluation needs to answer questions."""

    settings: Settings
    parts: SharedParts
    live: LiveSearch
    routing: RoutingDirectory
    executor: ChatExecutor
    pool: FairPool
    learned: LearnedModels
    telemetry: Telemetry
    usage: UsageLedger

    def use_secrets(self, settings: Settings) -> None:
        """Call the model, the providers and the database with the keys of ``settings`` from now on.

        Raises:
            DomainDataError: ``DATABASE_URL`` cannot be used; nothing has changed.
        """
        self.routing.use_secrets(settings)
        if self.usage.store is not None:
            self.usage.store.use_secrets(settings)
        self.parts.chain.model.use_key(settings.openai_api_key)
        for provider in self.live.searcher.remote_providers.values():
            provider.use_secrets(settings)

    @property
    def notices(self) -> NoticeLibrary:
        """The notices of support programmes and housing."""
        return self.parts.notices.library

    async def aclose(self) -> None:
        """Give everything back."""
        await self.parts.chain.model.aclose()
        self.pool.shutdown(wait=True, cancel_futures=True)
        self.live.close()
        self.routing.close()
        self.notices.close()


def build_engine(
    settings: Settings,
    tokenizer: KiwiTokenizer | None = None,
    today: Callable[[], date] = korean_day,
    opening: Future[KnowledgeIndex] | None = None,
    telemetry: Telemetry | None = None,
) -> Engine:
    """Build everything; blocking, seconds. A process that has a tokenizer already, or an index being opened, shares it.

    Raises:
        vectorstores.errors.KnowledgeIndexError: there is no index, or it was built by another tokenizer or embedder.
        vectorstores.errors.ProviderUnavailable: a configured provider cannot be loaded; of a server nothing is asked yet.
        utils.usage.ledger.UsageRefused: the table of prices or the database of the usage cannot be used.
    """
    store, telemetry = open_store(settings), telemetry or Telemetry()
    usage = UsageLedger.from_settings(settings, telemetry.metrics)
    opening = opening or open_in_background(store)
    tokenizer = tokenizer or KiwiTokenizer()
    # servers are asked for nothing yet: one that is away, or has to be switched on first, keeps no service from starting
    embedder = build_embedder(settings, tokenizer, usage, lambda: dimension_of(opening.result()))
    reranker = build_reranker(settings, embedder, tokenizer, usage, later=True)
    glossary = load_glossary()
    pool = FairPool(settings.search_threads, thread_name_prefix="search")
    # Fits to the embedded vectors keep them, whatever searches: routing, which embeds hundreds of examples at every
    # start and must go on when a provider is away, and the extractive writer, which compares a hundred sentences an answer.
    embedded = embedder if isinstance(embedder, KiwiEmbedder) else build_kiwi_embedder(tokenizer)
    learned = load_learned(settings, tokenizer.id, embedder.id, reranker.id, embedded.id)
    live = LiveSearch(store, opening.result(), tokenizer, embedder, reranker, glossary, learned.order, learned.units)
    reader = QuestionReader(tokenizer, glossary.wordings)
    extractive = build_extractive_model(tokenizer, embedded, learned.answers, reader, pool)
    model = _configured_model(settings, telemetry, usage) if settings.model_configured else extractive
    routing = RoutingDirectory(
        open_domain_store(settings),
        tokenizer,
        embedded,
        learned.calibration,
        rejects=settings.enable_domain_rejection,
        cache=FitCache(settings.data_dir / "cache" / "routing.npz"),
    )
    parts = SharedParts(
        settings=settings,
        chain=RAGChain(settings, live, model, pool),
        analyzer=tokenizer,
        embedder_id=embedder.id,
        reranker_id=reranker.id,
        routing=lambda: routing.current,
        glossary=glossary,
        reader=reader,
        extractive=extractive,
        verdicts=learned.verdicts,
        evaluator=RuleEvaluator(reader, learned.judge, AskFit(learned.answers.rarity), settings.evaluation_threshold),
        notices=NoticeDialogue(_notices_read(settings, tokenizer), tokenizer, embedded),
    )
    router = RouterInForce(parts)
    routing.prepare = router.build
    router.build(routing.current)
    executor = ChatExecutor(settings, router, today, live.lease, learned.degraded, telemetry.tracer)
    for name, provider in live.searcher.remote_providers.items():
        provider.observe(partial(telemetry.metrics.provider_called, name))
    return Engine(settings, parts, live, routing, executor, pool, learned, telemetry, usage)


def _notices_read(settings: Settings, tokenizer: KiwiTokenizer) -> NoticeLibrary:
    """The notices as they are now; a database that is away leaves none, and is looked at again."""
    library = NoticeLibrary(NoticeData.load(settings.notice_dir), tokenizer, settings)
    library.refresh()
    return library


def _configured_model(settings: Settings, telemetry: Telemetry, usage: UsageLedger) -> LanguageModel:
    from chains.models.openai import build_openai_model  # a second that a service without a model does not pay

    return build_openai_model(settings, telemetry, usage)
