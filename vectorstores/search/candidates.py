"""The candidates of a search: what the lexical and the vector side bring up for a question and its variants, and their fusion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from schemas.chat import Component, Degradation
from utils.law.question_references import LawReference
from utils.protocols import AnalyzedText, FloatMatrix
from vectorstores.errors import LexicalIndexUnavailable, VectorStoreUnavailable
from vectorstores.index import CollectionIndex
from vectorstores.ranking.fusion import reciprocal_rank_fusion, score_fusion
from vectorstores.ranking.question_scores import QuestionScores
from vectorstores.search.cited import article_ordinals, statute_members
from vectorstores.search.degradation import degradation
from vectorstores.search.request import SearchRequest
from vectorstores.storage.lexical import Ordinals, Scores

_OF_STATUTE = 20  # candidates of a cited statute
_VARIANT_WEIGHT = 0.4  # of a query variant, against 1 for the question itself


@dataclass(frozen=True, slots=True)
class Query:
    """The question, or one variant of it; ``weights`` says how much each term counts."""

    text: AnalyzedText
    weights: tuple[float, ...]


@dataclass(slots=True)
class Found:
    """The candidates of the two sides: scores by ordinal, a mapping for each query, best first.

    ``vectors`` are those of the queries, shape ``(queries, d)``. ``degraded`` names a side that is missing.
    """

    lexical: list[dict[int, float]]
    cosine: list[dict[int, float]]
    vectors: FloatMatrix
    degraded: list[Degradation]
    question_scores: QuestionScores | None = None
    """None without the lexical side."""
    cited: list[int] = field(default_factory=list)
    """Ordinals of the chunks that the question cites, and of the best of the statutes that it names."""

    def ordinals(self) -> Ordinals:
        """Every candidate, rising."""
        every = {ordinal for scores in (*self.lexical, *self.cosine, self.cited) for ordinal in scores}
        return np.asarray(sorted(every), dtype=np.int64)


def rare_within(target: CollectionIndex, query: Query, within: Ordinals) -> Query:
    """Return the query with its terms as rare as they are among the chunks ``within``. Raises `LexicalIndexUnavailable`."""
    ratios = target.ranking.rarity_within(query.text.terms, within)
    weights = (weight * ratio for weight, ratio in zip(query.weights, ratios, strict=True))
    return replace(query, weights=tuple(weights))


def find_candidates(
    target: CollectionIndex, queries: Sequence[Query], vectors: FloatMatrix, request: SearchRequest
) -> Found:
    """Candidates of both sides, for the question (the first query) and each variant.

    Raises:
        VectorStoreUnavailable: neither side could be searched.
    """
    found = Found([{} for _ in queries], [{} for _ in queries], vectors, [])
    within = None if request.within is None else np.asarray(request.within, dtype=np.int64)
    if request.lexical:
        try:
            _find_lexically(target, queries, request.pool, within, found)
        except LexicalIndexUnavailable as error:
            found.degraded.append(degradation(Component.BM25, error))
    if request.cited:
        found.cited = _find_cited(target, request.cited, found)
        if within is not None:
            found.cited = [ordinal for ordinal in found.cited if ordinal in set(request.within or ())]
    try:
        nearest = target.vector_search(vectors, max(request.vector_pool, request.k), within)
        found.cosine = [_by_ordinal(*_in_force(*neighbours, target)) for neighbours in nearest]
    except VectorStoreUnavailable as error:
        if found.question_scores is None:
            raise
        found.degraded.append(degradation(Component.VECTOR, error))
    return found


def _find_lexically(
    target: CollectionIndex, queries: Sequence[Query], pool: int, within: Ordinals | None, found: Found
) -> None:
    """The best of each query by BM25, and of the question those whose whole act or document is about it, and those of which
    others say it.
    """
    every = target.question_scores([(query.text.terms, query.weights) for query in queries], pool)
    for number, scores in enumerate(every):
        found.lexical[number] = _by_ordinal(*scores.best(pool if number == 0 else pool // 3, within))
    question = found.question_scores = every[0]
    for ranked in (question.on_subject(pool // 2, within), question.said_by_others(pool // 4, within)):
        for ordinal, score in _by_ordinal(*ranked).items():
            found.lexical[0].setdefault(ordinal, score)


def _find_cited(target: CollectionIndex, cited: Sequence[LawReference], found: Found) -> list[int]:
    """The cited articles and, where words can be searched for, the best of the cited statutes."""
    ordinals = article_ordinals(target, cited)
    if found.question_scores is not None:
        for members in statute_members(target, cited):
            ordinals += found.question_scores.best(_OF_STATUTE, members)[0].tolist()
    return list(dict.fromkeys(ordinals))


def _in_force(ordinals: Ordinals, cosines: Scores, target: CollectionIndex) -> tuple[Ordinals, Scores]:
    """Without deleted articles, which are found by their label alone: their title is all they say."""
    if target.bm25_error is not None:
        return ordinals, cosines
    is_in_force = target.ranking.boost[ordinals] > 0
    return ordinals[is_in_force], cosines[is_in_force]


def question_cosines(target: CollectionIndex, found: Found, ordinals: Ordinals) -> Scores:
    """Cosine of the question and each candidate; 0 for those that only BM25 found where the vector file is damaged."""
    try:
        cosines: Scores = target.cosines(found.vectors[:1], ordinals)[0]
    except VectorStoreUnavailable:
        cosines = np.asarray([found.cosine[0].get(ordinal, 0.0) for ordinal in ordinals.tolist()], dtype=np.float32)
    return cosines


def fuse(found: Found, request: SearchRequest) -> dict[int, float]:
    """Fused score of every candidate over the question and its variants."""
    total: dict[int, float] = {}
    for number, (lexical, cosine) in enumerate(zip(found.lexical, found.cosine, strict=True)):
        if request.fusion == "rrf":
            fused = reciprocal_rank_fusion(
                [(list(cosine), request.vector_weight), (list(lexical), 1 - request.vector_weight)]
            )
            scale = 61.0  # rank 1 on both sides comes to 1, as in score fusion
        else:
            fused = score_fusion(lexical, cosine, request.vector_weight)
            scale = 1.0
        weight = 1.0 if number == 0 else _VARIANT_WEIGHT
        for ordinal, score in fused.items():
            total[ordinal] = total.get(ordinal, 0.0) + weight * scale * score
    return total


def fused_scores(found: Found, request: SearchRequest, ordinals: Ordinals) -> Scores:
    """The fused score of each of the candidates ``ordinals``."""
    by_ordinal = fuse(found, request)
    return np.asarray([by_ordinal.get(ordinal, 0.0) for ordinal in ordinals.tolist()], dtype=np.float32)


def unlearned_scores(
    fused: Mapping[int, float], relevance: Mapping[int, float], rerank_share: float
) -> dict[int, float]:
    """The order where none was learned: the fused score against the best one, and the reranker's relevance."""
    top = max(fused.values()) or 1.0
    return {
        ordinal: (1 - rerank_share) * score / top + rerank_share * relevance[ordinal]
        for ordinal, score in fused.items()
    }


def best_candidates(scores: Mapping[int, float], found: Found, request: SearchRequest) -> list[int]:
    """The best candidates, of each variant at least its own best, and what is cited."""
    best = sorted(scores, key=lambda ordinal: -scores[ordinal])[: max(request.rerank_pool, request.k)]
    own: dict[int, None] = {}
    for side in (found.lexical, found.cosine):
        for ranked in side:
            own.update((ordinal, None) for ordinal in list(ranked)[: request.per_variant])
    return list(dict.fromkeys([*best, *own, *found.cited]))


def _by_ordinal(ordinals: Ordinals, scores: Scores) -> dict[int, float]:
    return dict(zip(ordinals.tolist(), scores.tolist(), strict=True))
