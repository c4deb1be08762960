"""Builds what the routes use from the settings, and says how it fares."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any

from agents.administration.audit_service import AuditService
from agents.administration.domain_admin import DomainAdministration
from agents.administration.gap_report import GapReporter
from agents.assistants.answer_basis import answer_basis
from agents.assistants.directory import assistants_of
from agents.engine import Engine, build_engine
from agents.executor import build_executor
from agents.paperwork.drafting import build_generation
from agents.question_log.chat_log import ChatLog
from agents.question_log.log import QuestionLog
from agents.retrieval.multi_query import MultiQueryExpander
from agents.retrieval.plan import SearchPlanner
from agents.serving.cached_chat import CachedChat, Observer
from agents.serving.funding import FundingService
from agents.serving.given_answers import GivenAnswers, RagasScorer
from agents.serving.knowledge import KnowledgeBrowser
from agents.serving.recorded_chat import AnswerMetrics, AnswerTraces, RecordedChat, Recorder
from agents.serving.session_chat import SessionChat
from agents.sessions.service_store import kept_sessions, session_store
from agents.sessions.store import SessionStore
from agents.upkeep.exchanged_secrets import use_secrets
from agents.upkeep.personal_data import PersonalData, forget_answers
from chains.models.usage import model_names
from health_probes import HealthProbes
from routes.dependencies import Services
from schemas.chat import ChatRequest
from schemas.problems import ErrorCode
from schemas.vectordb import VectorSearchRequest
from utils.administration.audit import AuditTrail
from utils.assistants.pack import AssistantDataError
from utils.config.settings import Settings
from utils.http.load_shedding import LoadShedder
from utils.http.problems import ProblemError, retry_after
from utils.http.rate_limiter import RateLimiter
from utils.law.korean_day import korean_day
from utils.law.tax_calendar import move_off_holidays
from utils.middleware.error_boundary import StartupError
from utils.observability.health import HealthMonitor
from utils.observability.telemetry import Telemetry
from utils.protocols import FloatMatrix
from utils.resilience.deadline import DeadlineExceeded
from utils.resilience.redis_link import RedisAddressError, RedisLink
from utils.resilience.response_cache import ResponseCache
from utils.routing.domain_pack import DomainDataError
from utils.usage.budgets import BudgetExhausted
from utils.usage.keeper import UsageKeeper
from utils.usage.ledger import UsageRefused
from vectorstores.build.providers import open_store
from vectorstores.errors import KnowledgeIndexError
from vectorstores.index import KnowledgeIndex
from vectorstores.jobs.manager import KnowledgeManager
from vectorstores.jobs.runner import JobRunner
from vectorstores.live.background_check import BackgroundCheck
from vectorstores.live.live_search import LiveSearch
from vectorstores.providers.warmth import begin_all

if TYPE_CHECKING:
    from evaluation.ragas_evaluator import LazyRagas

logger = logging.getLogger("bizi")

_NO_MODEL = "RAGAS 평가에는 모델이 필요합니다. 이 서비스에는 설정된 모델이 없습니다."
_NO_EXTRA = "RAGAS 평가에는 eval 추가 설치가 필요합니다. 이 서비스에는 설치되어 있지 않습니다."
_WARM_UP_QUESTION = "퇴직금은 언제까지 주어야 하나요?"


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
    except (KnowledgeIndexError, DomainDataError, UsageRefused, AssistantDataError) as error:
        raise StartupError(f"시작할 수 없습니다. {error}") from error
    async with services_of(engine) as services:
        yield services


@asynccontextmanager
async def services_of(engine: Engine) -> AsyncIterator[Services]:
    """Yield the services of an engine and close it on leaving. Meanwhile adopt new index versions and domain data."""
    settings, parts = engine.settings, engine.parts
    redis, store = _redis_link(settings), session_store(settings)
    cache = ResponseCache(settings.cache_size, settings.cache_ttl, redis) if settings.enable_response_cache else None
    packs = engine.parts.packs_in_force
    funding, planner = FundingService(parts.notices.search, parts.chain), _planner(engine)
    generation = build_generation(settings, parts.chain, planner, packs, engine.pool)
    knowledge = KnowledgeBrowser(parts.chain, planner, packs)
    warmths = await asyncio.to_thread(begin_all, settings, engine.live.searcher.remote_providers)
    await _warm_up(engine, knowledge)
    watching = _watch(engine)
    log, chat_log = QuestionLog.from_settings(settings), ChatLog.from_settings(settings)
    usage, trail = usage_keeper(engine), AuditTrail.from_settings(settings)
    jobs = JobRunner(settings, partial(_adopt, engine.live), forget=partial(forget_answers, cache))
    try:
        async with (
            jobs.running(),
            _running(log),
            _running(chat_log),
            _running(usage),
            kept_sessions(store),
            ragas_log(engine) as observer,
            given_answers(engine) as evaluation,
            AsyncExitStack() as stack,
        ):
            sessions = store if settings.enable_sessions else None
            serve = partial(_served, cache, redis, sessions, _recorders(engine, log, chat_log), observer)
            assistants = await stack.enter_async_context(assistants_of(engine, serve))
            yield Services(
                chat=assistants.get(engine.assistant.name).chat,
                assistants=assistants,
                feedback=log,
                sessions=sessions,
                usage=usage,
                evaluation=evaluation,
                knowledge=knowledge,
                packs=packs,
                management=KnowledgeManager(settings, engine.live, jobs),
                health=HealthMonitor(HealthProbes(engine, redis, log, sessions, chat_log, usage).all()),
                providers=providers_in_effect(engine),
                actions=build_executor(generation, funding.search),
                rate_limiter=RateLimiter.from_settings(settings, redis),
                shedder=LoadShedder(engine.pool, settings.request_timeout),
                use_secrets=partial(use_secrets, assistants, redis, store),
                user_data=PersonalData.of(settings, log, chat_log, store, cache),
                funding=funding,
                gaps=GapReporter(settings.data_dir, engine.parts.analyzer.terms) if log else None,
                domains=DomainAdministration(settings, engine.parts.chain, engine.routing, trail),
                audit=AuditService(trail),
            )
    finally:
        for task in watching:
            task.cancel()
        for warmth in warmths:
            warmth.end()
        trail.close()
        if redis is not None:
            await redis.aclose()
        await engine.aclose()


def _recorders(engine: Engine, log: QuestionLog | None, chat_log: ChatLog | None) -> tuple[Recorder, ...]:
    """Return those who keep account of answers."""
    told = AnswerMetrics(engine.telemetry.metrics), AnswerTraces.from_settings(engine.settings)
    return (*told, *(each for each in (log, chat_log) if each))


def _served(
    cache: ResponseCache | None,
    redis: RedisLink | None,
    sessions: SessionStore | None,
    recorders: Sequence[Recorder],
    observer: Observer | None,
    engine: Engine,
) -> RecordedChat:
    """Return the chat of an assistant. RAGAS scores the default one's answers alone: its log does not tell whose they are."""
    observed = observer if engine.assistant.is_default else None
    admit = partial(model_admission(engine), False)
    cached = CachedChat(engine.executor, answer_basis(engine), cache, redis, observed, admit)
    return RecordedChat(SessionChat(cached, sessions, engine.assistant.name) if sessions else cached, recorders)


