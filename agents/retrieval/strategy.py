"""Which way to search for a question: the first row that matches wins."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from utils.legal_reference import LawReference


class SearchMode(StrEnum):
    """How the lexical and the vector side share the work."""

    EXACT_PLUS_VECTOR = "EXACT_PLUS_VECTOR"
    BM25_HEAVY = "BM25_HEAVY"
    MMR_DIVERSE = "MMR_DIVERSE"
    VECTOR_HEAVY = "VECTOR_HEAVY"
    HYBRID = "HYBRID"


@dataclass(frozen=True, slots=True)
class QuestionProfile:
    """What the choice rests on."""

    text: str
    terms: tuple[str, ...]
    references: tuple[LawReference, ...]
    rare_terms: int
    """How many terms are specific: they stand in few documents."""
    sentences: int

    @property
    def is_factual(self) -> bool:
        """It asks for one thing that a document states: a time, an amount, a number, a place, who."""
        return bool(_FACT_ASKED.search(self.text))


_FACT_ASKED = re.compile(r"언제|얼마|몇|며칠|누가|누구|어디|기한|기간|금액|비율|세율|요율|한도|날짜")
_SHORT_QUESTION_TERMS = 8
_LONG_QUESTION_TERMS = 18
_VAGUE_TERMS = 3
_FEW_RARE_SHARE = 0.25
_RARITY = 0.6

# Share of the vector side in the fusion, by embedder family and mode. The bag-of-morphemes vectors are much weaker than
# BM25, so theirs are low; the neural ones are the starting values of the specification.
_VECTOR_WEIGHTS: dict[str, dict[SearchMode, float]] = {
    "kiwi": {
        SearchMode.EXACT_PLUS_VECTOR: 0.3,
        SearchMode.BM25_HEAVY: 0.35,
        SearchMode.MMR_DIVERSE: 0.4,
        SearchMode.VECTOR_HEAVY: 0.6,
        SearchMode.HYBRID: 0.4,
    },
    "neural": {
        SearchMode.EXACT_PLUS_VECTOR: 0.7,
        SearchMode.BM25_HEAVY: 0.2,
        SearchMode.MMR_DIVERSE: 0.7,
        SearchMode.VECTOR_HEAVY: 0.9,
        SearchMode.HYBRID: 0.7,
    },
}


class SearchStrategySelector:
    """Chooses the mode; ``adaptive`` off always gives HYBRID."""

    def __init__(self, adaptive: bool) -> None:
        self._adaptive = adaptive

    def select(self, profile: QuestionProfile) -> SearchMode:
        """The search mode of one question."""
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


def vector_weight(mode: SearchMode, embedder_id: str, hybrid_override: float | None) -> float:
    """Share of the vector side for a mode; the override replaces the one of HYBRID."""
    if mode is SearchMode.HYBRID and hybrid_override is not None:
        return hybrid_override
    family = "kiwi" if embedder_id.startswith("kiwi") else "neural"
    return _VECTOR_WEIGHTS[family][mode]


def rare_term_count(frequencies: Sequence[int], documents: int) -> int:
    """How many of the terms are specific: they stand in at least one and at most ``documents ** 0.6`` documents.

    That is a fifth of fifty documents and under a hundredth of the national body of law.
    """
    return sum(1 for frequency in frequencies if 0 < frequency <= documents**_RARITY)
