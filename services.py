"""Builds what the routes use from the settings, and says how it fares."""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from functools import partial
from pathlib import Path

from agents.engine import Engine, build_engine
from agents.question_log.chat_log import ChatLog
from agents.question_log.log import QuestionLog
from agents.retrieval.multi_query import MultiQueryExpander
from agents.retrieval.plan import SearchPlanner
from agents.serving.cached_chat import CachedChat, Observer
from agents.serving.knowledge import KnowledgeBrowser
from agents.serving.recorded_chat import AnswerMetrics, AnswerTraces, RecordedChat
from chains.models.health import model_trouble
from routes.dependencies import Services
from schemas.chat import ChatRequest
from schemas.health import CapabilityState
from schemas.vectordb import VectorSearchRequest
from utils.config.settings import Settings
from utils.http.load_shedding import LoadShedder
from utils.http.rate_limiter import RateLimiter
from utils.knowledge.validity import OUTDATED, OutdatedUnits
from utils.middleware.error_boundary import StartupError
from utils.observability.health import AVAILABLE, HealthMonitor, InOwnThread, Probe, ProbeResult
from utils.observability.telemetry import Telemetry
from utils.observability.version import service_version
from utils.prompts.version import prompt_version
from utils.protocols import FloatMatrix
from utils.resilience.breaker import BreakerState
from utils.resilience.deadline import DeadlineExceeded
from utils.resilience.redis_link import RedisAddressError, RedisLink
from utils.resilience.response_cache import AnswerBasis, ResponseCache, configuration_digest
from utils.routing.domain_pack import DomainDataError, PackSet
from vectorstores.build.providers import open_store
from vectorstores.errors import KnowledgeIndexError, VectorServerUnavailable
from vectorstores.index import KnowledgeIndex
from vectorstores.jobs.manager import KnowledgeManager
from vectorstores.jobs.runner import JobRunner
from vectorstores.live.background_check import BackgroundCheck
from vectorstores.live.live_search import LiveSearch
from vectorstores.providers.json_endpoint import RemoteProvider
from vectorstores.units.search import UnitSearcher

logger = logging.getLogger("bizi")

_LEAST_FREE = 256  # MiB on the disk of the data directory, below which an ingest is likely to fill it
_WARM_UP_QUESTION = "부가가치세는 언제까지 신고해야 하나요?"


@asynccontextmanager
async def build_services(
    settings: Settings, opening: Future[KnowledgeIndex], telemetry: Telemetry
) -> AsyncIterator[Services]:
    """Everything for the routes, closed on leaving; the index comes out of ``opening``.

    Raises:
        StartupError: something that answering needs cannot be built; the message says what to do.
    """
    logger.info("지식베이스와 분석기를 읽고 있습니다: %s", settings.data_dir)
    try:
        engine = await asyncio.to_thread(build_engine, settings, opening=opening, telemetry=telemetry)
    except (KnowledgeIndexError, DomainDataError) as error:
        raise StartupError(f"시작할 수 없습니다. {error}") from error
    async with services_of(engine) as services:
        yield services


@asynccontextmanager
async def services_of(engine: Engine) -> AsyncIterator[Services]:
    """Yield the services of an engine and close it on leaving. Meanwhile adopt new index versions and domain data."""
    settings = engine.settings
    redis = _redis_link(settings)
    cache = ResponseCache(settings.cache_size, settings.cache_ttl, redis) if settings.enable_response_cache else None
    packs = partial(_packs, engine)
    knowledge = KnowledgeBrowser(engine.parts.chain, _planner(engine), packs)
    await _warm_up(engine, knowledge)
    watching = (
        asyncio.create_task(engine.live.watch(), name="index watch"),
        asyncio.create_task(engine.routing.watch(), name="domain watch"),
        asyncio.create_task(background_check(engine).watch(), name="integrity watch"),
    )
    log, chat_log = QuestionLog.from_settings(settings), ChatLog.from_settings(settings)
    jobs = JobRunner(settings, partial(_adopt, engine.live), forget=partial(_forget_answers, cache))
    try:
        async with jobs.running(), _running(log), _running(chat_log), ragas_log(engine) as observer:
            told = AnswerMetrics(engine.telemetry.metrics), AnswerTraces.from_settings(settings)
            chat = CachedChat(engine.executor, answer_basis(engine), cache, redis, observer)
            yield Services(
                executor=RecordedChat(chat, [*told, *_present(log, chat_log)]),
                feedback=log,
                knowledge=knowledge,
                packs=packs,
                management=KnowledgeManager(settings, engine.live, jobs),
                health=HealthMonitor(HealthProbes(engine, redis, log, chat_log).all()),
                providers=providers_in_effect(engine),
                rate_limiter=RateLimiter.from_settings(settings, redis),
                shedder=LoadShedder(engine.pool, settings.request_timeout),
            )
    finally:
        for task in watching:
            task.cancel()
        if redis is not None:
            await redis.aclose()
        await engine.aclose()


