"""The request and the outcome of a search."""

from __future__ import annotations

from dataclasses import dataclass

from schemas.chat import Degradation
from utils.documents import Hit
from utils.law.question_references import LawReference
from vectorstores.ranking.fusion import Fusion


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a question that asks for something of its own; ``formal`` says it in formal terms, or is ``text`` where that is formal.

    ``weight`` is that of its order, against 1 for that of the whole question.
    """

    text: str
    formal: str
    weight: float = 0.4


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """A request to search one collection.

    ``queries`` holds the question first, then its variants; ``formal`` says the question in formal terms. ``readings`` are what
    the reranker may read the question as: as typed, in formal terms, clause by clause. ``clauses``, of a question of several,
    are searched for beside the whole. ``cited`` are the statutes and articles that come first.
    The lexical side contributes ``pool`` candidates to the question, the vector side ``vector_pool``; ``vector_weight`` is the vector
    side's share of the fused score, and ``tilt`` what the learned order gives to its cosine at the expense of BM25.
    ``mmr_lambda`` set: diversify the top by MMR over ``mmr_fetch`` candidates. ``within`` set: only these chunks, named by
    rising ordinals, are looked at; with ``own_rarity`` a word is as rare as it is among these, not among all.
    """

    queries: tuple[str, ...]
    readings: tuple[str, ...]
    k: int
    pool: int
    vector_pool: int
    vector_weight: float
    fusion: Fusion
    tilt: float = 0.0
    cited: tuple[LawReference, ...] = ()
    formal: str = ""
    clauses: tuple[Clause, ...] = ()
    lexical: bool = True
    rerank: bool = True
    per_variant: int = 3
    rerank_pool: int = 40
    mmr_lambda: float | None = None
    mmr_fetch: int = 16
    within: tuple[int, ...] | None = None
    own_rarity: bool = False


@dataclass(frozen=True, slots=True)
class SearchOutcome:
    """Hits in falling order, and what was not available."""

    hits: tuple[Hit, ...]
    degraded: tuple[Degradation, ...] = ()
