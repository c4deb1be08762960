"""Hybrid search over a collection: candidates of both sides, the learned order of them, reranking.

Blocking, CPU-bound work without shared mutable state: the caller runs it in a worker thread.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from schemas.chat import Component, Degradation
from utils.documents import Hit
from utils.korean.question_words import compound_parts, subject_terms, term_weights, with_formal_terms
from utils.law.question_references import LawNameFinder
from utils.protocols import AnalyzedText, Analyzer, Embedder, FloatMatrix
from vectorstores.embedders.unit_encoder import unit_embedder
from vectorstores.errors import IndexDamaged, LexicalIndexUnavailable, VectorStoreUnavailable
from vectorstores.index import CollectionIndex, KnowledgeIndex
from vectorstores.integrity.checksums import Part
from vectorstores.integrity.damage_messages import without
from vectorstores.providers.remote import RemoteProvider
from vectorstores.ranking.combiner import LinearCombiner
from vectorstores.ranking.fusion import maximal_marginal_relevance, reciprocal_rank_fusion
from vectorstores.rerankers.base import Reranker, RerankerUnavailable
from vectorstores.search.candidates import (
    Found,
    Query,
    best_candidates,
    find_candidates,
    fused_scores,
    question_cosines,
    rare_within,
    unlearned_scores,
)
from vectorstores.search.cited import ReferenceMatch, reference_match
from vectorstores.search.degradation import degradation
from vectorstores.search.hits import hits_of
from vectorstores.search.relevance import RelevanceJudge, frequency
from vectorstores.search.request import SearchOutcome, SearchRequest
from vectorstores.search.spelling import QuestionSpelling, index_spelling
from vectorstores.storage.lexical import Ordinals, Scores
from vectorstores.units.model import UnitModel
from vectorstores.units.search import UnitSearcher

# Share of the reranker in the final order where no order was learned; a cross-encoder decides alone.
_RERANK_SHARE = {"kiwi": 0.5, "neural": 1.0}

_CITED_WEIGHT = 1.0  # of the order of what is cited
_PART_RRF_K = 10  # smaller than usual: what a clause ranks first shall come up


@dataclass(frozen=True, slots=True)
class Candidates:
    """The candidates of one search before reranking, and the score of each.

    ``features`` is None where the scores are those of the fusion: nothing was learned to order these candidates by. ``fused``
    are the scores of the fusion, for who learns an order.
    """

    ordinals: Ordinals
    scores: Scores
    features: FloatMatrix | None
    fused: Scores | None = None


class HybridSearcher:
    """Searches the collections of one opened index version.

    >>> searcher = HybridSearcher(index, analyzer, embedder, reranker, law_names, combiner=None)
    >>> [hit.chunk.title for hit in searcher.search("hr_labor_db", request).hits]
    ['LEAVE 안내']
    """

    def __init__(
        self,
        index: KnowledgeIndex,
        analyzer: Analyzer,
        embedder: Embedder,
        reranker: Reranker,
        law_names: LawNameFinder,
        combiner: LinearCombiner | None,
        glossary: Collection[str] = (),
        unit_model: UnitModel | None = None,
    ) -> None:
        """``combiner``: the order learned with this embedder and reranker; None orders by fusion and reranker alone.

        ``glossary``: words that are right in a question though no document has them. ``unit_model``: what chooses answer units.
        """
        self.index = index
        self.law_names = law_names
        self._glossary = glossary
        self._analyzer = analyzer
        self._embedder = embedder
        self._reranker = reranker
        self._judge = RelevanceJudge(index, reranker, analyzer, self.analyze)
        self.rerank_share = _RERANK_SHARE["kiwi" if reranker.id.startswith("kiwi") else "neural"]
        self.order = combiner
        self._unit_model = unit_model or UnitModel.plain()

    def close(self) -> None:
        """Close the version, and free what was made of it; nobody may search any more."""
        self.index.close()
        if "spelling" in self.__dict__:
            self.spelling.close()

    @property
    def remote_providers(self) -> Mapping[str, RemoteProvider]:
        """Those of embedder and reranker that are servers, by what they do."""
        both = {"embedding": self._embedder, "rerank": self._reranker}
        return {name: provider for name, provider in both.items() if isinstance(provider, RemoteProvider)}

    @property
    def embedder_id(self) -> str:
        return self._embedder.id

    @property
    def reranker_id(self) -> str:
        return self._reranker.id

    @cached_property
    def spelling(self) -> QuestionSpelling:
        """Puts questions right by the words of this index; made when the first question comes, not at start."""
        return index_spelling(self.index, self._analyzer, self._glossary)

    @cached_property
    def units(self) -> UnitSearcher:
        """Finds the answer units of this index; made when the first question comes."""
        return UnitSearcher(self.index, self._analyzer, unit_embedder(self._analyzer), self._unit_model)

    def search(self, collection: str, request: SearchRequest) -> SearchOutcome:
        """The best ``k`` chunks of a collection for a question and its variants; none of one that holds nothing yet.

        Raises:
            VectorStoreUnavailable: neither side could be searched.
        """
        target = self.index.collections.get(collection)
        if target is None:  # of a domain that came after this version was built
            return SearchOutcome(())
        reason = target.damage
        degraded = (Degradation(component=Component.INDEX, reason=reason),) if target.is_stand_in else ()
        if degraded and not target.size:
            return SearchOutcome((), degraded)
        try:
            outcome = self._searched(target, request)
        except LexicalIndexUnavailable:  # a file that looked whole when it was opened
            target.take_out({Part.BM25})
            outcome = self._searched(target, request)
        except IndexDamaged:
            reason = without(target.domain, Part.TEXTS)
            return SearchOutcome((), (Degradation(component=Component.INDEX, reason=reason),))
        return replace(outcome, degraded=(*degraded, *outcome.degraded))

    def _searched(self, target: CollectionIndex, request: SearchRequest) -> SearchOutcome:
        queries, found = self._find(target, request)
        candidates = self._scored(target, request, queries[0], found)
        scores, relevance = self._reranked(target, request, candidates, found)
        if request.clauses:
            scores = self._with_clauses(target, request, scores)
        if request.cited:
            scores = _with_cited(target, request, scores)
        ordered = _best_first(scores)
        if request.mmr_lambda is not None:
            ordered = _diversified(target, ordered, scores, request)
        ordered = ordered[: request.k]
        unjudged = [ordinal for ordinal in ordered if ordinal not in relevance]
        relevance |= self._relevance(target, request, unjudged, found)
        hits = hits_of(target, ordered, scores, relevance, found)
        return SearchOutcome(tuple(hits), tuple(found.degraded))

    def candidates(self, collection: str, request: SearchRequest) -> Candidates:
        """Return the candidates of `search` with their features, for learning to order them. Raises as `search`."""
        target = self.index.collections[collection]
        queries, found = self._find(target, request)
        made = self._scored(target, request, queries[0], found, always_features=True)
        return replace(made, fused=fused_scores(found, request, made.ordinals))

    def found(self, collection: str, request: SearchRequest) -> Found:
        """Return the candidates of each side, not fused yet, for measuring fusions. Raises as `search`."""
        return self._find(self.index.collections[collection], request)[1]

    def relevance(self, readings: Sequence[str], hits: Sequence[Hit]) -> list[float]:
        """Relevance in [0, 1] of hits of any collections to a question, comparable across collections.

        Raises:
            RerankerUnavailable: the rerank provider failed.
        """
        return self._judge.across(readings, [hit.chunk for hit in hits])

    def relevance_of(self, collection: str, readings: Sequence[str], ordinals: Ordinals) -> list[float]:
        """Relevance in [0, 1] of chunks of one collection, named by their ordinals. Raises as `relevance`."""
        target = self.index.collections[collection]
        return self._judge.of_collection(target, readings, target.chunks(ordinals))

    def document_frequencies(self, collections: Sequence[str], terms: Sequence[str]) -> list[int]:
        """In how many chunks of the collections each term stands."""
        targets = [self.index.collections[name] for name in collections if name in self.index.collections]
        return [sum(frequency(target, term) for target in targets) for term in terms]

    def analyze(self, text: str) -> AnalyzedText:
        """A question, or a part or variant of one, with the terms of its subject."""
        return AnalyzedText(text, subject_terms(self._analyzer.terms(text)))

    def all_terms(self, text: str) -> list[str]:
        """Every content term of a text, as indexed."""
        return self._analyzer.terms(text)

    def weighted_terms(self, question: str) -> tuple[tuple[str, ...], tuple[float, ...]]:
        """The terms of a question as typed that are searched for, and how much each counts."""
        query = self._query(question)
        return query.text.terms, query.weights

    def vectors(self, texts: Sequence[str]) -> FloatMatrix:
        """Unit vectors of questions, shape ``(len(texts), dimension)``."""
        return self._embedder.embed([self.analyze(text) for text in texts])

    def _query(self, text: str, formal: str = "") -> Query:
        analyzed = self.analyze(text)
        weights = term_weights(text, analyzed.terms, self._analyzer.located(text))
        parts = [part for term in analyzed.terms for part in compound_parts(term, self.spelling.is_known)]
        terms, weights = with_formal_terms(analyzed.terms, weights, [*self._analyzer.terms(formal), *parts])
        return Query(AnalyzedText(text, terms), weights)

    def _find(self, target: CollectionIndex, request: SearchRequest) -> tuple[list[Query], Found]:
        question, *variants = request.queries
        queries = [self._query(question, request.formal), *map(self._query, variants)]
        if request.own_rarity and request.within is not None and target.bm25_error is None:
            within = np.asarray(request.within, dtype=np.int64)
            queries = [rare_within(target, query, within) for query in queries]
        try:
            vectors = self._embedder.embed([query.text for query in queries])
        except VectorStoreUnavailable as error:
            found = find_candidates(target, queries, self._no_vectors(queries), request)
            if found.question_scores is None:
                raise
            found.degraded.append(degradation(Component.VECTOR, error))
            return queries, found
        return queries, find_candidates(target, queries, vectors, request)

    def _no_vectors(self, queries: Sequence[Query]) -> FloatMatrix:
        return np.zeros((len(queries), self._embedder.dimension), dtype=np.float32)

    def _scored(
        self,
        target: CollectionIndex,
        request: SearchRequest,
        question: Query,
        found: Found,
        *,
        always_features: bool = False,
    ) -> Candidates:
        """Every candidate by the learned order, or by the fusion of both sides where none was learned."""
        ordinals = found.ordinals()
        if found.question_scores is None or (self.order is None and not always_features):
            return Candidates(ordinals, fused_scores(found, request, ordinals), None)
        scores = found.question_scores.of(ordinals)
        features = target.ranking.features(
            target.ranking.question(question.text.terms, question.weights),
            ordinals,
            lexical=scores.text,
            group=scores.group,
            context=scores.context,
            cosine=question_cosines(target, found, ordinals),
        )
        if self.order is None:
            return Candidates(ordinals, fused_scores(found, request, ordinals), features)
        return Candidates(ordinals, self.order.scores(features, request.tilt), features)

    def _reranked(
        self, target: CollectionIndex, request: SearchRequest, candidates: Candidates, found: Found
    ) -> tuple[dict[int, float], dict[int, float]]:
        """Score and relevance of the best candidates by ordinal; the reranker reads no others, and none that it cannot move."""
        scores = dict(zip(candidates.ordinals.tolist(), candidates.scores.tolist(), strict=True))
        best = best_candidates(scores, found, request)
        kept = {ordinal: scores[ordinal] for ordinal in best}
        learned = self.order if candidates.features is not None else None
        if learned is not None and not learned.relevance_weight:
            return kept, {}
        relevance = self._relevance(target, request, best, found)
        if not relevance:
            return kept, {}
        if learned is not None:
            weight = learned.relevance_weight
            return {ordinal: score + weight * relevance[ordinal] for ordinal, score in kept.items()}, relevance
        return unlearned_scores(kept, relevance, self.rerank_share), relevance

    def _with_clauses(
        self, target: CollectionIndex, request: SearchRequest, scores: Mapping[int, float]
    ) -> dict[int, float]:
        """Reciprocal rank fusion of the whole question's order with those of its clauses, so that what answers one part comes up."""
        rankings = [(_best_first(scores), 1.0)]
        for clause in request.clauses:
            alone = replace(request, queries=(clause.text,), formal=clause.formal, clauses=(), cited=())
            queries, found = self._find(target, alone)
            candidates = self._scored(target, alone, queries[0], found)
            by_ordinal = dict(zip(candidates.ordinals.tolist(), candidates.scores.tolist(), strict=True))
            rankings.append((_best_first(by_ordinal)[: request.rerank_pool], clause.weight))
        return reciprocal_rank_fusion(rankings, _PART_RRF_K)

    def _relevance(
        self, target: CollectionIndex, request: SearchRequest, ordinals: Sequence[int], found: Found
    ) -> dict[int, float]:
        """Relevance in [0, 1] by ordinal; none where no reranker is asked, or where it has failed in this search."""
        failed = any(item.component is Component.RERANK for item in found.degraded)
        if failed or not request.rerank or not ordinals:
            return {}
        try:
            judged = self._judge.of_collection(target, request.readings, target.chunks(ordinals))
        except RerankerUnavailable as error:
            found.degraded.append(degradation(Component.RERANK, error))
            return {}
        return dict(zip(ordinals, judged, strict=True))


