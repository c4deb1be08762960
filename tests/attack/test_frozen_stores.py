"""A store that hangs, and does not even refuse: thirty clients are served, told what is missing, and nobody restarts anything."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import numpy as np
import pytest

from tests.e2e.conftest import serving
from tests.support.chroma_process import ChromaProcess
from tests.support.crowd import (
    CLIENTS,
    Answered,
    ask,
    ask_at_once,
    capability,
    p95,
    shows_inner_workings,
    wait_until,
)
from tests.support.folders import read_only
from tests.support.own_server import OwnServer
from tests.support.packs import shipped_packs
from tests.support.redis_server import RedisServer
from tests.support.routing import DOMAINS_DIR
from tests.support.small_index import record, write_lines
from tests.support.sql_servers import MariaDBServer, PostgreSQLServer
from utils.config.settings import Settings
from utils.documents import KnowledgeDocument
from utils.domain_classifier import DomainClassifier
from utils.routing.calibration import RoutingCalibration
from utils.routing.domain_store import DomainStore, DomainStoreError
from vectorstores.backends.vectors import VectorWriter, vector_server
from vectorstores.build.ingest import Ingest
from vectorstores.build.providers import build_providers
from vectorstores.build.staging import Source
from vectorstores.cli import starter_source
from vectorstores.embedders.kiwi import KiwiEmbedder
from vectorstores.errors import VectorStoreUnavailable
from vectorstores.loaders.registry import loader_for
from vectorstores.tokenizer import KiwiTokenizer

pytestmark = [pytest.mark.services, pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def questions(
    starter_documents: list[KnowledgeDocument], tokenizer: KiwiTokenizer, embedder: KiwiEmbedder
) -> list[str]:
    """More than three rounds of questions, all different, and none that is turned away without a search."""
    classifier = DomainClassifier(tokenizer, embedder, shipped_packs(), RoutingCalibration.load())
    asked = [f"{document.title}에 대해 알려 주세요." for document in starter_documents]
    return [question for question in asked if classifier.classify(question).domains]


@pytest.fixture
def data_dir(starter_settings: Settings, tmp_path: Path) -> Path:
    """A copy of the starter index: an embedded store has one owner."""
    shutil.copytree(starter_settings.data_dir, tmp_path / "var", symlinks=True)
    return tmp_path / "var"


@contextmanager
def served_with_chroma(
    settings: Settings, tokenizer: KiwiTokenizer, server: ChromaProcess, data_dir: Path
) -> Iterator[httpx.Client]:
    """The starter index with its vectors in a server."""
    with serving(with_chroma(settings, server, data_dir), tokenizer) as service:
        yield service


def with_chroma(settings: Settings, server: ChromaProcess, data_dir: Path) -> Settings:
    """Settings of a starter index whose vectors are in ``server``."""
    shutil.rmtree(data_dir / "index")
    own = {"data_dir": data_dir, "chroma_host": "127.0.0.1", "chroma_port": server.port}
    settings = settings.model_copy(update=own)
    assert not Ingest(settings, build_providers(settings)).run([starter_source()]).problems
    return settings


def report(name: str, **rounds: list[Answered]) -> None:
    for what, answers in rounds.items():
        slowest = max(answer.seconds for answer in answers)
        print(f"{name}, {what}: {len(answers)} × 200, p95 {p95(answers):.2f} s, slowest {slowest:.2f} s")


def assert_served(answers: list[Answered], missing: str | None) -> None:
    """All got an answer with sources that names ``missing``, or nothing, without telling how the service is built."""
    assert [answer.status for answer in answers] == [200] * len(answers)
    assert {frozenset(answer.missing) for answer in answers} == {frozenset({missing} if missing else ())}
    assert all(answer.body["content"] for answer in answers)
    reasons = {degraded["reason"] for answer in answers for degraded in answer.body["degraded"]}
    assert not [reason for reason in reasons if shows_inner_workings(reason)]


@pytest.mark.finding("H8", "M6", "L1")
def test_a_frozen_chroma_server(
    starter_settings: Settings, tokenizer: KiwiTokenizer, data_dir: Path, questions: list[str], tmp_path: Path
) -> None:
    with (
        ChromaProcess(tmp_path / "chroma") as server,
        served_with_chroma(starter_settings, tokenizer, server, data_dir) as service,
    ):
        whole = ask_at_once(service, questions[:CLIENTS])
        assert_served(whole, None)
        assert capability(service, "vector")["state"] == "available"

        server.hang()
        frozen = ask_at_once(service, questions[CLIENTS : 2 * CLIENTS])
        assert_served(frozen, "vector")
        told = wait_until(lambda: capability(service, "vector")["state"] == "unavailable", "health tells of it")
        health = capability(service, "vector")
        assert health["reason"]
        assert not shows_inner_workings(health["reason"])
        later = ask_at_once(service, questions[2 * CLIENTS : 3 * CLIENTS])
        assert_served(later, "vector")
        report("Chroma frozen", before=whole, first=frozen, later=later)
        # ten seconds a question before, one after the other: a sum of time limits, not a matter of a busy machine
        assert p95(later) < 10 + 3 * p95(whole)
        assert service.get("/health/ready").status_code == 200
        assert service.get("/health").json()["status"] == "degraded"

        server.resume()
        back = wait_until(lambda: not ask(service, questions[3 * CLIENTS]).missing, "vectors are used again")
        wait_until(lambda: service.get("/health").json()["status"] == "ok", "health is well again")
        print(f"Chroma: told by /health after {told:.1f} s, back {back:.1f} s after SIGCONT")
        server.kill()
        assert_served(ask_at_once(service, questions[:5]), "vector")
        wait_until(lambda: capability(service, "vector")["state"] == "unavailable", "health tells of a dead server")


@pytest.mark.finding("L13", "M6", "L1")
@pytest.mark.parametrize("database", [PostgreSQLServer, MariaDBServer])
def test_a_frozen_domain_database(
    starter_settings: Settings,
    tokenizer: KiwiTokenizer,
    data_dir: Path,
    questions: list[str],
    database: type[PostgreSQLServer | MariaDBServer],
) -> None:
    with database() as server:
        settings = starter_settings.model_copy(update={"data_dir": data_dir, "database_url": server.url})
        with serving(settings, tokenizer) as service:
            assert capability(service, "domain_db")["state"] == "available"
            _freezes_and_comes_back(service, server, "domain_db", questions)


@pytest.mark.finding("L13")
@pytest.mark.parametrize("database", [PostgreSQLServer, MariaDBServer])
def test_a_database_that_freezes_within_a_transaction(database: type[PostgreSQLServer | MariaDBServer]) -> None:
    with database() as server:
        store = DomainStore(server.url, DOMAINS_DIR, timeout_seconds=1)
        assert store.load().origin == "database"
        with pytest.raises(DomainStoreError):
            _read_while_it_hangs(store, server)
        server.resume()
        assert store.load().origin == "database"
        store.close()


def _read_while_it_hangs(store: DomainStore, server: OwnServer) -> None:
    with store._rows() as rows:
        server.hang()
        rows.version()  # without a limit of ours this waits for ever


@pytest.mark.finding("M6", "L1")
def test_a_frozen_redis(
    starter_settings: Settings, tokenizer: KiwiTokenizer, data_dir: Path, questions: list[str]
) -> None:
    with RedisServer() as server:
        changes = {"data_dir": data_dir, "redis_url": server.url, "enable_rate_limit": True}
        changes |= {"enable_response_cache": True, "rate_limit_per_minute": 1_000, "rate_limit_burst": 200}
        with serving(starter_settings.model_copy(update=changes), tokenizer) as service:
            _freezes_and_comes_back(service, server, "redis", questions)


@pytest.mark.finding("H8", "M6", "L1")
def test_nothing_is_there_at_the_start(
    starter_settings: Settings, tokenizer: KiwiTokenizer, data_dir: Path, questions: list[str], tmp_path: Path
) -> None:
    with ChromaProcess(tmp_path / "chroma") as server:
        settings = with_chroma(starter_settings, server, data_dir)
    away = {"database_url": "postgresql://u:geheim@127.0.0.1:9/x", "redis_url": "redis://:geheim@127.0.0.1:9/0"}
    with serving(settings.model_copy(update=away), tokenizer) as service:
        answers = ask_at_once(service, questions[:5])
        assert {frozenset(answer.missing) for answer in answers} == {frozenset({"vector", "domain_db", "redis"})}
        health = service.get("/health").json()
        assert (health["status"], health["ready"]) == ("degraded", True)
        broken = {
            name: capability["reason"]
            for name, capability in health["capabilities"].items()
            if capability["state"] != "available"
        }
        assert set(broken) == {"vector", "domain_db", "redis"}
        reasons = [
            *broken.values(),
            *(degraded["reason"] for answer in answers for degraded in answer.body["degraded"]),
        ]
        assert not [reason for reason in reasons if shows_inner_workings(reason) or "geheim" in reason]
        server.start()
        wait_until(lambda: "vector" not in ask(service, questions[6]).missing, "the vector server is found")
        server.kill()


@pytest.mark.finding("H8")
def test_a_build_ends_when_the_vector_server_hangs(
    starter_settings: Settings, data_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ChromaProcess(tmp_path / "chroma") as server:
        settings = with_chroma(starter_settings, server, data_dir)
        lines = [record(f"N{number}", f"임금 체불 신고 방법 번호{number}") for number in range(5)]
        more = write_lines(tmp_path / "more.jsonl", *lines)
        source = Source(more, loader_for(more), str(more), None)
        server.hang()
        with pytest.raises(VectorStoreUnavailable):
            Ingest(settings, build_providers(settings)).run([source])
        server.resume()

        monkeypatch.setattr("vectorstores.backends.vectors.BUILD_TIMEOUT", 1.0)
        with pytest.raises(VectorStoreUnavailable):
            _write_while_it_hangs(VectorWriter(tmp_path, "half", vector_server(settings)), server)
        server.resume()


def _write_while_it_hangs(open_writer: VectorWriter, server: ChromaProcess) -> None:
    vectors = np.ones((5_000, 8), dtype=np.float32)
    with open_writer as writer:
        writer.add(range(5_000), vectors)
        wait_until(lambda: all(batch.done() for batch in writer._under_way), "the first batch is stored")
        server.hang()
        writer.add(range(5_000, 10_000), vectors)


@pytest.mark.finding("M10")
def test_a_read_only_data_directory(
    starter_settings: Settings, tokenizer: KiwiTokenizer, data_dir: Path, questions: list[str]
) -> None:
    (data_dir / "domains.db").unlink(
        missing_ok=True
    )  # another test's service may have made it where this was copied from
    with (
        read_only(data_dir),
        serving(starter_settings.model_copy(update={"data_dir": data_dir}), tokenizer) as service,
    ):
        assert_served(ask_at_once(service, questions[:5]), "domain_db")  # whose file would be there
        health = service.get("/health").json()
        assert (health["status"], health["ready"]) == ("degraded", True)
        broken = [name for name, capability in health["capabilities"].items() if capability["state"] != "available"]
        assert broken == ["domain_db", "disk"]
        refused = service.post("/api/vectordb/ingest", files={"files": ("a.jsonl", b"{}")})
        assert 400 <= refused.status_code < 500 or refused.status_code == 503


def _freezes_and_comes_back(service: httpx.Client, server: OwnServer, component: str, questions: list[str]) -> None:
    whole = ask_at_once(service, questions[:CLIENTS])
    assert_served(whole, None)
    server.hang()
    first = ask_at_once(service, questions[CLIENTS : 2 * CLIENTS])
    assert [answer.status for answer in first] == [200] * CLIENTS
    told = wait_until(lambda: capability(service, component)["state"] == "degraded", "health tells of it")
    assert not shows_inner_workings(capability(service, component)["reason"])
    later = ask_at_once(service, questions[2 * CLIENTS : 3 * CLIENTS])
    assert_served(later, component)
    assert service.get("/health/ready").status_code == 200
    server.resume()
    back = wait_until(lambda: service.get("/health").json()["status"] == "ok", "everything is well again")
    assert_served(ask_at_once(service, questions[3 * CLIENTS : 3 * CLIENTS + 5]), None)
    report(f"{component} frozen", before=whole, first=first, later=later)
    print(f"{component}: told by /health after {told:.1f} s, back {back:.1f} s after SIGCONT")
