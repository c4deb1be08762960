"""Broken parts are named in health and in answers; the answers tell nothing of how the service is built."""

from __future__ import annotations

import ast
import logging
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from health_probes import _disk, _provider
from schemas.chat import Component
from schemas.health import CapabilityState
from tests.support.crowd import shows_inner_workings
from tests.support.folders import read_only, small_disk
from tests.support.redis_server import RedisServer
from tests.support.scripted_openai import Fail, ScriptedOpenAI
from tests.support.small_index import SmallKnowledge, record, write_lines
from tests.support.small_searcher import copied, open_searcher, request_for
from utils.config.retrieval_settings import RetrievalSettings
from utils.config.settings import PROJECT_ROOT, Settings
from utils.resilience.redis_link import RedisAddressError, RedisLink
from utils.retrieval_evaluator import RuleBasedRetrievalEvaluator
from vectorstores import errors
from vectorstores.embedders.base import TextModel
from vectorstores.embedders.openai import OpenAIEmbedder
from vectorstores.errors import EmbeddingUnavailable, KnowledgeIndexError
from vectorstores.rerankers.base import RerankerUnavailable
from vectorstores.search.degradation import degradation
from vectorstores.search.hybrid import HybridSearcher
from vectorstores.search.request import SearchOutcome

HR = "hr_labor_db"
DATABASE, VECTORS = "chroma/chroma.sqlite3", "vectors.npy"
TELLING = "벡터 저장소 (/srv/var/index): [Errno 2] No such file; OperationalError at 127.0.0.1"


@pytest.fixture(scope="module")
def wages(tmp_path_factory: pytest.TempPathFactory) -> SmallKnowledge:
    folder = tmp_path_factory.mktemp("wages")
    knowledge = SmallKnowledge(Settings(data_dir=folder / "var"))
    lines = [record(f"W{number}", f"임금 체불 신고 방법 번호{number}") for number in range(30)]
    assert not knowledge.add(write_lines(folder / "wages.jsonl", *lines)).problems
    return knowledge


@pytest.fixture
def own(wages: SmallKnowledge, tmp_path: Path) -> SmallKnowledge:
    return copied(wages, tmp_path / "var")


def files_of(knowledge: SmallKnowledge, pattern: str) -> list[Path]:
    manifest = knowledge.store.layout.manifest(knowledge.store.current_version() or "")
    return list(knowledge.store.layout.collection_dir(manifest.collections[HR]).glob(pattern))


def empty(knowledge: SmallKnowledge, *patterns: str) -> None:
    for pattern in patterns:
        for file in files_of(knowledge, pattern):
            file.write_bytes(b"")


def searched(knowledge: SmallKnowledge, searcher: HybridSearcher | None = None) -> SearchOutcome:
    index = knowledge.store.open_current()
    try:
        return (searcher or open_searcher(knowledge, index)).search(HR, request_for("임금 체불 번호7", rerank=True))
    finally:
        index.close()


def similarities(outcome: SearchOutcome) -> dict[str, float | None]:
    return {hit.chunk.id: hit.similarity for hit in outcome.hits}


@pytest.mark.finding("H8")
def test_without_a_vector_search_the_stored_vectors_tell_how_near_a_hit_is(
    wages: SmallKnowledge, own: SmallKnowledge
) -> None:
    whole = similarities(searched(wages))
    empty(own, DATABASE)
    outcome = searched(own)
    assert [degraded.component for degraded in outcome.degraded] == [Component.VECTOR]
    nearness = similarities(outcome)
    assert all(nearness.values())
    assert nearness["W7"] == pytest.approx(whole["W7"], abs=2e-3)


@pytest.mark.finding("H8")
def test_without_any_vectors_what_was_found_is_judged_by_its_words_alone(own: SmallKnowledge) -> None:
    class Away:
        """A provider that does not answer."""

        id, dimension = "kiwi-words", 64

        def embed(self, _: object) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
            raise EmbeddingUnavailable(TELLING)

        embed_passages = embed

    index = own.store.open_current()
    searcher = open_searcher(own, index)
    searcher._embedder = Away()
    outcome = searcher.search(HR, request_for("임금 체불 번호7"))
    index.close()
    assert outcome.hits
    assert set(similarities(outcome).values()) == {None}
    settings = RetrievalSettings(retrieval_min_docs=1)
    evaluator = RuleBasedRetrievalEvaluator(settings, "kiwi-words", "kiwi-written")
    relevant = [hit for hit in outcome.hits if hit.chunk.id == "W7"]
    judged = evaluator.evaluate(["임금", "체불"], [replace(hit, relevance=0.9) for hit in relevant])
    assert judged.passed, "no retry could bring the cosines back"
    assert not evaluator.evaluate(["상표"], [replace(hit, relevance=0.9) for hit in relevant]).passed


@pytest.mark.finding("L1")
@pytest.mark.parametrize(
    "damaged", [(DATABASE,), (DATABASE, VECTORS), ("bm25/data.csc.index.npy",), ("vocabulary.*",)], ids=str
)
def test_no_reason_shows_inner_workings(own: SmallKnowledge, damaged: tuple[str, ...]) -> None:
    assert all(files_of(own, pattern) for pattern in damaged)
    empty(own, *damaged)
    outcome = searched(own)
    assert outcome.degraded
    assert not [degraded.reason for degraded in outcome.degraded if shows_inner_workings(degraded.reason)]


