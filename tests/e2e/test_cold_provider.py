"""A service whose embedding worker is cold when it starts: it is ready at once, says so, and uses the worker when it is there."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import SecretStr

from tests.e2e.conftest import serving
from tests.support.crowd import ask, capability, shows_inner_workings, wait_until
from tests.support.scripted_openai import ScriptedOpenAI
from tests.support.scripted_providers import RUNPOD_KEY
from tests.support.small_index import record, write_lines
from utils.config.settings import Settings
from vectorstores.build.ingest import Ingest
from vectorstores.build.providers import build_providers
from vectorstores.build.staging import Source
from vectorstores.loaders.registry import loader_for
from vectorstores.tokenizer import KiwiTokenizer


@pytest.mark.slow
def test_a_service_starts_while_its_worker_is_cold(tmp_path: Path, tokenizer: KiwiTokenizer) -> None:
    with ScriptedOpenAI() as server:
        settings = Settings(
            data_dir=tmp_path / "var",
            log_dir=tmp_path / "logs",
            embedding_provider="runpod",
            runpod_embedding_endpoint=f"{server.url}/runpod/embed",
            runpod_api_key=SecretStr(RUNPOD_KEY),
            provider_timeout=20.0,
            runpod_start_timeout=600.0,
            enable_response_cache=False,
        )
        lines = [record(f"W{number}", f"임금 체불은 고용노동부에 신고합니다. 번호{number}") for number in range(20)]
        file = write_lines(tmp_path / "wages.jsonl", *lines)
        source = Source(file, loader_for(file), str(file), None)
        assert not Ingest(settings, build_providers(settings)).run([source]).problems
        server.providers.is_cold = True
        jobs = server.count("runpod")
        with serving(settings, tokenizer) as service:
            assert service.get("/health/ready").status_code == 200
            told = wait_until(lambda: "꺼져" in capability(service, "embedding")["reason"], "the cold start is told")
            assert told < settings.runpod_start_timeout
            assert not shows_inner_workings(capability(service, "embedding")["reason"])
            cold = [ask(service, f"임금 체불은 어떻게 신고하나요? 번호{number}") for number in range(5)]
            assert [answer.status for answer in cold] == [200] * 5
            assert all("vector" in answer.missing and answer.body["sources"] for answer in cold)
            assert sum(answer.seconds for answer in cold) < settings.provider_timeout, "nobody waited for the worker"
            assert server.count("runpod") == jobs + 1, "one job switches it on"

            server.providers.is_cold = False
            wait_until(lambda: "vector" not in ask(service, "임금 체불 신고 방법").missing, "the worker is used")
            wait_until(lambda: capability(service, "embedding")["state"] == "available", "health tells of it")
            told_by_metrics = service.get("/metrics").text
            series = 'bizi_provider_calls_total{outcome="ok",provider="embedding",purpose="start"} 1.0'
            assert series in told_by_metrics