def _watch(engine: Engine) -> tuple[asyncio.Task[Any], ...]:
    """Begin to adopt what changes beside this process: index versions, domain data, notices, damage of files, holidays."""
    return (
        asyncio.create_task(engine.live.watch(), name="index watch"),
        asyncio.create_task(engine.routing.watch(), name="domain watch"),
        asyncio.create_task(engine.notices.watch(), name="notice watch"),
        asyncio.create_task(background_check(engine).watch(), name="integrity watch"),
        # of all countries, which their package imports together: few questions name a tax, and one that does may wait for it
        asyncio.create_task(asyncio.to_thread(move_off_holidays, korean_day()), name="holidays"),
    )


def _running(log: QuestionLog | ChatLog | UsageKeeper | None) -> AbstractAsyncContextManager[None]:
    return log.running() if log else nullcontext()


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
        evaluator = await asyncio.to_thread(RagasEvaluator, settings, embed, engine.usage)
    except RagasMissing as error:
        raise StartupError(f"ENABLE_RAGAS_EVALUATION: {error}") from error
    log = RagasLog(evaluator, settings.log_dir / "ragas.log")
    try:
        async with log.running():
            yield log.observe
    finally:
        await evaluator.aclose()


def usage_keeper(engine: Engine) -> UsageKeeper | None:
    """Return what keeps the usage of the engine's calls; None where it is switched off."""
    if engine.usage.store is None:
        return None
    settings = engine.settings
    models = frozenset(model_names(settings).values() if settings.model_configured else ())
    return UsageKeeper(engine.usage, engine.usage.store, models)