def _best_first(scores: Mapping[int, float]) -> list[int]:
    return sorted(scores, key=lambda ordinal: (-scores[ordinal], ordinal))


def _with_cited(target: CollectionIndex, request: SearchRequest, scores: Mapping[int, float]) -> dict[int, float]:
    """Reciprocal rank fusion with the order of what the question cites; the cited articles themselves come first."""
    near = {
        ordinal: reference_match(chunk, request.cited)
        for ordinal, chunk in zip(scores, target.chunks(list(scores)), strict=True)
    }
    ordered = _best_first(scores)
    cited = sorted((ordinal for ordinal in ordered if near[ordinal]), key=lambda ordinal: -near[ordinal])
    fused = reciprocal_rank_fusion([(ordered, 1.0), (cited, _CITED_WEIGHT)], _PART_RRF_K)
    return {ordinal: score + (near[ordinal] is ReferenceMatch.ARTICLE) for ordinal, score in fused.items()}


def _diversified(
    target: CollectionIndex, ordered: list[int], scores: Mapping[int, float], request: SearchRequest
) -> list[int]:
    """The order by maximal marginal relevance, as far as candidates are fetched for it."""
    head = ordered[: max(request.mmr_fetch, request.k)]
    if len(head) <= 1 or request.mmr_lambda is None:
        return ordered
    try:
        vectors = target.vectors_of(head)
    except VectorStoreUnavailable:
        return ordered
    lowest, highest = scores[head[-1]], scores[head[0]]
    relevance = [(scores[ordinal] - lowest) / ((highest - lowest) or 1.0) for ordinal in head]
    chosen = maximal_marginal_relevance(relevance, vectors, request.k, request.mmr_lambda)
    return [head[position] for position in chosen]
