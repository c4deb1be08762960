"""Pure fusion of ranked lists."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Literal, TypeVar

import numpy as np

from utils.protocols import FloatMatrix

Fusion = Literal["rrf", "score"]
Key = TypeVar("Key", bound=Hashable)

RRF_K = 60  # Cormack, Clarke, Büttcher 2009, "Reciprocal Rank Fusion outperforms Condorcet…"


def reciprocal_rank_fusion(rankings: Iterable[tuple[Sequence[Key], float]], k: int = RRF_K) -> dict[Key, float]:
    """Weighted reciprocal rank fusion: the sum over lists of ``weight / (rank + k)``, ranks from 1."""
    fused: dict[Key, float] = {}
    for ranking, weight in rankings:
        for rank, key in enumerate(ranking, start=1):
            fused[key] = fused.get(key, 0.0) + weight / (rank + k)
    return fused


def score_fusion(
    lexical: Mapping[Key, float], similarity: Mapping[Key, float], dense_weight: float
) -> dict[Key, float]:
    """``bm25 / max(bm25) + λ·max(cosine, 0)`` with ``λ = dense_weight / (1 - dense_weight)``.

    The weight has the same meaning as in `reciprocal_rank_fusion`: the share of the vector side, in [0, 1].
    """
    top = max(lexical.values(), default=0.0) or 1.0
    fused = {key: (1.0 - dense_weight) * score / top for key, score in lexical.items()}
    for key, cosine in similarity.items():
        fused[key] = fused.get(key, 0.0) + dense_weight * max(cosine, 0.0)
    return fused


def maximal_marginal_relevance(
    relevance: Sequence[float], vectors: FloatMatrix, k: int, lambda_mult: float
) -> list[int]:
    """Positions of ``k`` items by MMR (Carbonell and Goldstein 1998): ``λ·relevance - (1-λ)·max similarity to the chosen``.

    ``vectors`` are unit rows, one an item; ``relevance`` is on the scale of a cosine, [0, 1].
    """
    chosen: list[int] = []
    remaining = list(range(len(relevance)))
    closest = np.zeros(len(relevance), dtype=np.float32)
    while remaining and len(chosen) < k:
        best = max(remaining, key=lambda item: lambda_mult * relevance[item] - (1 - lambda_mult) * float(closest[item]))
        chosen.append(best)
        remaining.remove(best)
        closest = np.maximum(closest, vectors @ vectors[best])
    return chosen
