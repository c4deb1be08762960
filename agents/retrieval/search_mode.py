"""The choice of the search mode: the first rule that matches the question wins."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from utils.law.question_references import LawReference


class SearchMode(StrEnum):
    """Division of the work between lexical and vector search."""

    EXACT_PLUS_VECTOR = "EXACT_PLUS_VECTOR"
    BM25_HEAVY = "BM25_HEAVY"
    MMR_DIVERSE = "MMR_DIVERSE"
    VECTOR_HEAVY = "VECTOR_HEAVY"
    HYBRID = "HYBRID"


@dataclass(frozen=True, slots=True)
class QuestionProfile:
    """Properties of the question that decide on the mode."""

    text: str
    terms: tuple[str, ...]
    references: tuple[LawReference, ...]
    rare_terms: int
    """Number of terms that stand in few documents."""
    sentences: int

    @property
    def is_factual(self) -> bool:
        """True for a question after a single fact that a document states: a time, an amount, a number, a place, a person."""
        return bool(_FACT_ASKED.search(self.text))


_FACT_ASKED = re.compile(r"언제|얼마|몇|며칠|누가|누구|어디|기한|기간|금액|비율|세율|요율|한도|날짜")
_SHORT_QUESTION_TERMS = 8
_LONG_QUESTION_TERMS = 10
_VAGUE_TERMS = 5
_FEW_RARE_SHARE = 0.4
_RARITY = 0.6


@dataclass(frozen=True, slots=True)
class Balance:
    """The share of vector search in a mode.

    ``weight``: its share of the fused score, in [0, 1]; ``pool``: its share of the candidates; ``tilt``: what the learned order adds
    for a full cosine and takes for a full lexical score.
    """

    weight: float
    pool: float
    tilt: float


# The bag-of-morphemes vectors are weaker than BM25, so their weights are low; the neural ones are the starting values of the
# specification. Nothing is learned for neural vectors, so there is nothing to tilt. How far the tilts go was chosen on held-out
# questions of this project: docs/decisions/0007-search-modes.md.
_EVEN, _LEXICAL, _VECTOR = 1 / 3, 1 / 6, 1 / 2
_BALANCES: dict[str, dict[SearchMode, Balance]] = {
    "kiwi": {
        SearchMode.EXACT_PLUS_VECTOR: Balance(0.4, _EVEN, 0.0),
        SearchMode.BM25_HEAVY: Balance(0.3, _LEXICAL, -1.0),
        SearchMode.MMR_DIVERSE: Balance(0.4, _EVEN, 0.0),
        SearchMode.VECTOR_HEAVY: Balance(0.6, _VECTOR, 1.0),
        SearchMode.HYBRID: Balance(0.4, _EVEN, 0.0),
    },
    "neural": {
        SearchMode.EXACT_PLUS_VECTOR: Balance(0.7, _EVEN, 0.0),
        SearchMode.BM25_HEAVY: Balance(0.2, _LEXICAL, 0.0),
        SearchMode.MMR_DIVERSE: Balance(0.7, _EVEN, 0.0),
        SearchMode.VECTOR_HEAVY: Balance(0.9, _VECTOR, 0.0),
        SearchMode.HYBRID: Balance(0.7, _EVEN, 0.0),
    },
}


class SearchStrategySelector:
    """Chooses the mode; ``adaptive`` off always gives HYBRID. ``forced`` is given whatever the question."""

    def __init__(self, adaptive: bool, forced: SearchMode | None = None) -> None:
        self._adaptive = adaptive
        self._forced = forced

    def select(self, profile: QuestionProfile) -> SearchMode:
        """Return the search mode for a question."""
        if self._forced is not None:
            return self._forced
        if not self._adaptive:
            return SearchMode.HYBRID
        if profile.references:
            return SearchMode.EXACT_PLUS_VECTOR
        short = profile.sentences == 1 and len(profile.terms) <= _SHORT_QUESTION_TERMS
        if short and (profile.rare_terms or profile.is_factual):
            return SearchMode.BM25_HEAVY
        if len(profile.terms) <= _VAGUE_TERMS and not profile.rare_terms:
            return SearchMode.MMR_DIVERSE
        if len(profile.terms) >= _LONG_QUESTION_TERMS and profile.rare_terms <= _FEW_RARE_SHARE * len(profile.terms):
            return SearchMode.VECTOR_HEAVY
        return SearchMode.HYBRID


def balance(mode: SearchMode, embedder_id: str, hybrid_weight: float | None = None) -> Balance:
    """Return the share of vector search in a mode; ``hybrid_weight`` replaces the weight of HYBRID."""
    found = _BALANCES["kiwi" if embedder_id.startswith("kiwi") else "neural"][mode]
    return replace(found, weight=hybrid_weight) if mode is SearchMode.HYBRID and hybrid_weight is not None else found


def rare_term_count(frequencies: Sequence[int], documents: int) -> int:
    """Count the terms that stand in at least one and at most ``documents ** 0.6`` documents.

    That is a fifth of fifty documents and under a hundredth of the national body of law.
    """
    return sum(1 for frequency in frequencies if 0 < frequency <= documents**_RARITY)