def model_admission(engine: Engine) -> Callable[[bool], None]:
    """Return what decides whether the client's budget allows a model for this context; else rules and extracts stand in.

    It raises `ProblemError` instead for who wants nothing but the model (True), and for everybody where the settings say so.
    """
    settings = engine.settings
    refuses = settings.budget_policy == "refuse" and settings.model_configured

    def admit(needs_model: bool = False) -> None:
        try:
            engine.usage.admit()
        except BudgetExhausted as error:
            if refuses or needs_model:
                raise ProblemError(ErrorCode.BUDGET_EXCEEDED, headers=retry_after(error.seconds)) from error

    return admit


@asynccontextmanager
async def given_answers(engine: Engine) -> AsyncIterator[GivenAnswers]:
    """Yield what evaluates given answers."""
    settings, parts = engine.settings, engine.parts
    ragas: list[LazyRagas] = []

    def embed(texts: Sequence[str]) -> FloatMatrix:
        return engine.live.searcher.vectors(texts)

    async def scorer() -> RagasScorer:
        # not at the top: a service without a model does not load a model's client
        from evaluation.ragas_evaluator import LazyRagas, RagasMissing

        if not settings.model_server_configured:
            raise ProblemError(ErrorCode.CONFLICT, _NO_MODEL)
        if not ragas:
            ragas.append(LazyRagas(settings, embed, engine.usage))
        try:
            return await ragas[0].get()
        except RagasMissing as error:
            raise ProblemError(ErrorCode.CONFLICT, _NO_EXTRA) from error

    try:
        yield GivenAnswers(
            settings,
            parts.chain,
            parts.evaluator,
            parts.reader,
            parts.analyzer,
            parts.glossary.law_aliases,
            engine.executor.context,
            scorer,
            model_admission(engine),
        )
    finally:
        for each in ragas:
            await each.aclose()


def background_check(engine: Engine) -> BackgroundCheck:
    """Return the check that reads the files of the index version in use."""
    return BackgroundCheck(open_store(engine.settings), lambda: engine.live.searcher.index)


async def _adopt(live: LiveSearch) -> None:
    """Use what a job has built at once; where it cannot be opened the watch says so and tries again."""
    try:
        await live.refresh()
    except KnowledgeIndexError as error:
        logger.warning("새 색인 버전을 열 수 없습니다: %s", error)


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


async def _warm_up(engine: Engine, knowledge: KnowledgeBrowser) -> None:
    """Open what opens at first use, so that the first question does not wait for it. A model server is left alone."""
    try:
        # beside one another: analyser and arrays leave the interpreter to others for a part of their time
        await asyncio.gather(
            knowledge.search(VectorSearchRequest(query=_WARM_UP_QUESTION)),
            engine.parts.chain.in_pool(lambda: engine.live.searcher.units),
        )
        if not engine.settings.model_configured:
            await engine.executor.answer(ChatRequest(message=_WARM_UP_QUESTION), "warm-up")
    except (KnowledgeIndexError, DeadlineExceeded) as error:
        logger.warning("준비 검색에 실패했습니다: %s", error)


def _planner(engine: Engine) -> SearchPlanner:
    words = engine.parts.glossary, engine.parts.analyzer
    return SearchPlanner(engine.settings, MultiQueryExpander(*words, engine.settings.multi_query_count))