def _running(log: QuestionLog | ChatLog | None) -> AbstractAsyncContextManager[None]:
    return log.running() if log else nullcontext()


def _present(*logs: QuestionLog | ChatLog | None) -> list[QuestionLog | ChatLog]:
    return [log for log in logs if log is not None]


def _redis_link(settings: Settings) -> RedisLink | None:
    try:
        return RedisLink(settings.redis_url) if settings.redis_url else None
    except RedisAddressError as error:
        raise StartupError(f"시작할 수 없습니다. {error}") from error


@asynccontextmanager
async def ragas_log(engine: Engine) -> AsyncIterator[Observer | None]:
    """Yield the observer that has answers scored while the service runs; None if RAGAS is off."""
    settings = engine.settings
    if not settings.enable_ragas_evaluation:
        yield None
        return
    # not at the top: a service without a model does not load a model's client
    from evaluation.ragas_evaluator import RagasEvaluator, RagasMissing
    from evaluation.ragas_log import RagasLog

    def embed(texts: Sequence[str]) -> FloatMatrix:
        return engine.live.searcher.vectors(texts)

    try:
        evaluator = await asyncio.to_thread(RagasEvaluator, settings, embed)
    except RagasMissing as error:
        raise StartupError(f"ENABLE_RAGAS_EVALUATION: {error}") from error
    log = RagasLog(evaluator, settings.log_dir / "ragas.log")
    try:
        async with log.running():
            yield log.observe
    finally:
        await evaluator.aclose()


def background_check(engine: Engine) -> BackgroundCheck:
    """Return the check that reads the files of the index version in use."""
    return BackgroundCheck(open_store(engine.settings), lambda: engine.live.searcher.index)


async def _adopt(live: LiveSearch) -> None:
    """Use what a job has built at once; where it cannot be opened the watch says so and tries again."""
    try:
        await live.refresh()
    except KnowledgeIndexError as error:
        logger.warning("새 색인 버전을 열 수 없습니다: %s", error)


async def _forget_answers(cache: ResponseCache | None) -> bool:
    """Drop kept answers, which quote documents; False when some may have stayed."""
    return cache is None or await cache.clear()


def providers_in_effect(engine: Engine) -> dict[str, str]:
    """Return the model, embedder and reranker in use, by the names that settings and index use."""
    settings, parts = engine.settings, engine.parts
    return {
        "llm": parts.chain.model.name,
        "embedding": parts.embedder_id,
        "rerank": parts.reranker_id if settings.enable_reranking else "off",
        "ranking": order.name if (order := engine.live.searcher.order) else "fusion",
        "vector_store": engine.live.searcher.index.manifest.identity.vector_store,
    }


def answer_basis(engine: Engine) -> Callable[[], AnswerBasis]:
    """Return a function that reads, for each question, the state that answers depend on: index and domain data change."""
    service, configuration, prompts = service_version(), configuration_digest(engine.settings), prompt_version()

    def basis() -> AnswerBasis:
        return AnswerBasis(
            service=service,
            configuration=configuration,
            model=engine.parts.chain.model.name,
            prompts=prompts,
            index=engine.live.searcher.index.state,
            domains=engine.routing.version,
            day=engine.executor.today().isoformat(),
        )

    return basis


async def _warm_up(engine: Engine, knowledge: KnowledgeBrowser) -> None:
    """Open what opens at first use, so that the first question does not wait for it. A model server is left alone."""
    try:
        await knowledge.search(VectorSearchRequest(query=_WARM_UP_QUESTION))
        if not engine.settings.model_configured:
            await engine.executor.answer(ChatRequest(message=_WARM_UP_QUESTION), "warm-up")
    except (KnowledgeIndexError, DeadlineExceeded) as error:
        logger.warning("준비 검색에 실패했습니다: %s", error)


def _packs(engine: Engine) -> PackSet:
    return engine.routing.current.packs


def _planner(engine: Engine) -> SearchPlanner:
    settings, parts = engine.settings, engine.parts
    return SearchPlanner(settings, MultiQueryExpander(parts.glossary, parts.analyzer, settings.multi_query_count))


