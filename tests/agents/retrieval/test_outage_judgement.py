"""Searches with a part away are judged by what is there, so that an outage sends no question through the retry levels."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from agents.retrieval.budget import DocumentBudget
from agents.retrieval.multi_query import MultiQueryExpander
from agents.retrieval.plan import SearchPlanner
from schemas.chat import Component
from tests.support.small_index import SmallKnowledge
from tests.support.small_searcher import BrokenReranker, copied, cut, open_searcher
from utils.config.settings import PROJECT_ROOT, Settings
from utils.question_decomposer import SubQuery
from utils.retrieval_evaluator import RuleBasedRetrievalEvaluator
from vectorstores.embedders.kiwi import KiwiEmbedder
from vectorstores.rerankers.base import Reranker
from vectorstores.rerankers.kiwi import KiwiReranker
from vectorstores.search.hybrid import HybridSearcher

HR = "hr_labor_db"
QUESTIONS = [
    json.loads(line)["question"]
    for line in (PROJECT_ROOT / "evaluation/datasets/starter_hr_labor.jsonl").read_text(encoding="utf-8").splitlines()
][:25]
OFF_SUBJECT = [
    "강아지가 양파를 먹었는데 병원 가야 하나요?",
    "제주도 3박 4일 렌트비 얼마쯤 들어요?",
    "공룡은 왜 사라졌나요?",
]


@pytest.fixture(scope="module")
def without_vectors(labour: SmallKnowledge, tmp_path_factory: pytest.TempPathFactory) -> SmallKnowledge:
    """The index with its database and its vector file broken off in the middle."""
    knowledge = copied(labour, Path(tmp_path_factory.mktemp("broken")) / "var")
    cut(knowledge, "chroma/chroma.sqlite3", "vectors.npy", collection=HR)
    return knowledge


@pytest.fixture(params=["a reranker", "no reranker"])
def searcher(
    request: pytest.FixtureRequest, without_vectors: SmallKnowledge, embedder: KiwiEmbedder
) -> Iterator[HybridSearcher]:
    reranker: Reranker = KiwiReranker(embedder) if request.param == "a reranker" else BrokenReranker()
    index = without_vectors.store.open_current()
    yield open_searcher(without_vectors, index, reranker)
    index.close()


def passed(searcher: HybridSearcher, expander: MultiQueryExpander, question: str) -> bool:
    settings = Settings()
    budget = DocumentBudget(per_domain=4, total=4, kept=4)
    plan = SearchPlanner(settings, expander).plan(searcher, SubQuery("hr_labor", question), HR, budget)
    outcome = searcher.search(HR, plan.request)
    assert Component.VECTOR in [degraded.component for degraded in outcome.degraded]
    assert all(hit.similarity is None for hit in outcome.hits)
    evaluator = RuleBasedRetrievalEvaluator(settings, "kiwi-words", "kiwi-any")
    return evaluator.evaluate(plan.profile.terms, outcome.hits).passed


def test_questions_pass_without_vectors(searcher: HybridSearcher, expander: MultiQueryExpander) -> None:
    results = [passed(searcher, expander, question) for question in QUESTIONS]
    assert sum(results) >= 0.7 * len(results)


def test_what_is_off_the_subject_still_fails(searcher: HybridSearcher, expander: MultiQueryExpander) -> None:
    assert [question for question in OFF_SUBJECT if passed(searcher, expander, question)] == []
