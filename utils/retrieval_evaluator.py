"""Whether what was found is enough to answer from: rules over the hits of one domain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from utils.config.settings import RetrievalSettings
from utils.knowledge import Hit

_TOP_FOR_SIMILARITY = 3

# By reranker and embedder family: relevance from which a document counts, and the mean cosine of the best three below
# which the whole result is off the subject. Neural cosines live on another scale than those of a bag of morphemes.
_RELEVANCE_FLOOR = {"kiwi": 0.25, "neural": 0.05}
_SIMILARITY_FLOOR = {"kiwi": 0.10, "neural": 0.40}


@dataclass(frozen=True, slots=True)
class RetrievalVerdict:
    """The outcome and the three measures behind it."""

    passed: bool
    relevant_documents: int
    keyword_ratio: float
    mean_similarity: float


class RuleBasedRetrievalEvaluator:
    """Thresholds come from the settings, or from the measured floors of the embedder and reranker in use."""

    def __init__(self, settings: RetrievalSettings, embedder_id: str, reranker_id: str) -> None:
        self._min_docs = settings.retrieval_min_docs
        self._min_ratio = settings.retrieval_min_keyword_ratio
        self._relevance_floor = _RELEVANCE_FLOOR[_family(reranker_id)]
        configured = settings.retrieval_min_similarity
        self._similarity_floor = _SIMILARITY_FLOOR[_family(embedder_id)] if configured is None else configured

    def evaluate(self, terms: Sequence[str], hits: Sequence[Hit], relax: float = 1.0) -> RetrievalVerdict:
        """Judge the hits for a question given as content terms; ``relax`` < 1 lowers every threshold by that factor."""
        relevant = sum(1 for hit in hits if hit.relevance >= self._relevance_floor * relax)
        ratio = keyword_match_ratio(terms, hits)
        best = sorted((hit.similarity for hit in hits), reverse=True)[:_TOP_FOR_SIMILARITY]
        similarity = sum(best) / len(best) if best else 0.0
        passed = (
            relevant >= self._min_docs
            and ratio >= self._min_ratio * relax
            and similarity >= self._similarity_floor * relax
        )
        return RetrievalVerdict(passed, relevant, ratio, similarity)


def keyword_match_ratio(terms: Sequence[str], hits: Sequence[Hit]) -> float:
    """Share of the question's terms that stand in the title or text of any hit; 1.0 without terms."""
    stems = {term.removesuffix("다") or term for term in terms}
    if not stems:
        return 1.0
    texts = [f"{hit.chunk.title}\n{hit.chunk.text}" for hit in hits]
    return sum(1 for stem in stems if any(stem in text for text in texts)) / len(stems)


def _family(provider_id: str) -> str:
    return "kiwi" if provider_id.startswith("kiwi") else "neural"
