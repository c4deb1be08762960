"""Compare the search modes: figures side by side, agreement of their lists, and the mode that is chosen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import mean

import numpy as np

from agents.retrieval.search_mode import SearchMode
from evaluation.measures.retrieval import RankedAnswer, score
from utils.documents import Hit
from utils.protocols import FloatMatrix
from vectorstores.index import KnowledgeIndex

DEPTH = 10
"""Hits of a list that are compared."""


@dataclass(frozen=True)
class ModeAnswer:
    """Result of a search in ``mode``: the ranked ids, and the unit vectors and scores of the first `DEPTH` hits.

    ``ways`` names the sides (BM25, vectors) by which the question itself found each hit; ``similarity`` is its cosine,
    ``bm25`` its BM25 score.
    """

    answer: RankedAnswer
    mode: SearchMode
    vectors: FloatMatrix
    ways: tuple[frozenset[str], ...]
    similarity: tuple[float, ...]
    bm25: tuple[float, ...]


def mode_figures(found: Sequence[ModeAnswer], gold: Mapping[str, Sequence[str]]) -> dict[str, float]:
    """Retrieval scores, and means over the first `DEPTH` hits.

    ``pairwise_cosine``: of the hits with each other (lower is more diverse). ``vector_only``, ``bm25_only``: share of hits that one
    side alone brought up. ``similarity``: cosine with the question; ``bm25``: lexical score.
    """
    ways = [way for run in found for way in run.ways]
    figures = {
        **score([run.answer for run in found], gold),
        "pairwise_cosine": _mean([pairwise_cosine(run.vectors) for run in found if len(run.vectors) > 1]),
        "vector_only": _mean([way == {"vector"} for way in ways]),
        "bm25_only": _mean([way == {"bm25"} for way in ways]),
        "similarity": _mean([value for run in found for value in run.similarity]),
        "bm25": _mean([value for run in found for value in run.bm25]),
    }
    return {name: round(value, 4) for name, value in figures.items()}


def agreement(runs: Mapping[str, Sequence[ModeAnswer]]) -> dict[str, dict[str, float]]:
    """For each pair of runs over the same questions, the means of `overlap` and `rank_change` of their first `DEPTH` ids."""
    result = {}
    for first, second in combinations(runs, 2):
        pairs = [
            (run.answer.hits[:DEPTH], other.answer.hits[:DEPTH])
            for run, other in zip(runs[first], runs[second], strict=True)
        ]
        result[f"{first} / {second}"] = {
            f"jaccard@{DEPTH}": round(_mean([overlap(*pair) for pair in pairs]), 4),
            "rank_change": round(_mean([rank_change(*pair) for pair in pairs]), 4),
        }
    return result


def chosen(
    adaptive: Sequence[ModeAnswer], balanced: Sequence[ModeAnswer], gold: Mapping[str, Sequence[str]]
) -> dict[str, dict[str, float]]:
    """For each mode that was chosen: how often, and the scores of its questions, beside those of ``balanced`` for them."""
    result = {}
    for mode, count in Counter(run.mode for run in adaptive).most_common():
        pairs = [pair for pair in zip(adaptive, balanced, strict=True) if pair[0].mode is mode]
        own, other = (score([pair[side].answer for pair in pairs], gold) for side in (0, 1))
        figures: dict[str, float] = {"share": round(count / len(adaptive), 4)}
        for name in ("any@10", "mrr"):
            if name in own:
                figures |= {name: own[name], f"{name}_hybrid": other[name]}
        result[mode.value] = figures
    return result


def hit_vectors(index: KnowledgeIndex, hits: Sequence[Hit]) -> FloatMatrix:
    """Unit vectors of hits of any collections, one row a hit. Raises `VectorStoreUnavailable`."""
    rows = [np.zeros((0, 1), dtype=np.float32)]
    for hit in hits:
        collection = index.collections[hit.chunk.collection]
        ordinals = collection.by_document(hit.chunk.doc_id)
        of_hit = next(
            ordinal
            for ordinal, chunk in zip(ordinals, collection.chunks(ordinals), strict=True)
            if chunk.id == hit.chunk.id
        )
        rows.append(collection.vectors_of([of_hit]))
    return np.concatenate(rows[1:] or rows)


def pairwise_cosine(vectors: FloatMatrix) -> float:
    """Mean cosine of each pair of different rows; the rows are unit vectors, two at least."""
    count = len(vectors)
    return float(((vectors @ vectors.T).sum() - (vectors * vectors).sum()) / (count * (count - 1)))


def overlap(hits: Sequence[str], other: Sequence[str]) -> float:
    """Jaccard similarity of two lists as sets; 1 for two empty ones."""
    union = set(hits) | set(other)
    return len(set(hits) & set(other)) / len(union) if union else 1.0


def rank_change(hits: Sequence[str], other: Sequence[str]) -> float:
    """Mean difference of the ranks of each id in two lists; one that a list lacks stands behind its last."""
    first, second = ({key: rank for rank, key in enumerate(ids)} for ids in (hits, other))
    return _mean([abs(first.get(key, len(hits)) - second.get(key, len(other))) for key in first | second])


def _mean(values: Sequence[float]) -> float:
    return mean(values) if values else 0.0
