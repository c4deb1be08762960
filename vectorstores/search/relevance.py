"""The reranker's side of a search: readings of the question and passages, made from what the index holds."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from threading import Lock

from cachetools import LRUCache

from utils.documents import Chunk
from utils.protocols import AnalyzedText, Analyzer
from vectorstores.errors import LexicalIndexUnavailable
from vectorstores.index import CollectionIndex, KnowledgeIndex
from vectorstores.rerankers.base import PassageTerms, QueryReading, Reranker, RerankPassage, RerankQuery

_KEPT_PASSAGES = 4_096
_CLAUSE_FLOOR = 0.6  # what a reading of next to no weight still counts, against 1 for the fullest one


class RelevanceJudge:
    """Asks the reranker; ``analyze`` gives the subject terms of a question."""

    def __init__(
        self,
        index: KnowledgeIndex,
        reranker: Reranker,
        analyzer: Analyzer,
        analyze: Callable[[str], AnalyzedText],
    ) -> None:
        self._index = index
        self._reranker = reranker
        self._analyzer = analyzer
        self._analyze = analyze
        self._passages: LRUCache[tuple[str, str, str], RerankPassage] = LRUCache(_KEPT_PASSAGES)
        self._lock = Lock()

    def of_collection(self, target: CollectionIndex, readings: Sequence[str], chunks: Sequence[Chunk]) -> list[float]:
        """Relevance in [0, 1] of chunks of one collection. Raises `RerankerUnavailable`."""
        return self._rerank(readings, [self._passage(target, chunk) for chunk in chunks], [target])

    def across(self, readings: Sequence[str], chunks: Sequence[Chunk]) -> list[float]:
        """The same of chunks of any collections, comparable across them. Raises `RerankerUnavailable`."""
        collections = self._index.collections
        passages = [self._passage(collections[chunk.collection], chunk) for chunk in chunks]
        return self._rerank(readings, passages, list(collections.values()))

    def _rerank(
        self, readings: Sequence[str], passages: Sequence[RerankPassage], targets: Sequence[CollectionIndex]
    ) -> list[float]:
        analyzed = [self._reading(text, targets) for text in dict.fromkeys(readings)]
        return self._reranker.rerank(RerankQuery(readings[0], tuple(_scaled(analyzed))), passages)

    def _reading(self, text: str, targets: Sequence[CollectionIndex]) -> QueryReading:
        terms = self._analyze(text).terms
        size = sum(target.size for target in targets)
        return QueryReading(
            terms, tuple(_idf(sum(frequency(target, term) for target in targets), size) for term in terms)
        )

    def _passage(self, target: CollectionIndex, chunk: Chunk) -> RerankPassage:
        key = (target.built_in, target.name, chunk.id)
        with self._lock:
            passage = self._passages.get(key)
            if passage is None:
                passage = self._passages[key] = RerankPassage(
                    key="|".join(key),
                    title=chunk.title,
                    text=chunk.text,
                    load_terms=lambda: self._chunk_terms(target, chunk),
                )
        return passage

    def _chunk_terms(self, target: CollectionIndex, chunk: Chunk) -> PassageTerms:
        """The indexed terms of a chunk; analysed anew where the term files are damaged."""
        try:
            return PassageTerms(target.term_ids_of_chunk(chunk.id), target.vocabulary)
        except LexicalIndexUnavailable:
            return PassageTerms.of_words(self._analyzer.terms(f"{chunk.title}\n{chunk.text}"))


def frequency(target: CollectionIndex, term: str) -> int:
    """Chunks that hold a term; 0, as of a rare one, where the lexical index is damaged."""
    return 0 if target.bm25_error is not None else target.document_frequency(term)


def _scaled(readings: Sequence[QueryReading]) -> list[QueryReading]:
    """Readings that say less than the fullest one count less: a clause of common words must not outvote the question."""
    fullest = max((sum(reading.weights) for reading in readings), default=0.0) or 1.0
    return [
        replace(reading, scale=_CLAUSE_FLOOR + (1 - _CLAUSE_FLOOR) * min(1.0, sum(reading.weights) / fullest))
        for reading in readings
    ]


def _idf(documents: int, size: int) -> float:
    """Robertson and Spärck Jones inverse document frequency with the usual +1, always positive."""
    return math.log(1 + (size - documents + 0.5) / (documents + 0.5))
