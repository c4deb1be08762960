"""The answering engines of one process: what is heavy is built once and shared by all assistants, the rest for each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import date
from functools import partial

from agents.assembly import RouterInForce, SharedParts
from agents.notices.dialogue import NoticeDialogue
from agents.retrieval.multi_query import MultiQueryExpander
from agents.retrieval.plan import SearchPlanner
from agents.routing import RoutingDirectory
from agents.serving.chat_runner import ChatExecutor
from agents.serving.page_search import PageKnowledge
from chains.extractive.chat_model import build_extractive_model
from chains.extractive.item_model import build_item_model
from chains.extractive.item_selection import inverse_frequencies
from chains.learned import LearnedModels, load_learned
from chains.models.language_model import LanguageModel
from chains.rag_chain import RAGChain
from utils.assistants.pack import DEFAULT_ASSISTANT, AssistantPack, assistant_named
from utils.config.provider_settings import ModelSettings
from utils.config.settings import EmbeddingProvider, GenerationSettings, LLMProvider, Settings
from utils.grounding.ask_fit import AskFit
from utils.grounding.rule_evaluator import RuleEvaluator
from utils.korean.coverage import QuestionReader
from utils.korean.glossary import Glossary, load_glossary
from utils.law.korean_day import korean_day
from utils.observability.telemetry import Telemetry
from utils.protocols import Embedder
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
from vectorstores.rerankers.base import Reranker
from vectorstores.rerankers.factory import build_reranker
from vectorstores.tokenizer import KiwiTokenizer

_WRITING = (*GenerationSettings.model_fields, *ModelSettings.model_fields)
"""Settings of which another value makes another model."""


@dataclass(frozen=True, slots=True)
class Foundation:
    """The parts that all assistants of a process share: everything that is heavy and knows no documents.

    ``settings`` are those of the service. ``embedded`` are the vectors in process, whatever searches: routing, which embeds hundreds of
    examples at every start and must go on when a provider is away, and the extractive writer, which compares a hundred sentences an answer.
    """

    settings: Settings
    tokenizer: KiwiTokenizer
    embedder: Embedder
    embedded: KiwiEmbedder
    reranker: Reranker
    learned: LearnedModels
    glossary: Glossary
    reader: QuestionReader
    extractive: LanguageModel
    model: LanguageModel
    notices: NoticeDialogue
    pool: FairPool
    telemetry: Telemetry
    usage: UsageLedger

    async def aclose(self) -> None:
        """Give everything back, after the engines that stand on it."""
        await self.model.aclose()
        self.pool.shutdown(wait=True, cancel_futures=True)
        self.notices.library.close()


@dataclass(frozen=True, slots=True)
class Engine:
    """The parts that a service or an evaluation needs to answer the questions to one assistant."""

    assistant: AssistantPack
    settings: Settings
    foundation: Foundation
    parts: SharedParts
    live: LiveSearch
    routing: RoutingDirectory
    router: RouterInForce
    executor: ChatExecutor

    @property
    def pool(self) -> FairPool:
        return self.foundation.pool

    @property
    def learned(self) -> LearnedModels:
        return self.foundation.learned

    @property
    def telemetry(self) -> Telemetry:
        return self.foundation.telemetry

    @property
    def usage(self) -> UsageLedger:
        return self.foundation.usage

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
    def pages(self) -> PageKnowledge:
        """Searching and answering by the pages of the documents."""
        words = MultiQueryExpander(self.parts.glossary, self.parts.analyzer, self.settings.multi_query_count)
        planner = SearchPlanner(self.settings, words)
        settings = self.foundation.settings
        by_provider = {
            EmbeddingProvider.OPENAI: settings.openai_embedding_model,
            EmbeddingProvider.LOCAL: settings.embedding_model,
        }
        model = by_provider.get(settings.embedding_provider, self.foundation.embedder.id)
        packs = self.parts.packs_in_force
        seconds = settings.request_timeout
        return PageKnowledge(self.parts.chain, self.parts.extractive, planner, packs, model, seconds)

    @property
    def notices(self) -> NoticeLibrary:
        """The notices of support programmes and housing."""
        return self.parts.notices.library

    async def close_assistant(self) -> None:
        """Give back what is this assistant's alone."""
        if self.parts.chain.model is not self.foundation.model:
            await self.parts.chain.model.aclose()
        self.live.close()
        self.routing.close()

    async def aclose(self) -> None:
        """Give everything back, the foundation too."""
        await self.close_assistant()
        await self.foundation.aclose()


def build_engine(
    settings: Settings,
    tokenizer: KiwiTokenizer | None = None,
    today: Callable[[], date] = korean_day,
    opening: Future[KnowledgeIndex] | None = None,
    telemetry: Telemetry | None = None,
    assistant: str = DEFAULT_ASSISTANT,
) -> Engine:
    """Build everything for one assistant; blocking, seconds. A process that has a tokenizer already, or an index being opened, shares it.

    Raises:
        vectorstores.errors.KnowledgeIndexError: there is no index, or it was built by another tokenizer or embedder.
        vectorstores.errors.ProviderUnavailable: a configured provider cannot be loaded; of a server nothing is asked yet.
        utils.usage.ledger.UsageRefused: the table of prices or the database of the usage cannot be used.
        utils.assistants.pack.AssistantDataError: there is no such assistant, or its pack cannot be used.
    """
    pack = assistant_named(assistant, settings.assistant_dir)
    opening = opening or open_in_background(open_store(pack.settings_in(settings)))
    foundation = build_foundation(settings, opening, tokenizer, telemetry)
    return build_assistant(foundation, pack, opening.result(), today)


