"""Looks at each part of the running service, for ``/health``."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import partial

from agents.engine import Engine
from agents.question_log.chat_log import ChatLog
from agents.question_log.log import QuestionLog
from agents.sessions.store import SessionStore
from chains.models.usage import ModelFailureReason, ModelPurpose
from schemas.health import CapabilityState
from utils.config.settings import Settings
from utils.knowledge.validity import OUTDATED, OutdatedUnits
from utils.observability.health import AVAILABLE, InOwnThread, Probe, ProbeResult
from utils.resilience.breaker import BreakerState
from utils.resilience.redis_link import RedisLink
from utils.usage.keeper import UsageKeeper
from vectorstores.errors import VectorServerUnavailable
from vectorstores.integrity.disk import free_bytes
from vectorstores.providers.remote import RemoteProvider
from vectorstores.units.search import UnitSearcher


class HealthProbes:
    """Looks at each part of the engine, in threads of their own where it may block."""

    def __init__(
        self,
        engine: Engine,
        redis: RedisLink | None = None,
        log: QuestionLog | None = None,
        sessions: SessionStore | None = None,
        chat_log: ChatLog | None = None,
        usage: UsageKeeper | None = None,
    ) -> None:
        self._engine = engine
        self._redis = redis
        self._log = log
        self._sessions = sessions
        self._chat_log = chat_log
        self._usage = usage

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
            Probe("disk", InOwnThread(partial(_disk, self._engine.settings))),
            *([Probe("question_log", self._log.health)] if self._log else []),
            *([Probe("chat_log", self._chat_log.health)] if self._chat_log else []),
            *([Probe("usage", self._usage.health)] if self._usage else []),
            *([Probe("sessions", self._sessions.health)] if self._sessions else []),
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


_REFUSALS = {
    ModelFailureReason.UNAUTHORIZED: "모델 서버가 API 키를 거절합니다(OPENAI_API_KEY 확인).",
    ModelFailureReason.UNKNOWN_MODEL: "모델 서버에 설정한 모델이 없습니다(OPENAI_MODEL 확인).",
}
_WITHOUT = {
    ModelPurpose.GENERATION: "문서 발췌로 답변합니다",
    ModelPurpose.UNDERSTANDING: "질문을 규칙으로 이해합니다",
    ModelPurpose.EVALUATION: "답변을 규칙으로 평가합니다",
    ModelPurpose.ALTERNATIVES: "다시 검색할 말을 규칙으로 만듭니다",
    ModelPurpose.IMAGE: "이미지 없이 답변합니다",
    ModelPurpose.TALK: "일상 대화에 규칙으로 답합니다",
    ModelPurpose.VOICE: "음성을 받지 못합니다",
}


def model_trouble(troubles: Mapping[ModelPurpose, ModelFailureReason]) -> str:
    """Say why the model server does not serve some purposes, and what stands in for it."""
    reasons = [_REFUSALS[reason] for reason in troubles.values() if reason in _REFUSALS]
    cause = reasons[0] if reasons else "모델 서버가 응답하지 않습니다."
    return f"{cause} {', '.join(_WITHOUT[purpose] for purpose in ModelPurpose if purpose in troubles)}."


_COLD = "제공자의 작업자가 꺼져 있어, 켜질 때까지 그것 없이 검색합니다."
_NOT_YET = "제공자가 아직 한 번도 응답하지 않아, 응답할 때까지 그것 없이 검색합니다."
_SILENT = "제공자가 응답하지 않아 그것 없이 검색합니다."


def _provider(provider: RemoteProvider) -> ProbeResult:
    """Of an embedding or rerank server; one that was given up is tried again, so that it is found without a question."""
    if provider.is_starting:
        return ProbeResult(CapabilityState.DEGRADED, _COLD if provider.is_cold else _NOT_YET)
    if provider.breaker_state is BreakerState.HALF_OPEN:
        provider.try_again()
    if provider.breaker_state is BreakerState.CLOSED:
        return AVAILABLE
    return ProbeResult(CapabilityState.DEGRADED, _COLD if provider.is_cold else _SILENT)


def _disk(settings: Settings) -> ProbeResult:
    """Probe whether documents can be added and logs written: the data folder is writable, and both disks have room.

    Answering writes nothing to the data folder, so that none of this keeps a question from being answered.
    """
    if not os.access(settings.data_dir, os.W_OK):
        return ProbeResult(CapabilityState.DEGRADED, "데이터 폴더에 쓸 수 없어 문서를 추가하거나 지울 수 없습니다.")
    free = free_bytes(settings.data_dir)
    if free < settings.disk_reserve_bytes:
        return ProbeResult(
            CapabilityState.UNAVAILABLE, f"데이터 폴더의 디스크에 {_mebibytes(free)}만 남아 문서를 받지 않습니다."
        )
    if free < settings.disk_warn_bytes:
        return ProbeResult(CapabilityState.DEGRADED, f"데이터 폴더의 디스크에 {_mebibytes(free)}만 남았습니다.")
    free = free_bytes(settings.log_dir)
    if free < settings.disk_warn_bytes:
        return ProbeResult(CapabilityState.DEGRADED, f"로그 폴더의 디스크에 {_mebibytes(free)}만 남았습니다.")
    return AVAILABLE


def _mebibytes(size: int) -> str:
    return f"{size // 2**20} MiB"
