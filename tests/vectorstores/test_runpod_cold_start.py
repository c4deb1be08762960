"""A RunPod worker that has to be switched on first: the start waits for it, questions do not, and it is found again."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from pydantic import SecretStr

from health_probes import _provider
from tests.support.scripted_openai import ScriptedOpenAI
from tests.support.scripted_providers import DIMENSION, RUNPOD_KEY, overlap
from utils.protocols import AnalyzedText
from vectorstores.embedders.base import TextModel
from vectorstores.embedders.runpod import RunPodEmbedder
from vectorstores.errors import EmbeddingUnavailable, ProviderUnavailable
from vectorstores.providers.runpod import RunPodTimes
from vectorstores.rerankers.runpod import RunPodReranker

pytestmark = pytest.mark.whole

JOB, START = 10.0, 180.0
MODEL = TextModel("runpod-m", "m", 8)


class OwnTime:
    """Seconds that pass only while somebody sleeps. The worker of ``server`` is on from ``on_at``."""

    def __init__(self, server: ScriptedOpenAI) -> None:
        self.now = 0.0
        self._server = server
        self.switch_on(0.0)

    def switch_on(self, after: float) -> None:
        self.on_at = self.now + after
        self._look()

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        self._look()

    def times(self, start: float = START) -> RunPodTimes:
        return RunPodTimes(JOB, start, clock=lambda: self.now, sleep=self.sleep)

    def _look(self) -> None:
        self._server.providers.is_cold = self.now < self.on_at


@pytest.fixture(scope="module")
def running() -> Iterator[ScriptedOpenAI]:
    with ScriptedOpenAI() as server:
        yield server


@pytest.fixture
def server(running: ScriptedOpenAI) -> Iterator[ScriptedOpenAI]:
    running.reset()
    yield running
    running.providers.is_cold = False


@pytest.fixture
def time(server: ScriptedOpenAI) -> OwnTime:
    return OwnTime(server)


def embedder(server: ScriptedOpenAI, times: RunPodTimes) -> RunPodEmbedder:
    return RunPodEmbedder(MODEL, f"{server.url}/runpod/embed", SecretStr(RUNPOD_KEY), times)


def state(built: RunPodEmbedder) -> str:
    return built.breaker_state.value


def test_the_start_waits_for_a_worker_of_two_minutes(server: ScriptedOpenAI, time: OwnTime) -> None:
    time.switch_on(after=120)
    built = embedder(server, time.times())
    assert built.dimension == DIMENSION
    assert 120 <= time.now < START
    assert server.count("runpod") == 1, "one job, looked at again and again"
    assert server.count("runpod-status") < 120, "and not five times a second"

    time.switch_on(after=time.now)
    reranker = RunPodReranker("m", f"{server.url}/runpod/rerank", SecretStr(RUNPOD_KEY), time.times(1_000.0), 8)
    assert reranker._score("부가세 신고", ["신고"]) == [overlap("부가세 신고", "신고")]


def test_a_worker_that_never_comes_stops_the_start_and_is_named(server: ScriptedOpenAI, time: OwnTime) -> None:
    time.switch_on(after=10_000)
    with pytest.raises(ProviderUnavailable, match=r"RUNPOD_EMBEDDING_ENDPOINT.*180초.*IN_QUEUE"):
        embedder(server, time.times())
    assert time.now < START


def test_a_worker_that_went_cold_costs_few_questions_their_time_and_is_found_again(
    server: ScriptedOpenAI, time: OwnTime
) -> None:
    built = embedder(server, time.times())
    time.switch_on(after=10_000)
    began = time.now
    for number in range(3):
        with pytest.raises(EmbeddingUnavailable):
            built.embed([AnalyzedText(f"질문 {number}", ())])
    assert time.now - began <= 3 * JOB
    assert state(built) == "open"
    before = time.now, server.count("runpod")
    with pytest.raises(EmbeddingUnavailable):
        built.embed([AnalyzedText("질문 4", ())])
    assert (time.now, server.count("runpod")) == before, "the next question does not wait"

    time.switch_on(after=0)
    built._endpoint._endpoint._breaker._recovery = 0.0  # instead of a quarter of a minute
    _provider(built)  # what `/health` does in the background
    assert state(built) == "closed"
    assert np.isfinite(built.embed([AnalyzedText("질문 5", ())])).all()
