"""Searching the small index of `small_index`: the real searcher, with a reranker that a test writes itself."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from tests.support.small_index import SmallKnowledge, WordAnalyzer, WordEmbedder
from utils.documents import LocatedTerms
from utils.korean.glossary import Glossary
from utils.law.question_references import LawNameFinder
from utils.protocols import Morpheme
from vectorstores.index import KnowledgeIndex
from vectorstores.live.live_search import LiveSearch
from vectorstores.ranking.combiner import LinearCombiner
from vectorstores.rerankers.base import Reranker, RerankerUnavailable, RerankPassage, RerankQuery
from vectorstores.search.hybrid import HybridSearcher
from vectorstores.search.request import SearchRequest
from vectorstores.tokenizer import KiwiTokenizer

LAW = "law_common_db"
SAME_WORDS = "휴업 신고 는 구청장 에게 한다"


class MorphemeAnalyzer(WordAnalyzer):
    """Korean terms as the service has them, for an index with hashed vectors."""

    def __init__(self, tokenizer: KiwiTokenizer) -> None:
        super().__init__(tokenizer.id)
        self._tokenizer = tokenizer

    def terms(self, text: str) -> list[str]:
        return self._tokenizer.terms(text)

    def located(self, text: str) -> LocatedTerms:
        return self._tokenizer.located(text)

    def morphemes(self, text: str) -> list[Morpheme]:
        return self._tokenizer.morphemes(text)


class WrittenReranker:
    """Scores by a function of the passage; keeps what it was asked."""

    def __init__(self, relevance: Callable[[RerankPassage], float], reranker_id: str = "kiwi-written") -> None:
        self.id = reranker_id
        self.queries: list[RerankQuery] = []
        self.passages: list[RerankPassage] = []
        self.judged: list[tuple[RerankQuery, str]] = []
        self._relevance = relevance

    def rerank(self, query: RerankQuery, passages: Sequence[RerankPassage]) -> list[float]:
        self.queries.append(query)
        self.passages.extend(passages)
        self.judged.extend((query, passage.key) for passage in passages)
        return [self._relevance(passage) for passage in passages]


class BrokenReranker:
    """A provider that is away."""

    def __init__(self, reranker_id: str = "kiwi-broken") -> None:
        self.id = reranker_id

    def rerank(self, query: RerankQuery, passages: Sequence[RerankPassage]) -> list[float]:
        raise RerankerUnavailable("재순위 서버가 답하지 않습니다")


def open_searcher(
    knowledge: SmallKnowledge,
    index: KnowledgeIndex,
    reranker: Reranker | None = None,
    embedder_id: str = "kiwi-words",
    aliases: Mapping[str, str] | None = None,
    order: LinearCombiner | None = None,
) -> HybridSearcher:
    """A searcher of ``index``; with an embedder or reranker that is not kiwi's there is only the ``order`` given."""
    reranker = reranker or WrittenReranker(lambda _: 0.0)
    learned = embedder_id.startswith("kiwi") and reranker.id.startswith("kiwi")
    return HybridSearcher(
        index,
        knowledge.analyzer,
        WordEmbedder(embedder_id),
        reranker,
        LawNameFinder(index.law_names(), aliases or {}),
        order or (LinearCombiner.load() if learned else None),
    )


def request_for(*queries: str, k: int = 5, rerank: bool = False, **values: object) -> SearchRequest:
    """A request for a question and its variants, as the planner would make it for the embedded embedder."""
    usual: dict[str, object] = {
        "pool": 60,
        "vector_pool": 30,
        "vector_weight": 0.4,
        "fusion": "score",
        "readings": queries[:1],
    }
    return SearchRequest(queries=queries, k=k, rerank=rerank, **(usual | values))  # type: ignore[arg-type]


def copied(knowledge: SmallKnowledge, folder: Path) -> SmallKnowledge:
    """The same index in a folder of its own, for a test to damage."""
    shutil.copytree(knowledge.settings.data_dir, folder)
    return SmallKnowledge(knowledge.settings.model_copy(update={"data_dir": folder}), knowledge.analyzer)


def cut(knowledge: SmallKnowledge, *files: str, collection: str = LAW) -> None:
    """Break files of the current build of a collection off in the middle."""
    manifest = knowledge.store.layout.manifest(knowledge.store.current_version() or "")
    folder = knowledge.store.layout.collection_dir(manifest.collections[collection])
    for name in files:
        (folder / name).write_bytes((folder / name).read_bytes()[: (folder / name).stat().st_size // 2])


def live_search(knowledge: SmallKnowledge) -> LiveSearch:
    """The current version as a service holds it, reranked by nothing in particular."""
    reranker, glossary = WrittenReranker(lambda _: 0.5), Glossary({}, frozenset(), {}, {})
    index = knowledge.store.open_current()
    return LiveSearch(knowledge.store, index, knowledge.analyzer, knowledge.embedder, reranker, glossary, None)