class HealthProbes:
    """Looks at each part of the engine, in threads of their own where it may block."""

    def __init__(
        self,
        engine: Engine,
        redis: RedisLink | None = None,
        log: QuestionLog | None = None,
        chat_log: ChatLog | None = None,
    ) -> None:
        self._engine = engine
        self._redis = redis
        self._log = log
        self._chat_log = chat_log

    def all(self) -> tuple[Probe, ...]:
        """The probes; the required ones decide on readiness."""
        remote = self._engine.live.searcher.remote_providers
        return (
            Probe("index", self._index, required=True),
            Probe("analyzer", InOwnThread(self._analyzer), required=True),
            Probe("llm", self._model, required=True),
            Probe("bm25", self._bm25),
            Probe("vector", InOwnThread(self._vector)),
            *(Probe(name, InOwnThread(partial(_provider, provider))) for name, provider in remote.items()),
            Probe("domain_db", self._domain_database),
            Probe("weights", self._weights),
            Probe("knowledge", InOwnThread(self._knowledge)),
            Probe("disk", InOwnThread(partial(_disk, self._engine.settings.data_dir))),
            *([Probe("question_log", self._log.health)] if self._log else []),
            *([Probe("chat_log", self._chat_log.health)] if self._chat_log else []),
            *([Probe("redis", partial(self._shared_memory, self._redis))] if self._redis else []),
        )

    async def _index(self) -> ProbeResult:
        index = self._engine.live.searcher.index
        if not any(collection.size for collection in index.collections.values()):
            return ProbeResult(CapabilityState.UNAVAILABLE, "색인에 문서가 없습니다.")
        if index.damages:
            return ProbeResult(CapabilityState.DEGRADED, " ".join(index.damages.values()))
        return AVAILABLE

    def _analyzer(self) -> ProbeResult:
        terms = self._engine.parts.analyzer.terms("부가가치세 신고")
        return AVAILABLE if terms else ProbeResult(CapabilityState.UNAVAILABLE, "형태소 분석 결과가 없습니다.")

    async def _model(self) -> ProbeResult:
        """Without the model the extractive answer serves, so it is never unavailable."""
        health = self._engine.parts.chain.model.health
        troubles = await health.troubles() if health else {}
        if not troubles:
            return AVAILABLE
        return ProbeResult(CapabilityState.DEGRADED, model_trouble(troubles))

    async def _bm25(self) -> ProbeResult:
        broken = [
            collection.domain
            for collection in self._engine.live.searcher.index.collections.values()
            if collection.bm25_error
        ]
        return _broken(broken, "BM25 색인을 쓸 수 없어 벡터 검색만 합니다")

    def _vector(self) -> ProbeResult:
        """Searches each collection; a server that does not answer for one is not asked for the others."""
        broken = []
        for collection in self._engine.live.searcher.index.collections.values():
            error = collection.vector_error
            if isinstance(error, VectorServerUnavailable):
                return ProbeResult(CapabilityState.UNAVAILABLE, error.reason)
            if error is not None:
                broken.append(collection.domain)
        return _broken(broken, "벡터 저장소를 쓸 수 없어 BM25 검색만 합니다")

    async def _domain_database(self) -> ProbeResult:
        missing = self._engine.routing.current.degradation
        return ProbeResult(CapabilityState.DEGRADED, missing.reason) if missing else AVAILABLE

    async def _weights(self) -> ProbeResult:
        """Looks at what was learned, as it was read at the start."""
        refused = self._engine.learned.degraded
        if not refused:
            return AVAILABLE
        return ProbeResult(CapabilityState.DEGRADED, " ".join(lack.reason for lack in refused))

    def _knowledge(self) -> ProbeResult:
        """Counts the answer units that are out of date today, once the first question has had them read."""
        # reading them takes seconds, and nobody who asks nothing should wait for that
        units: UnitSearcher | None = vars(self._engine.live.searcher).get("units")
        if units is None:
            return AVAILABLE
        stored = (placed.stored.unit for placed in units.catalogue.units)
        outdated = OutdatedUnits.of(stored, self._engine.executor.today())
        return ProbeResult(CapabilityState.DEGRADED, f"{outdated}가 있습니다. {OUTDATED}") if outdated else AVAILABLE

    async def _shared_memory(self, redis: RedisLink) -> ProbeResult:
        await redis.is_up()
        missing = redis.degradation
        return ProbeResult(CapabilityState.DEGRADED, missing.reason) if missing else AVAILABLE


def _broken(collections: list[str], sentence: str) -> ProbeResult:
    if not collections:
        return AVAILABLE
    return ProbeResult(CapabilityState.UNAVAILABLE, f"{sentence}: {', '.join(collections)}.")


def _provider(provider: RemoteProvider) -> ProbeResult:
    """Of an embedding or rerank server; one that was given up is tried again, so that it is found without a question."""
    if provider.breaker_state is BreakerState.HALF_OPEN:
        provider.try_again()
    if provider.breaker_state is BreakerState.CLOSED:
        return AVAILABLE
    return ProbeResult(CapabilityState.DEGRADED, "제공자가 응답하지 않아 그것 없이 검색합니다.")


def _disk(data_dir: Path) -> ProbeResult:
    """Probe whether documents can be added: the data folder is writable and has room. Answering writes nothing there."""
    if not os.access(data_dir, os.W_OK):
        return ProbeResult(CapabilityState.DEGRADED, "데이터 폴더에 쓸 수 없어 문서를 추가하거나 지울 수 없습니다.")
    free = shutil.disk_usage(data_dir).free // 2**20
    if free < _LEAST_FREE:
        return ProbeResult(CapabilityState.DEGRADED, f"데이터 폴더의 디스크에 {free} MiB만 남았습니다.")
    return AVAILABLE
