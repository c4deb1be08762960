"""A worker that is cold when the service starts, and one that is kept from being switched off."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from pydantic import SecretStr

from health_probes import _provider
from schemas.health import CapabilityState
from tests.support.crowd import shows_inner_workings, wait_until
from tests.support.scripted_openai import ScriptedOpenAI
from tests.support.scripted_providers import DIMENSION, RUNPOD_KEY
from utils.config.provider_settings import Hours
from utils.protocols import AnalyzedText
from vectorstores.embedders.base import TextModel
from vectorstores.embedders.runpod import RunPodEmbedder
from vectorstores.errors import EmbeddingUnavailable, ProviderUnavailable
from vectorstores.providers.json_endpoint import CallPurpose
from vectorstores.providers.runpod import RunPodTimes
from vectorstores.providers.warmth import KeepWarm, ProviderWarmth, korean_hour, wait_for_all
from vectorstores.rerankers.base import RerankQuery
from vectorstores.rerankers.runpod import RunPodReranker

MODEL = TextModel("runpod-m", "m", 8)
TIMES = RunPodTimes(5.0, 60.0)


@pytest.fixture
def server() -> Iterator[ScriptedOpenAI]:
    with ScriptedOpenAI() as running:
        yield running
        running.providers.is_cold = False


def embedder(server: ScriptedOpenAI) -> RunPodEmbedder:
    return RunPodEmbedder(MODEL, f"{server.url}/runpod/embed", SecretStr(RUNPOD_KEY), TIMES, dimension=DIMENSION)


@contextmanager
def warm(provider: RunPodEmbedder | RunPodReranker, keep: KeepWarm | None = None) -> Iterator[ProviderWarmth]:
    warmth = ProviderWarmth("embedding", provider, keep)
    warmth.begin()
    try:
        yield warmth
    finally:
        warmth.end()


def test_a_cold_worker_is_waited_for_in_the_background_and_no_question_waits(server: ScriptedOpenAI) -> None:
    server.providers.is_cold = True
    built = embedder(server)
    assert server.count("runpod") == 0, "nothing is asked when the service is built"
    with warm(built) as warmth:
        assert not warmth.wait(0.5)
        wait_until(lambda: built.is_cold, "the cold worker is seen")
        told = _provider(built)
        assert told.state is CapabilityState.DEGRADED
        assert "꺼져" in told.reason
        assert not shows_inner_workings(told.reason)
        jobs, began = server.count("runpod"), time.monotonic()
        for number in range(20):
            with pytest.raises(EmbeddingUnavailable):
                built.embed([AnalyzedText(f"질문 {number}", ())])
        assert server.count("runpod") == jobs == 1, "one job switches it on"
        assert time.monotonic() - began < TIMES.job, "twenty questions do not wait for what one may take"

        server.providers.is_cold = False
        assert warmth.wait(30)
        assert _provider(built).state is CapabilityState.AVAILABLE
        assert built.embed([AnalyzedText("질문", ())]).shape == (1, DIMENSION)


def test_a_provider_that_is_there_is_used_at_once(server: ScriptedOpenAI) -> None:
    reranker = RunPodReranker("m", f"{server.url}/runpod/rerank", SecretStr(RUNPOD_KEY), TIMES, 8, later=True)
    assert server.count("runpod") == 0
    with warm(reranker) as warmth:
        wait_for_all([warmth], 30)
        assert not reranker.is_starting
        assert reranker.rerank(RerankQuery("부가세", ()), []) == []


def test_a_provider_with_another_dimension_than_the_index_is_never_used(server: ScriptedOpenAI) -> None:
    built = RunPodEmbedder(MODEL, f"{server.url}/runpod/embed", SecretStr(RUNPOD_KEY), TIMES, dimension=DIMENSION + 1)
    with warm(built) as warmth:
        assert not warmth.wait(0.5)
        assert built.is_starting
        assert _provider(built).state is CapabilityState.DEGRADED
        with pytest.raises(ProviderUnavailable, match="기대한 벡터"):
            built.start()


def test_a_worker_is_kept_warm_in_the_hours_of_use_and_every_request_is_counted(server: ScriptedOpenAI) -> None:
    built, hour = embedder(server), [3]
    seen: list[CallPurpose] = []
    built.observe(lambda purpose, succeeded, seconds: seen.append(purpose))
    with warm(built, KeepWarm(0.05, Hours(9, 19), lambda: hour[0])) as warmth:
        assert warmth.wait(30)
        time.sleep(0.3)
        assert seen == [CallPurpose.START], "at night nothing is paid for"
        hour[0] = 9
        wait_until(lambda: seen.count(CallPurpose.KEEP_WARM) >= 2, "it is kept warm", 20)
    wait_until(lambda: not _grows(seen), "and no more once the service ends", 10)


def _grows(seen: list[CallPurpose]) -> bool:
    before = len(seen)
    time.sleep(0.3)
    return len(seen) > before


def test_questions_keep_a_worker_warm_too() -> None:
    keep = KeepWarm(60)
    assert not keep.is_due(59)
    assert keep.is_due(60)
    assert not KeepWarm(60, Hours(9, 19), lambda: 19).is_due(600)
    assert 0 <= korean_hour() < 24