@pytest.mark.finding("L1")
def test_every_error_of_the_index_has_a_sentence_for_clients() -> None:
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, KnowledgeIndexError)]
    for error in (kind(TELLING) for kind in (*kinds, RerankerUnavailable)):
        reason = degradation(Component.VECTOR, error).reason
        assert reason.endswith(".")
        assert any("가" <= letter <= "힣" for letter in reason)
        assert not shows_inner_workings(reason)


def _reasons_in_code() -> Iterator[tuple[str, ast.expr]]:
    for package in ("agents", "chains", "routes", "utils", "vectorstores"):
        for file in (PROJECT_ROOT / package).rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Degradation":
                    yield from ((file.name, keyword.value) for keyword in node.keywords if keyword.arg == "reason")


@pytest.mark.finding("L1")
def test_no_reason_is_made_of_the_text_of_an_error() -> None:
    reasons = list(_reasons_in_code())
    assert reasons
    for file, reason in reasons:
        named = {node.id for node in ast.walk(reason) if isinstance(node, ast.Name)}
        attributes = {node.attr for node in ast.walk(reason) if isinstance(node, ast.Attribute)}
        assert "str" not in named, f"{file}: {ast.unparse(reason)}"
        assert attributes <= {"reason"}, f"{file}: {ast.unparse(reason)}"
        assert "error" not in named or attributes, f"{file}: {ast.unparse(reason)}"


@pytest.mark.finding("M10")
def test_a_read_only_folder_is_searched_as_any_other(wages: SmallKnowledge, own: SmallKnowledge) -> None:
    whole = searched(wages)
    with read_only(own.settings.data_dir):
        outcome = searched(own)
        assert _disk(own.settings).state is CapabilityState.DEGRADED
    assert outcome.degraded == ()
    assert similarities(outcome) == similarities(whole)


@pytest.mark.finding("M6")
@pytest.mark.parametrize(
    ("folder", "size", "state"),
    [
        ("data", "100m", CapabilityState.DEGRADED),
        ("data", "4m", CapabilityState.UNAVAILABLE),
        ("logs", "4m", CapabilityState.DEGRADED),
    ],
)
def test_a_nearly_full_disk_is_told(tmp_path: Path, folder: str, size: str, state: CapabilityState) -> None:
    settings = Settings(data_dir=tmp_path / "data", log_dir=tmp_path / "logs", disk_reserve_bytes=50_000_000)
    settings.data_dir.mkdir()
    settings.log_dir.mkdir()
    assert _disk(settings.model_copy(update={"disk_warn_bytes": 0})).state is CapabilityState.AVAILABLE
    with small_disk(tmp_path / folder, size):
        told = _disk(settings)
    assert told.state is state
    assert ("로그" in told.reason) == (folder == "logs")
    assert not shows_inner_workings(told.reason)


@pytest.mark.finding("M6")
def test_a_provider_that_was_given_up_is_told_and_found_again() -> None:
    with ScriptedOpenAI() as server:
        embedder = OpenAIEmbedder(TextModel("openai-x", "x", 8), server.base_url, None, 5.0)
        assert _provider(embedder).state is CapabilityState.AVAILABLE
        server.script["embeddings"] = Fail(500)
        for number in range(3):
            with pytest.raises(EmbeddingUnavailable):
                embedder.embed_query(f"질문 {number}")
        told = _provider(embedder)
        assert told.state is CapabilityState.DEGRADED
        assert not shows_inner_workings(told.reason)
        del server.script["embeddings"]
        embedder._endpoint._breaker._recovery = 0.0
        assert _provider(embedder).state is CapabilityState.AVAILABLE, "and no question was needed"


@pytest.mark.services
@pytest.mark.finding("L13", "M6")
async def test_a_redis_without_room_is_told_once(caplog: pytest.LogCaptureFixture) -> None:
    with RedisServer("--maxmemory", "1", "--maxmemory-policy", "noeviction") as server:
        link = RedisLink(server.url)
        with caplog.at_level(logging.INFO, logger="utils.resilience.redis_link"):
            for _ in range(20):  # as requests do: read, and write
                assert await link.run(lambda: link.client.get("bizi:x"), reads=True) is None
                assert not await link.is_up()
                assert link.degradation is not None
        assert len(caplog.records) == 1
        assert not shows_inner_workings(link.degradation.reason)
        await link.run(lambda: link.client.config_set("maxmemory", "0"), reads=True)
        assert await link.is_up()
        assert link.degradation is None
        await link.aclose()


@pytest.mark.services
@pytest.mark.finding("M6")
async def test_a_redis_that_refuses_the_password_is_told_without_it() -> None:
    with RedisServer("--requirepass", "right") as server:
        link = RedisLink(server.url.replace("redis://", "redis://:wrong@"))
        assert not await link.is_up()
        assert link.degradation is not None
        assert "wrong" not in link.degradation.reason
        await link.aclose()


@pytest.mark.finding("M10")
def test_a_redis_address_with_a_wrong_option_is_refused_without_showing_it() -> None:
    with pytest.raises(RedisAddressError, match="REDIS_URL") as caught:
        RedisLink("redis://:secret@127.0.0.1:6379/0?no_such_option=1")
    assert "secret" not in str(caught.value)
