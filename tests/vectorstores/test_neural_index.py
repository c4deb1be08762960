"""A knowledge index whose vectors come from an embedding server: what is kept of a build, and what a failure costs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from schemas.chat import Component
from tests.support.scripted_openai import Fail, Say, ScriptedOpenAI
from tests.support.small_index import SmallKnowledge, record, write_lines
from tests.support.small_searcher import WrittenReranker, request_for
from utils.config.settings import Settings
from utils.law.question_references import LawNameFinder
from utils.protocols import Embedder
from vectorstores.embedders.factory import build_embedder
from vectorstores.errors import VectorStoreUnavailable
from vectorstores.search.hybrid import HybridSearcher

pytestmark = pytest.mark.whole

HR = "hr_labor_db"


@pytest.fixture
def server() -> Iterator[ScriptedOpenAI]:
    with ScriptedOpenAI() as running:
        yield running


@pytest.fixture
def embedder_of(server: ScriptedOpenAI) -> Callable[[], Embedder]:
    settings = Settings.model_validate(
        {"embedding_provider": "openai", "openai_base_url": server.base_url, "openai_api_key": "sk-test"}
    )
    return lambda: build_embedder(settings, None)  # type: ignore[arg-type]


@pytest.fixture
def many(tmp_path: Path) -> Path:
    records = (record(f"M{number}", f"임금 문서 {number}", title=f"제목 {number}") for number in range(600))
    return write_lines(tmp_path / "many.jsonl", *records)


def embedded(server: ScriptedOpenAI) -> list[str]:
    """The texts sent, without those that try the server."""
    return [text for call in server.calls if len(call.body["input"]) > 1 for text in call.body["input"]]


def test_a_build_that_was_cut_off_embeds_only_what_is_missing(
    server: ScriptedOpenAI, embedder_of: Callable[[], Embedder], many: Path, tmp_path: Path
) -> None:
    settings = Settings(data_dir=tmp_path / "data")
    knowledge = SmallKnowledge(settings, embedder=embedder_of())
    server.reset({"embeddings": [*[Say("")] * 12, Fail(500)]})
    with pytest.raises(VectorStoreUnavailable, match="OPENAI_BASE_URL"):
        knowledge.add(many)
    kept = set(embedded(server)[:256])

    server.reset()
    again = SmallKnowledge(settings, embedder=embedder_of())
    assert again.add(many).added == 600
    assert len(embedded(server)) == len(set(embedded(server))) == 600 - 256
    assert kept.isdisjoint(embedded(server))


def test_a_small_change_embeds_little(
    server: ScriptedOpenAI, embedder_of: Callable[[], Embedder], many: Path, tmp_path: Path
) -> None:
    settings = Settings(data_dir=tmp_path / "data")
    SmallKnowledge(settings, embedder=embedder_of()).add(many)
    server.reset()
    more = write_lines(tmp_path / "more.jsonl", record("N1", "임금 새 문서"), record("N2", "임금 또 다른 문서"))
    SmallKnowledge(settings, embedder=embedder_of()).add(more)
    assert len(embedded(server)) == 2


def test_a_search_goes_on_without_the_embedding_server(
    server: ScriptedOpenAI, embedder_of: Callable[[], Embedder], many: Path, tmp_path: Path
) -> None:
    knowledge = SmallKnowledge(Settings(data_dir=tmp_path / "data"), embedder=embedder_of())
    knowledge.add(many)
    index = knowledge.store.open_current()
    reranker = WrittenReranker(lambda passage: 0.5)
    searcher = HybridSearcher(
        index, knowledge.analyzer, knowledge.embedder, reranker, LawNameFinder([], {}), combiner=None
    )
    whole = searcher.search(HR, request_for("임금 문서 77"))
    assert whole.degraded == ()
    assert whole.hits[0].chunk.id == "M77"

    server.script["embeddings"] = Fail(500)
    assert searcher.search(HR, request_for("임금 문서 77")) == whole, "its vector is known"
    outcome = searcher.search(HR, request_for("임금 문서 78"))
    assert outcome.hits[0].chunk.id == "M78"
    assert [degradation.component for degradation in outcome.degraded] == [Component.VECTOR]
    with pytest.raises(VectorStoreUnavailable):
        searcher.search(HR, request_for("임금 문서 79", lexical=False))
    index.close()
