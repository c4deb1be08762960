"""Where training starts: smooth inverse frequency over Kiwi's vectors.

Arora, Liang, Ma 2017, "A Simple but Tough-to-Beat Baseline for Sentence Embeddings": a term weighs ``a / (a + p(term))`` and the
common directions are removed. ``p`` follows Zipf's law over Kiwi's frequency-ordered vocabulary, so no corpus is needed.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from evaluation.training.encoder.kiwi_vectors import MorphemeVectors
from utils.protocols import FloatMatrix
from vectorstores.embedders.static_encoder import known_parts, own_direction

_SMOOTHING = 1e-3
_COMMON_DIRECTIONS = 8
_DIRECTIONS_FROM = 20_000  # the frequent part of the vocabulary determines the common directions
_OWN_SHARE = np.float32(0.3)  # of a learned compound: what tells it from the sum of its parts


def starting_point(kiwi: MorphemeVectors, terms: Sequence[str]) -> tuple[FloatMatrix, FloatMatrix]:
    """Vectors ``(len(terms), 256)`` and weights ``(len(terms),)``. ``terms`` are Kiwi's, then those it does not know."""
    known = kiwi.matrix.astype(np.float32)
    weights = np.ones(len(terms), dtype=np.float32)
    weights[: len(known)] = _zipf_weights(len(known))
    learned = [_of_parts(term, kiwi, known, weights) for term in terms[len(known) :]]
    vectors = np.concatenate([known, *(vector[None] for vector in learned)])
    common = _common_directions(known, weights[: len(known)])
    return vectors - (vectors @ common.T) @ common, weights


def _of_parts(term: str, kiwi: MorphemeVectors, known: FloatMatrix, weights: FloatMatrix) -> FloatMatrix:
    parts = list(known_parts(term, kiwi.rows))
    total = weights[parts] @ known[parts]
    total = total / max(float(np.linalg.norm(total)), 1e-6) + _OWN_SHARE * own_direction(term, known.shape[1])
    unit: FloatMatrix = (total / np.linalg.norm(total)).astype(np.float32)
    return unit


def _zipf_weights(size: int) -> FloatMatrix:
    ranks = np.arange(1, size + 1, dtype=np.float64)
    probability = 1.0 / (ranks * np.log(1.78 * size))  # the harmonic number of `size`
    weights: FloatMatrix = (_SMOOTHING / (_SMOOTHING + probability)).astype(np.float32)
    return weights


def _common_directions(vectors: FloatMatrix, weights: FloatMatrix) -> NDArray[np.float32]:
    """The leading principal directions of the weighted frequent terms, shape ``(8, 256)``, orthonormal."""
    weighted = vectors[:_DIRECTIONS_FROM] * weights[:_DIRECTIONS_FROM, None]
    _, directions = np.linalg.eigh(weighted.T @ weighted)
    leading: FloatMatrix = directions[:, -_COMMON_DIRECTIONS:].T.astype(np.float32)
    return leading
