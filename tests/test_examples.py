"""The usage examples in the docstrings of the classes that others start from are run."""

from __future__ import annotations

import doctest
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from chains.extractive.chat_model import ExtractiveWriter
from chains.extractive.sentence_model import AnswerModel
from chains.extractive.sentence_scoring import SentenceScorer
from chains.extractive_task import ExtractiveDocument
from chains.rag_chain import RAGChain
from tests.support.routing import DOMAINS_DIR
from tests.support.small_index import SmallKnowledge, record, write_lines
from tests.support.small_searcher import MorphemeAnalyzer, WrittenReranker, live_search, request_for
from tests.support.written_model import WrittenChatModel, language_model
from utils.config.settings import Settings
from utils.domain_classifier import DomainClassifier
from utils.grounding.check import AnswerChecker
from utils.routing.calibration import RoutingCalibration
from utils.routing.domain_pack import load_pack_files
from vectorstores.build.ingest import Ingest
from vectorstores.build.providers import build_providers
from vectorstores.embedders.kiwi import KiwiEmbedder
from vectorstores.loaders.registry import loader_for
from vectorstores.search.hybrid import HybridSearcher
from vectorstores.tokenizer import KiwiTokenizer

pytestmark = pytest.mark.whole

STARTED_FROM = (AnswerChecker, DomainClassifier, ExtractiveWriter, HybridSearcher, Ingest, RAGChain)
SENTENCE = "직원이 다섯 명 이상이면 연차를 줍니다."


@pytest.fixture
def names(tmp_path: Path, tokenizer: KiwiTokenizer, embedder: KiwiEmbedder) -> Iterator[dict[str, Any]]:
    """Yield the names that the examples use without defining them."""
    path = write_lines(tmp_path / "guides.jsonl", record("LEAVE", SENTENCE))
    knowledge = SmallKnowledge(Settings(data_dir=tmp_path / "small"), MorphemeAnalyzer(tokenizer), embedder=embedder)
    assert knowledge.add(path).problems == []
    live = live_search(knowledge)
    yield {
        "settings": Settings(data_dir=tmp_path / "var"),
        "path": path,
        "loader_for": loader_for,
        "build_providers": build_providers,
        "tokenizer": tokenizer,
        "embedder": embedder,
        "scorer": SentenceScorer(tokenizer, embedder, AnswerModel.load()),
        "documents": (
            ExtractiveDocument(index=1, title="연차", domain="hr_labor", sentences=(SENTENCE,), relevance=0.6),
        ),
        "analyzer": knowledge.analyzer,
        "index": live.searcher.index,
        "reranker": WrittenReranker(lambda _: 0.5),
        "law_names": live.searcher.law_names,
        "request": request_for("연차는 언제 주나요?"),
        "live": live,
        "model": language_model("m", WrittenChatModel()),
        "pool": None,  # not asked where one searches in a thread of one's own
        "packs": load_pack_files(DOMAINS_DIR),
        "calibration": RoutingCalibration.load(),
    }
    live.searcher.close()


@pytest.mark.parametrize("started_from", STARTED_FROM, ids=lambda kind: kind.__name__)
def test_the_example_of_a_class_runs(started_from: type, names: dict[str, Any]) -> None:
    found = vars(sys.modules[started_from.__module__]) | names
    example = doctest.DocTestParser().get_doctest(started_from.__doc__ or "", found, started_from.__name__, None, 0)
    assert 1 <= len(example.examples) <= 3, "a usage example of at most three lines"
    report: list[str] = []
    doctest.DocTestRunner().run(example, out=report.append)
    assert not report, "".join(report)