def build_foundation(
    settings: Settings,
    opening: Future[KnowledgeIndex],
    tokenizer: KiwiTokenizer | None = None,
    telemetry: Telemetry | None = None,
) -> Foundation:
    """Build what all assistants share; raises as `build_engine`. ``opening`` is an index that the embedder belongs to."""
    telemetry = telemetry or Telemetry()
    usage = UsageLedger.from_settings(settings, telemetry.metrics)
    tokenizer = tokenizer or KiwiTokenizer()
    # servers are asked for nothing yet: one that is away, or has to be switched on first, keeps no service from starting
    embedder = build_embedder(settings, tokenizer, usage, lambda: dimension_of(opening.result()))
    reranker = build_reranker(settings, embedder, tokenizer, usage, later=True)
    glossary = load_glossary()
    pool = FairPool(settings.search_threads, thread_name_prefix="search")
    embedded = embedder if isinstance(embedder, KiwiEmbedder) else build_kiwi_embedder(tokenizer)
    learned = load_learned(settings, tokenizer.id, embedder.id, reranker.id, embedded.id)
    reader = QuestionReader(tokenizer, glossary.wordings)
    extractive = build_extractive_model(tokenizer, embedded, learned.answers, reader, pool)
    model = _configured_model(settings, telemetry, usage) if settings.model_configured else extractive
    return Foundation(
        settings=settings,
        tokenizer=tokenizer,
        embedder=embedder,
        embedded=embedded,
        reranker=reranker,
        learned=learned,
        glossary=glossary,
        reader=reader,
        extractive=extractive,
        model=model,
        notices=NoticeDialogue(_notices_read(settings, tokenizer), tokenizer, embedded),
        pool=pool,
        telemetry=telemetry,
        usage=usage,
    )


def build_assistant(
    foundation: Foundation, pack: AssistantPack, index: KnowledgeIndex, today: Callable[[], date] = korean_day
) -> Engine:
    """Build what is an assistant's own on what all share; blocking, a second at most. Raises as `build_engine`."""
    settings, learned = pack.settings_in(foundation.settings), foundation.learned
    live = LiveSearch(
        open_store(settings),
        index,
        foundation.tokenizer,
        foundation.embedder,
        foundation.reranker,
        foundation.glossary,
        learned.order if settings.enable_learned_ranking else None,
        learned.units,
    )
    routing = RoutingDirectory(
        open_domain_store(settings),
        foundation.tokenizer,
        foundation.embedded,
        learned.calibration,
        rejects=settings.enable_domain_rejection,
        cache=FitCache(settings.data_dir / "cache" / "routing.npz"),
    )
    extractive = _extractive_of(settings, foundation, live)
    parts = SharedParts(
        assistant=pack,
        settings=settings,
        chain=RAGChain(settings, live, _model_of(settings, foundation, extractive), foundation.pool),
        analyzer=foundation.tokenizer,
        embedder_id=foundation.embedder.id,
        reranker_id=foundation.reranker.id,
        routing=lambda: routing.current,
        glossary=foundation.glossary,
        reader=foundation.reader,
        extractive=extractive,
        verdicts=learned.verdicts,
        evaluator=RuleEvaluator(
            foundation.reader, learned.judge, AskFit(learned.answers.rarity), settings.evaluation_threshold
        ),
        notices=foundation.notices,
        usage=foundation.usage,
    )
    router = RouterInForce(parts)
    routing.prepare = router.build
    router.build(routing.current)
    telemetry = foundation.telemetry
    executor = ChatExecutor(settings, router, today, live.lease, learned.degraded, telemetry.tracer)
    for name, provider in live.searcher.remote_providers.items():
        provider.observe(partial(telemetry.metrics.provider_called, name))
    return Engine(pack, settings, foundation, parts, live, routing, router, executor)


def _extractive_of(settings: Settings, foundation: Foundation, live: LiveSearch) -> LanguageModel:
    """The extractive model of the service, or one that quotes items where the assistant's settings say so."""
    if settings.answer_form == "sentences":
        return foundation.extractive

    def rarity(terms: Sequence[str]) -> list[float]:
        collections = live.searcher.index.collections
        size = sum(collection.size for collection in collections.values())
        return inverse_frequencies(live.searcher.document_frequencies(list(collections), terms), size)

    return build_item_model(foundation.tokenizer, rarity, settings.answer_items_from, foundation.pool)


def _model_of(settings: Settings, foundation: Foundation, extractive: LanguageModel) -> LanguageModel:
    """The model of the service, or one of the assistant's own where its settings say so; without one what quotes."""
    if not settings.model_configured:
        return extractive
    is_local = (
        settings.effective_llm_provider is LLMProvider.LOCAL and settings.local_llm == foundation.settings.local_llm
    )
    own = (getattr(settings, name) != getattr(foundation.settings, name) for name in _WRITING)
    if is_local or not any(own):  # nobody holds a local model twice
        return foundation.model
    return _configured_model(settings, foundation.telemetry, foundation.usage)


def _notices_read(settings: Settings, tokenizer: KiwiTokenizer) -> NoticeLibrary:
    """The notices as they are now; a database that is away leaves none, and is looked at again."""
    library = NoticeLibrary(NoticeData.load(settings.notice_dir), tokenizer, settings)
    library.refresh()
    return library


def _configured_model(settings: Settings, telemetry: Telemetry, usage: UsageLedger) -> LanguageModel:
    if settings.effective_llm_provider is LLMProvider.LOCAL:
        from chains.models.local import build_local_model

        return build_local_model(settings, telemetry, usage)
    from chains.models.openai import build_openai_model  # a second that a service without a model does not pay

    return build_openai_model(settings, telemetry, usage)
