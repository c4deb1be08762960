"""One hybrid search over one collection: lexical and vector candidates, fusion over the query variants, reranking.

Blocking, CPU-bound work without shared mutable state: the caller runs it in a worker thread.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from schemas.chat import Component, Degradation
from utils.knowledge import Chunk, Hit
from utils.legal_reference import LawNameFinder
from utils.protocols import AnalyzedText, Analyzer, Embedder
from utils.question_words import subject_terms
from vectorstores.errors import LexicalIndexUnavailable, VectorStoreUnavailable
from vectorstores.fusion import maximal_marginal_relevance, reciprocal_rank_fusion, score_fusion
from vectorstores.index import CollectionIndex, KnowledgeIndex
from vectorstores.lexical import Ordinals, Scores
from vectorstores.rerankers.base import QueryReading, Reranker, RerankerUnavailable, RerankPassage, RerankQuery

Fusion = Literal["rrf", "score"]

_CLAUSE_FLOOR = 0.6  # what a reading of next to no weight still counts, against 1 for the fullest one
_VARIANT_WEIGHT = 0.4  # of a query variant, against 1 for the question itself
# Share of the reranker in the final order; a cross-encoder decides alone, the embedded one is one voice.
_RERANK_SHARE = {"kiwi": 0.5, "neural": 1.0}


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """What to look for in one collection.

    ``queries`` holds the question first, then its variants. ``readings`` are what the reranker may read the question as:
    as typed, in formal terms, clause by clause. ``labels`` are statute articles to put first if they exist.
    ``mmr_lambda`` set: diversify the top by MMR over ``mmr_fetch`` candidates.
    """

    queries: tuple[str, ...]
    readings: tuple[str, ...]
    k: int
    pool: int
    vector_weight: float
    fusion: Fusion
    labels: tuple[str, ...] = ()
    lexical: bool = True
    rerank: bool = True
    per_variant: int = 3
    mmr_lambda: float | None = None
    mmr_fetch: int = 16


@dataclass(frozen=True, slots=True)
class SearchOutcome:
    """Hits in falling order, and what was not available."""

    hits: tuple[Hit, ...]
    degraded: tuple[Degradation, ...] = ()


@dataclass(slots=True)
class _Candidates:
    """Scores by ordinal, one mapping a query."""

    lexical: list[dict[int, float]]
    cosine: list[dict[int, float]]
    degraded: list[Degradation]


class HybridSearcher:
    """Searches the collections of one opened index version."""

    def __init__(
        self,
        index: KnowledgeIndex,
        analyzer: Analyzer,
        embedder: Embedder,
        reranker: Reranker,
        law_names: LawNameFinder,
    ) -> None:
        self._index = index
        self.law_names = law_names
        self._analyzer = analyzer
        self._embedder = embedder
        self._reranker = reranker
        self._rerank_share = _RERANK_SHARE["kiwi" if reranker.id.startswith("kiwi") else "neural"]

    @property
    def index(self) -> KnowledgeIndex:
        return self._index

    @property
    def embedder_id(self) -> str:
        return self._embedder.id

    def search(self, collection: str, request: SearchRequest) -> SearchOutcome:
        """The best ``k`` chunks of a collection for a question and its variants.

        Raises:
            VectorStoreUnavailable: neither side could be searched.
        """
        target = self._index.collections[collection]
        queries = [self.analyze(query) for query in request.queries]
        found = self._candidates(target, queries, request)
        fused = _fuse(found, request)
        degraded = found.degraded
        if request.rerank and fused:
            fused, failure = self._reranked(target, request, fused)
            degraded += failure
        ordered = sorted(fused, key=lambda ordinal: (-fused[ordinal][0], ordinal))
        if request.mmr_lambda is not None:
            ordered = self._diversified(target, ordered, fused, request)
        exact = [ordinal for label in request.labels for ordinal in target.by_label(label)]
        ordered = list(dict.fromkeys([*exact, *ordered]))[: request.k]
        hits = _hits(target, ordered, fused, found, frozenset(exact))
        return SearchOutcome(tuple(hits), tuple(degraded))

    def relevance(self, readings: Sequence[str], hits: Sequence[Hit]) -> list[float]:
        """Relevance in [0, 1] of hits of any collections to a question, comparable across collections.

        Raises:
            RerankerUnavailable: the rerank provider failed.
        """
        passages = [self._passage(self._index.collections[hit.chunk.collection], hit) for hit in hits]
        return self._rerank_scores(readings, passages, None)

    def document_frequencies(self, collections: Sequence[str], terms: Sequence[str]) -> list[int]:
        """In how many chunks of the collections each term stands."""
        targets = [self._index.collections[name] for name in collections if name in self._index.collections]
        return [sum(_frequency(target, term) for target in targets) for term in terms]

    def analyze(self, text: str) -> AnalyzedText:
        """A question, or a part or variant of one, with the terms of its subject."""
        return AnalyzedText(text, subject_terms(self._analyzer.terms(text)))

    def _candidates(
        self, target: CollectionIndex, queries: Sequence[AnalyzedText], request: SearchRequest
    ) -> _Candidates:
        degraded: list[Degradation] = []
        lexical: list[dict[int, float]] = [{} for _ in queries]
        cosine: list[dict[int, float]] = [{} for _ in queries]
        if request.lexical:
            try:
                for number, query in enumerate(queries):
                    lexical[number] = _by_ordinal(*target.bm25(query.terms, request.pool))
            except LexicalIndexUnavailable as error:
                degraded.append(Degradation(component=Component.BM25, reason=str(error)))
        try:
            found = target.vector_search(self._embedder.embed(queries), request.pool)
            cosine = [_by_ordinal(*one) for one in found]
        except VectorStoreUnavailable as error:
            if not request.lexical or degraded:
                raise
            degraded.append(Degradation(component=Component.VECTOR, reason=str(error)))
        return _Candidates(lexical, cosine, degraded)

    def _reranked(
        self, target: CollectionIndex, request: SearchRequest, fused: Mapping[int, tuple[float, float]]
    ) -> tuple[dict[int, tuple[float, float]], list[Degradation]]:
        ordinals = list(fused)
        chunks = target.chunks(ordinals)
        passages = [self._passage(target, Hit(chunk, 0.0)) for chunk in chunks]
        try:
            relevance = self._rerank_scores(request.readings, passages, target)
        except RerankerUnavailable as error:
            return dict(fused), [Degradation(component=Component.RERANK, reason=str(error))]
        top = max(score for score, _ in fused.values()) or 1.0
        share = self._rerank_share
        return {
            ordinal: ((1 - share) * fused[ordinal][0] / top + share * score, score)
            for ordinal, score in zip(ordinals, relevance, strict=True)
        }, []

    def _rerank_scores(
        self, readings: Sequence[str], passages: Sequence[RerankPassage], target: CollectionIndex | None
    ) -> list[float]:
        targets = [target] if target is not None else list(self._index.collections.values())
        analyzed = [self._reading(text, targets) for text in dict.fromkeys(readings)]
        return self._reranker.rerank(RerankQuery(readings[0], tuple(_scaled(analyzed))), passages)

    def _reading(self, text: str, targets: Sequence[CollectionIndex]) -> QueryReading:
        terms = self.analyze(text).terms
        size = sum(one.size for one in targets)
        return QueryReading(terms, tuple(_idf(sum(_frequency(one, term) for one in targets), size) for term in terms))

    def _passage(self, target: CollectionIndex, hit: Hit) -> RerankPassage:
        chunk = hit.chunk
        return RerankPassage(
            key=f"{target.built_in}|{target.name}|{chunk.id}",
            title=chunk.title,
            text=chunk.text,
            load_terms=lambda: self._chunk_terms(target, chunk),
        )

    def _diversified(
        self,
        target: CollectionIndex,
        ordered: list[int],
        fused: Mapping[int, tuple[float, float]],
        request: SearchRequest,
    ) -> list[int]:
        head = ordered[: max(request.mmr_fetch, request.k)]
        if len(head) <= 1 or request.mmr_lambda is None:
            return ordered
        try:
            vectors = target.vectors_of(head)
        except VectorStoreUnavailable:
            return ordered
        top = fused[head[0]][0] or 1.0
        relevance = [fused[ordinal][0] / top for ordinal in head]
        chosen = maximal_marginal_relevance(relevance, vectors, request.k, request.mmr_lambda)
        return [head[position] for position in chosen]

    def _chunk_terms(self, target: CollectionIndex, chunk: Chunk) -> Sequence[str]:
        """The indexed terms of a chunk; analysed anew where the term files are damaged."""
        try:
            return target.terms_of_chunk(chunk.id)
        except LexicalIndexUnavailable:
            return self._analyzer.terms(f"{chunk.title}\n{chunk.text}")


def _scaled(readings: Sequence[QueryReading]) -> list[QueryReading]:
    """Readings that say less than the fullest one count less: a clause of common words must not outvote the question."""
    fullest = max((sum(one.weights) for one in readings), default=0.0) or 1.0
    return [
        replace(one, scale=_CLAUSE_FLOOR + (1 - _CLAUSE_FLOOR) * min(1.0, sum(one.weights) / fullest))
        for one in readings
    ]


def _by_ordinal(ordinals: Ordinals, scores: Scores) -> dict[int, float]:
    return dict(zip(ordinals.tolist(), scores.tolist(), strict=True))


def _frequency(target: CollectionIndex, term: str) -> int:
    """Chunks that hold a term; 0, as of a rare one, where the lexical index is damaged."""
    return 0 if target.bm25_error is not None else target.document_frequency(term)


def _idf(frequency: int, size: int) -> float:
    """Robertson and Spärck Jones inverse document frequency with the usual +1, always positive."""
    return math.log(1 + (size - frequency + 0.5) / (frequency + 0.5))


def _fuse(found: _Candidates, request: SearchRequest) -> dict[int, tuple[float, float]]:
    """Fused score (and no relevance yet) of the candidate pool; each variant keeps at least its own best."""
    total: dict[int, float] = {}
    kept: dict[int, None] = {}
    for number, (lexical, cosine) in enumerate(zip(found.lexical, found.cosine, strict=True)):
        if request.fusion == "rrf":
            one = reciprocal_rank_fusion(
                [(list(cosine), request.vector_weight), (list(lexical), 1 - request.vector_weight)]
            )
            scale = 61.0  # rank 1 on both sides comes to 1, as in score fusion
        else:
            one = score_fusion(lexical, cosine, request.vector_weight)
            scale = 1.0
        weight = 1.0 if number == 0 else _VARIANT_WEIGHT
        for ordinal, score in one.items():
            total[ordinal] = total.get(ordinal, 0.0) + weight * scale * score
        best = sorted(one, key=lambda ordinal: -one[ordinal])
        kept.update((ordinal, None) for ordinal in best[: request.per_variant])
    best_first = sorted(total, key=lambda ordinal: -total[ordinal])[: request.pool]
    return {ordinal: (total[ordinal], 0.0) for ordinal in dict.fromkeys([*best_first, *kept])}


def _hits(
    target: CollectionIndex,
    ordinals: Sequence[int],
    fused: Mapping[int, tuple[float, float]],
    found: _Candidates,
    exact: frozenset[int],
) -> list[Hit]:
    lexical, cosine = found.lexical[0], found.cosine[0]
    floor = min(cosine.values(), default=0.0)  # what the vector side did not bring up is no nearer than its last
    hits = []
    for ordinal, chunk in zip(ordinals, target.chunks(ordinals), strict=True):
        score, relevance = fused.get(ordinal, (0.0, 0.0))
        ways = {"bm25": ordinal in lexical, "vector": ordinal in cosine, "exact": ordinal in exact}
        hits.append(
            Hit(
                chunk=chunk,
                score=score,
                similarity=cosine.get(ordinal, floor),
                bm25=lexical.get(ordinal, 0.0),
                relevance=1.0 if ordinal in exact else relevance,
                found_by=frozenset(way for way, used in ways.items() if used),
            )
        )
    return hits


def with_relevance(hits: Sequence[Hit], relevance: Sequence[float]) -> list[Hit]:
    """Hits with a new relevance, which also orders them; ties keep their order."""
    scored = [replace(hit, relevance=score, score=score) for hit, score in zip(hits, relevance, strict=True)]
    return sorted(scored, key=lambda hit: -hit.relevance)
