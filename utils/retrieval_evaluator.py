"""Rules that judge whether the hits of one domain are enough to answer from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from utils.config.retrieval_settings import RetrievalSettings
from utils.documents import Hit

_TOP_FOR_SIMILARITY = 3

# By reranker and embedder family: relevance from which a document counts, and the mean cosine of the best three below
# which the whole result is off the subject. Neural cosines live on another scale than those of a bag of morphemes.
# Settings override them. Without cosines the relevance floor stays: on 190 starter questions whose document is found it lets
# as many pass as with them (0.81), of 44 out of scope 4 instead of 3.
_RELEVANCE_FLOOR = {"kiwi": 0.25, "neural": 0.05}
_SIMILARITY_FLOOR = {"kiwi": 0.10, "neural": 0.40}


@dataclass(frozen=True, slots=True)
class RetrievalVerdict:
    """The outcome and the three measures behind it.

    ``mean_similarity`` is None where there were no vectors to compare, ``relevant_documents`` where no reranker judged.
    """

    passed: bool
    relevant_documents: int | None
    keyword_ratio: float
    mean_similarity: float | None


class RuleBasedRetrievalEvaluator:
    """Thresholds come from the settings, or from the measured floors of the embedder and reranker in use."""

    def __init__(self, settings: RetrievalSettings, embedder_id: str, reranker_id: str) -> None:
        self._min_docs = settings.retrieval_min_docs
        self._min_ratio = settings.retrieval_min_keyword_ratio
        self._min_ratio_alone = settings.retrieval_min_keyword_ratio_alone
        relevance, similarity = settings.retrieval_min_relevance, settings.retrieval_min_similarity
        self._relevance_floor = _RELEVANCE_FLOOR[provider_family(reranker_id)] if relevance is None else relevance
        self._similarity_floor = _SIMILARITY_FLOOR[provider_family(embedder_id)] if similarity is None else similarity

    def evaluate(self, terms: Sequence[str], hits: Sequence[Hit], relax: float = 1.0) -> RetrievalVerdict:
        """Judge the hits for a question given as content terms; ``relax`` < 1 lowers every threshold by that factor.

        What was not measured, because the vectors or the reranker are away, is not asked for: no retry could bring it. Where no
        relevance was measured, any ``retrieval_min_docs`` documents do, and more of the terms must be found.
        """
        ratio = keyword_match_ratio(terms, hits)
        similarity = _mean_similarity(hits)
        relevant = _count_from(self._relevance_floor * relax, hits)
        enough = len(hits) if relevant is None else relevant
        min_ratio = self._min_ratio_alone if relevant is None else self._min_ratio
        passed = (
            enough >= self._min_docs
            and ratio >= min_ratio * relax
            and (similarity is None or similarity >= self._similarity_floor * relax)
        )
        return RetrievalVerdict(passed, relevant, ratio, similarity)


def _count_from(floor: float, hits: Sequence[Hit]) -> int | None:
    """Return how many hits are relevant; None where no reranker judged them, which leaves every relevance at 0."""
    if hits and not any(hit.relevance for hit in hits):
        return None
    return sum(1 for hit in hits if hit.relevance >= floor)


def _mean_similarity(hits: Sequence[Hit]) -> float | None:
    """Return the mean cosine of the best three; None where there is none to compare, 0 without hits."""
    cosines = [hit.similarity for hit in hits if hit.similarity is not None]
    best = sorted(cosines, reverse=True)[:_TOP_FOR_SIMILARITY]
    return None if hits and not best else sum(best) / max(1, len(best))


def keyword_match_ratio(terms: Sequence[str], hits: Sequence[Hit]) -> float:
    """Share of the question's terms that stand in the title or text of any hit; 1.0 without terms."""
    stems = {term.removesuffix("다") or term for term in terms}
    if not stems:
        return 1.0
    texts = [f"{hit.chunk.title}\n{hit.chunk.text}" for hit in hits]
    return sum(1 for stem in stems if any(stem in text for text in texts)) / len(stems)


def provider_family(provider_id: str) -> str:
    """Return whose scale the figures of an embedder or reranker are on: ``kiwi`` or ``neural``."""
    return "kiwi" if provider_id.startswith("kiwi") else "neural"
