"""A running service all of whose dependencies are servers, each behind a proxy that can be broken."""

from __future__ import annotations

import itertools
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit

import httpx
import pytest
from pydantic import SecretStr

from agents.engine import Engine
from evaluation.chaos.proxy import BreakableProxy
from tests.e2e.conftest import serving
from tests.support.chroma_process import ChromaProcess
from tests.support.own_server import OwnServer
from tests.support.redis_server import RedisServer
from tests.support.scripted_openai import ScriptedOpenAI
from tests.support.scripted_providers import RUNPOD_KEY
from tests.support.small_index import record, write_lines
from tests.support.sql_servers import MariaDBServer, PostgreSQLServer
from utils.config.settings import Settings
from utils.observability.health import HealthMonitor
from utils.observability.sparse_log import SparseLog
from vectorstores.build.ingest import Ingest
from vectorstores.build.providers import build_providers
from vectorstores.build.staging import Source
from vectorstores.loaders.registry import loader_for
from vectorstores.tokenizer import KiwiTokenizer

TIMEOUT = 1.0
"""Seconds that a call of any dependency may take."""
REQUEST_TIMEOUT = 20.0
SLOW = 4.0  # seconds that a slow dependency is late: more than any timeout, those of the domain database included
_RECOVERY = 1.0  # of breakers, instead of a quarter of a minute

_ALWAYS_MISSING = frozenset({"weights"})
_SENTENCE = "임금을 제때 받지 못하면 관할 고용노동청에 진정을 낼 수 있습니다. [1]"
_SCORES = dict.fromkeys(("retrieval_quality", "accuracy", "completeness", "relevance", "citation"), 18)


@dataclass(frozen=True, slots=True)
class Answer:
    """The response to a question, and the seconds it took."""

    status: int
    body: dict[str, Any]
    seconds: float

    @property
    def missing(self) -> set[str]:
        """The components that the answer names as missing, but for the weights: there are none for these providers."""
        return {lack["component"] for lack in self.body.get("degraded", ())} - _ALWAYS_MISSING


@dataclass(slots=True)
class BreakableService:
    """``proxies`` and ``servers`` by the name of the dependency."""

    client: httpx.Client
    engine: Engine
    proxies: Mapping[str, BreakableProxy]
    servers: Mapping[str, OwnServer]
    _numbers: Iterator[int] = field(default_factory=itertools.count)

    def ask(self) -> Answer:
        """Ask a question that was not asked before, in a conversation of its own."""
        number = next(self._numbers)
        body = {"message": f"임금 체불은 어떻게 신고하나요? 번호{number}", "session_id": f"s{number}"}
        began = time.monotonic()
        response = self.client.post("/api/chat", json=body, timeout=3 * REQUEST_TIMEOUT)
        return Answer(response.status_code, response.json(), time.monotonic() - began)

    def capability(self, name: str) -> dict[str, Any]:
        """The state of a capability in ``/health``."""
        found: dict[str, Any] = self.client.get("/health").json()["capabilities"][name]
        return found

    def is_well(self) -> bool:
        """Return whether ``/health`` finds nothing wrong."""
        capabilities = self.client.get("/health").json()["capabilities"]
        return all(capabilities[name]["state"] == "available" for name in capabilities.keys() - _ALWAYS_MISSING)

    def counted(self, series: str) -> float:
        """The value of a series of ``/metrics``, as it is written there."""
        told = self.client.get("/metrics").text
        match = re.search(rf"^{re.escape(series)} (\S+)$", told, re.MULTILINE)
        return float(match[1]) if match else 0.0


def script() -> dict[str, Any]:
    """The words of the model as long as nothing is broken."""
    understood = {"kind": "consult", "domains": ["hr_labor"], "sub_queries": [], "variants": []}
    return {
        "understanding": lambda call: understood | {"question": call.messages[-1]["content"]},
        "alternatives": {"rephrased": "임금 체불 진정", "hypothetical_answer": _SENTENCE},
        "generation": _SENTENCE,
        "evaluation": _SCORES,
    }


def _log_everything(log: SparseLog, message: str) -> None:
    log._logger.warning("%s", message)


