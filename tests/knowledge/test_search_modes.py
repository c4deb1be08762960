"""The five search modes over the starter base: each changes the results in the way it is named after."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import mean

import pytest

from agents.retrieval.budget import DocumentBudget
from agents.retrieval.multi_query import MultiQueryExpander
from agents.retrieval.plan import SearchPlanner
from agents.retrieval.search_mode import SearchMode, SearchStrategySelector
from evaluation.experiments.mode_comparison import hit_vectors, overlap, pairwise_cosine
from evaluation.questions import load_questions
from tests.support.packs import shipped_collections
from utils.config.settings import PROJECT_ROOT, Settings
from utils.documents import Hit, KnowledgeDocument
from utils.korean.glossary import load_glossary
from utils.question_decomposer import SubQuery
from vectorstores.live.live_search import LiveSearch
from vectorstores.search.hybrid import HybridSearcher
from vectorstores.tokenizer import KiwiTokenizer

K = 10
DOMAIN = "hr_labor"
COLLECTION = shipped_collections().find(DOMAIN).name

QUESTIONS = PROJECT_ROOT / "evaluation" / "datasets" / f"starter_{DOMAIN}.jsonl"

Lists = list[tuple[Hit, ...]]


@dataclass(frozen=True)
class ModeSearch:
    """Searches the labour documents in a mode."""

    searcher: HybridSearcher
    settings: Settings
    expander: MultiQueryExpander

    def __call__(self, mode: SearchMode, questions: Sequence[str]) -> Lists:
        planner = SearchPlanner(self.settings, self.expander, SearchStrategySelector(True, forced=mode))
        budget = DocumentBudget(K, K, K)
        plans = (planner.plan(self.searcher, SubQuery(DOMAIN, question), COLLECTION, budget) for question in questions)
        return [self.searcher.search(COLLECTION, plan.request).hits for plan in plans]


@pytest.fixture(scope="module")
def search(live_search: LiveSearch, starter_settings: Settings, tokenizer: KiwiTokenizer) -> ModeSearch:
    expander = MultiQueryExpander(load_glossary(), tokenizer, starter_settings.multi_query_count)
    return ModeSearch(live_search.searcher, starter_settings, expander)


@pytest.fixture(scope="module")
def by_mode(search: ModeSearch) -> dict[SearchMode, Lists]:
    """Return the lists that each mode finds for the questions of the labour documents."""
    questions = [question.question for question in load_questions(QUESTIONS)]
    return {mode: search(mode, questions) for mode in SearchMode}


def agreement(lists: Lists, other: Lists) -> float:
    return mean(overlap([a.chunk.id for a in x], [b.chunk.id for b in y]) for x, y in zip(lists, other, strict=True))


def mean_of(lists: Lists, attribute: str) -> float:
    return mean(getattr(hit, attribute) for hits in lists for hit in hits)


def of_vectors_alone(lists: Lists) -> float:
    return mean(hit.found_by == {"vector"} for hits in lists for hit in hits)


def test_modes_that_weigh_the_sides_differently_find_different_documents(
    by_mode: Mapping[SearchMode, Lists],
) -> None:
    words, both, vectors = (
        by_mode[mode] for mode in (SearchMode.BM25_HEAVY, SearchMode.HYBRID, SearchMode.VECTOR_HEAVY)
    )
    assert agreement(words, both) < 0.95
    assert agreement(vectors, both) < 0.95
    assert agreement(words, vectors) < min(agreement(words, both), agreement(vectors, both))


def test_the_lexical_mode_brings_up_what_has_the_words(by_mode: Mapping[SearchMode, Lists]) -> None:
    rising = (SearchMode.VECTOR_HEAVY, SearchMode.HYBRID, SearchMode.BM25_HEAVY)
    few, some, most = (mean_of(by_mode[mode], "bm25") for mode in rising)
    assert few < some < most


def test_the_vector_mode_brings_up_what_is_near_without_the_words(by_mode: Mapping[SearchMode, Lists]) -> None:
    rising = (SearchMode.BM25_HEAVY, SearchMode.HYBRID, SearchMode.VECTOR_HEAVY)
    shares = [of_vectors_alone(by_mode[mode]) for mode in rising]
    assert shares[0] < shares[-1]
    far, nearer, near = (mean_of(by_mode[mode], "similarity") for mode in rising)
    assert far < nearer < near


def test_the_diverse_mode_repeats_itself_less(by_mode: Mapping[SearchMode, Lists], live_search: LiveSearch) -> None:
    index = live_search.searcher.index

    def likeness(mode: SearchMode) -> float:
        return mean(pairwise_cosine(hit_vectors(index, hits)) for hits in by_mode[mode])

    assert likeness(SearchMode.MMR_DIVERSE) < 0.96 * likeness(SearchMode.HYBRID)
    best = [[hits[0].chunk.id for hits in by_mode[mode]] for mode in (SearchMode.MMR_DIVERSE, SearchMode.HYBRID)]
    assert best[0] == best[1], "the best document stays the first"


def test_the_exact_mode_puts_what_rests_on_the_cited_article_first(
    search: ModeSearch, starter_documents: list[KnowledgeDocument]
) -> None:
    laws = sorted(
        {law for document in starter_documents if document.domain == DOMAIN for law in document.related_laws}
    )[::3]
    questions = [f"{law}에 따르면 사업주는 무엇을 해야 하나요?" for law in laws]

    def first(mode: SearchMode) -> float:
        found = search(mode, questions)
        return mean(law in hits[0].chunk.related_laws for law, hits in zip(laws, found, strict=True))

    assert first(SearchMode.EXACT_PLUS_VECTOR) > first(SearchMode.HYBRID) + 0.05
    assert first(SearchMode.EXACT_PLUS_VECTOR) > 0.8
