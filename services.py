"""Builds what the routes use from the settings, and says how it fares."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import Future
from contextlib import asynccontextmanager
from functools import partial

from agents.cached_chat import CachedChat, Observer
from agents.engine import Engine, build_engine
from agents.retrieval.multi_query import MultiQueryExpander
from agents.retrieval.plan import SearchPlanner
from routes.dependencies import Services
from routes.knowledge_browser import KnowledgeBrowser
from routes.knowledge_manager import KnowledgeManager
from schemas.chat import ChatRequest
from schemas.health import CapabilityState
from schemas.vectordb import VectorSearchRequest
from utils.breaker import BreakerState
from utils.config.settings import Settings
from utils.deadline import DeadlineExceeded
from utils.health import AVAILABLE, HealthMonitor, Probe, ProbeResult
from utils.middleware.error_boundary import StartupError
from utils.prompts.version import prompt_version
from utils.protocols import FloatMatrix
from utils.rate_limiter import RateLimiter
from utils.redis_link import RedisLink
from utils.response_cache import AnswerBasis, ResponseCache, configuration_digest
from utils.version import service_version
from vectorstores.errors import KnowledgeIndexError
from vectorstores.index import KnowledgeIndex
from vectorstores.job_runner import JobRunner
from vectorstores.live import LiveSearch

logger = logging.getLogger("bizi")

_WARM_UP_QUESTION = "부가가치세는 언제까지 신고해야 하나요?"


@asynccontextmanager
async def build_services(settings: Settings, opening: Future[KnowledgeIndex]) -> AsyncIterator[Services]:
    """Everything for the routes, closed on leaving; the index comes out of ``opening``.

    Raises:
        StartupError: something that answering needs cannot be built; the message says what to do.
    """
    logger.info("지식베이스와 분석기를 읽고 있습니다: %s", settings.data_dir)
    try:
        engine = await asyncio.to_thread(build_engine, settings, opening=opening)
    except KnowledgeIndexError as error:
        raise StartupError(f"시작할 수 없습니다. {error}") from error
    async with services_of(engine) as services:
        yield services


@asynccontextmanager
async def services_of(engine: Engine) -> AsyncIterator[Services]:
    """What the routes use of an engine, which is closed on leaving. New index versions and domain data are adopted meanwhile."""
    settings = engine.settings
    redis = RedisLink(settings.redis_url) if settings.redis_url else None
    cache = ResponseCache(settings.cache_size, settings.cache_ttl, redis) if settings.enable_response_cache else None
    knowledge = KnowledgeBrowser(engine.parts.chain, _planner(engine))
    await _warm_up(engine, knowledge)
    watching = (
        asyncio.create_task(engine.live.watch(), name="index watch"),
        asyncio.create_task(engine.routing.watch(), name="domain watch"),
    )
    jobs = JobRunner(settings, partial(_adopt, engine.live))
    try:
        async with jobs.running(), ragas_log(engine) as observer:
            yield Services(
                executor=CachedChat(engine.executor, answer_basis(engine), cache, redis, observer),
                knowledge=knowledge,
                management=KnowledgeManager(settings, engine.live, jobs),
                health=HealthMonitor(HealthProbes(engine, redis).all()),
                providers=providers_in_effect(engine),
                rate_limiter=RateLimiter.from_settings(settings, redis),
            )
    finally:
        for task in watching:
            task.cancel()
        if redis is not None:
            await redis.aclose()
        await engine.aclose()


@asynccontextmanager
async def ragas_log(engine: Engine) -> AsyncIterator[Observer | None]:
    """What has answers scored while the service runs; None when that is off."""
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


async def _adopt(live: LiveSearch) -> None:
    """Use what a job has built at once; where it cannot be opened the watch says so and tries again."""
    try:
        await live.refresh()
    except KnowledgeIndexError as error:
        logger.warning("새 색인 버전을 열 수 없습니다: %s", error)


def providers_in_effect(engine: Engine) -> dict[str, str]:
    """What answers, embeds and reranks, by the names used in settings and index."""
    settings, parts = engine.settings, engine.parts
    return {
        "llm": parts.chain.model.name,
        "embedding": parts.embedder_id,
        "rerank": parts.reranker_id if settings.enable_reranking else "off",
        "ranking": order.name if (order := engine.live.searcher.order) else "fusion",
        "vector_store": engine.live.searcher.index.manifest.identity.vector_store,
    }


def answer_basis(engine: Engine) -> Callable[[], AnswerBasis]:
    """What the answers of an engine rest on, asked anew for each question: the index and the domain data change."""
    service, configuration, prompts = service_version(), configuration_digest(engine.settings), prompt_version()

    def basis() -> AnswerBasis:
        return AnswerBasis(
            service=service,
            configuration=configuration,
            model=engine.parts.chain.model.name,
            prompts=prompts,
            index=engine.live.version,
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


def _planner(engine: Engine) -> SearchPlanner:
    settings, parts = engine.settings, engine.parts
    return SearchPlanner(settings, MultiQueryExpander(parts.glossary, parts.analyzer, settings.multi_query_count))


class HealthProbes:
    """Looks at each part of the engine, off the event loop where it may block."""

    def __init__(self, engine: Engine, redis: RedisLink | None = None) -> None:
        self._engine = engine
        self._redis = redis

    def all(self) -> tuple[Probe, ...]:
        """The probes; the required ones decide on readiness."""
        return (
            Probe("index", self._index, required=True),
            Probe("analyzer", self._analyzer, required=True),
            Probe("llm", self._model, required=True),
            Probe("bm25", self._bm25),
            Probe("vector", self._vector),
            *([Probe("redis", partial(self._shared_memory, self._redis))] if self._redis else []),
        )

    async def _index(self) -> ProbeResult:
        collections = self._engine.live.searcher.index.collections.values()
        if any(one.size for one in collections):
            return AVAILABLE
        return ProbeResult(CapabilityState.UNAVAILABLE, "색인에 문서가 없습니다.")

    async def _analyzer(self) -> ProbeResult:
        terms = await self._engine.parts.chain.in_pool(self._engine.parts.analyzer.terms, "부가가치세 신고")
        return AVAILABLE if terms else ProbeResult(CapabilityState.UNAVAILABLE, "형태소 분석 결과가 없습니다.")

    async def _model(self) -> ProbeResult:
        """Without the model the extractive answer serves, so it is never unavailable."""
        if self._engine.parts.chain.model.breaker_state is BreakerState.CLOSED:
            return AVAILABLE
        return ProbeResult(CapabilityState.DEGRADED, "모델 서버가 응답하지 않아 문서 발췌로 답변합니다.")

    async def _bm25(self) -> ProbeResult:
        broken = [one.domain for one in self._engine.live.searcher.index.collections.values() if one.bm25_error]
        return _broken(broken, "BM25 색인을 쓸 수 없어 벡터 검색만 합니다")

    async def _vector(self) -> ProbeResult:
        return await self._engine.parts.chain.in_pool(self._vector_blocking)

    def _vector_blocking(self) -> ProbeResult:
        broken = [one.domain for one in self._engine.live.searcher.index.collections.values() if one.vector_error]
        return _broken(broken, "벡터 저장소를 쓸 수 없어 BM25 검색만 합니다")

    async def _shared_memory(self, redis: RedisLink) -> ProbeResult:
        await redis.is_up()
        missing = redis.degradation
        return ProbeResult(CapabilityState.DEGRADED, missing.reason) if missing else AVAILABLE


def _broken(collections: list[str], sentence: str) -> ProbeResult:
    if not collections:
        return AVAILABLE
    return ProbeResult(CapabilityState.UNAVAILABLE, f"{sentence}: {', '.join(collections)}.")