@contextmanager
def breakable_service(
    folder: Path, tokenizer: KiwiTokenizer, *, serverless: bool, patch: pytest.MonkeyPatch
) -> Iterator[BreakableService]:
    """Serve a small index.

    ``serverless``: with Chroma, Redis, MariaDB, PostgreSQL, RunPod's embedder and reranker, and a model. Else with an
    OpenAI-compatible embedder, a rerank server over HTTP and the domain tables in PostgreSQL.
    """
    patch.setattr("agents.routing._POLL_SECONDS", 1.0)
    patch.setitem(cast("Any", HealthMonitor.__init__).__kwdefaults__, "interval", 1.0)
    patch.setattr(SparseLog, "warning", _log_everything)  # each test sees the log of what it breaks
    with ExitStack() as stack:
        script_server = stack.enter_context(ScriptedOpenAI(script()))
        providers = urlsplit(script_server.url).port or 0
        servers: dict[str, OwnServer] = {}
        if serverless:
            chroma, redis = ChromaProcess(folder / "chroma"), RedisServer()
            servers = {"vector": chroma, "redis": redis, "domain_db": MariaDBServer(), "sessions": PostgreSQLServer()}
        else:
            servers = {"domain_db": PostgreSQLServer()}
        for server in servers.values():
            stack.enter_context(server)
        behind = {name: server.port for name, server in servers.items()}
        behind |= {"embedding": providers, "rerank": providers} | ({"llm": providers} if serverless else {})
        proxies = {name: stack.enter_context(BreakableProxy("127.0.0.1", port)) for name, port in behind.items()}
        settings = _settings(folder, proxies, servers, serverless=serverless)
        _build(settings, folder)
        engines: list[Engine] = []
        client = stack.enter_context(serving(settings, tokenizer, engines.append))
        _recover_soon(engines[0])
        yield BreakableService(client, engines[0], proxies, servers)


def _settings(
    folder: Path, proxies: Mapping[str, BreakableProxy], servers: Mapping[str, OwnServer], *, serverless: bool
) -> Settings:
    def address(name: str) -> str:
        return f"http://127.0.0.1:{proxies[name].port}"

    def url(name: str) -> str:
        server: Any = servers[name]
        return str(server.url).replace(f":{server.port}/", f":{proxies[name].port}/")

    values: dict[str, Any] = {
        "data_dir": folder / "var",
        "log_dir": folder / "logs",
        "database_url": url("domain_db"),
        "provider_timeout": TIMEOUT,
        "session_timeout": TIMEOUT,
        "chroma_timeout": TIMEOUT,
        "llm_timeout": TIMEOUT,
        "request_timeout": REQUEST_TIMEOUT,
        "enable_question_log": False,
        "enable_chat_log": False,
    }
    if not serverless:
        own: dict[str, Any] = {
            "embedding_provider": "openai",
            "openai_base_url": f"{address('embedding')}/v1",
            "llm_provider": "extractive",
        }
        return Settings(**values, **own, rerank_provider="http", rerank_url=f"{address('rerank')}/cohere/rerank")
    return Settings(
        **values,
        chroma_host="127.0.0.1",
        chroma_port=proxies["vector"].port,
        redis_url=url("redis"),
        session_url=url("sessions"),
        embedding_provider="runpod",
        runpod_embedding_endpoint=f"{address('embedding')}/runpod/embed",
        rerank_provider="runpod",
        runpod_rerank_endpoint=f"{address('rerank')}/runpod/rerank",
        runpod_api_key=SecretStr(RUNPOD_KEY),
        openai_base_url=f"{address('llm')}/v1",
    )


def _build(settings: Settings, folder: Path) -> None:
    texts = ("임금을 제때 받지 못하면 관할 고용노동청에 진정을 낼 수 있습니다.", "임금 체불은 고용노동부에 신고합니다.")
    lines = [record(f"W{number}", f"{texts[number % 2]} 안내 번호{number}") for number in range(40)]
    file = write_lines(folder / "wages.jsonl", *lines)
    # a build may take its time: what a call of it may take is for questions
    patient = settings.model_copy(update={"provider_timeout": 30.0})
    assert not Ingest(patient, build_providers(patient)).run([Source(file, loader_for(file), str(file), None)]).problems


def _recover_soon(engine: Engine) -> None:
    for provider in engine.live.searcher.remote_providers.values():
        inner: Any = provider._endpoint
        getattr(inner, "_endpoint", inner)._breaker._recovery = _RECOVERY
    if engine.settings.model_configured:
        server: Any = engine.parts.chain.model._server
        for breaker in server.breakers.values():
            breaker._recovery = 5 * _RECOVERY  # a question waits for its probes, of each purpose
