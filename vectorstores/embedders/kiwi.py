"""The embedded Korean embedder: a weighted bag of morpheme vectors, no model to download.

Smooth inverse frequency (Arora, Liang, Ma 2017, "A Simple but Tough-to-Beat Baseline for Sentence Embeddings"): each
term weighs ``a / (a + p(term))``, the common directions are removed, the sum has unit length. ``p`` follows Zipf's law
over Kiwi's frequency-ordered vocabulary, so that no corpus is needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np
from langchain_core.embeddings import Embeddings
from numpy.typing import NDArray

from utils.protocols import AnalyzedText, Analyzer, FloatMatrix
from vectorstores.embedders.ids import kiwi_embedder_id
from vectorstores.kiwi_vectors import DIMENSION, MorphemeVectors

_SMOOTHING = 1e-3
_COMMON_DIRECTIONS = 8
_DIRECTIONS_FROM = 20_000  # the frequent part of the vocabulary determines the common directions


class KiwiEmbedder(Embeddings):
    """A LangChain `Embeddings` and this service's `Embedder` over `MorphemeVectors`."""

    def __init__(self, analyzer: Analyzer, vectors: MorphemeVectors) -> None:
        self._analyzer = analyzer
        self._rows = vectors.rows
        self._vectors = vectors.matrix
        self._weights = _zipf_weights(len(vectors.rows))
        self._common = _common_directions(vectors.matrix, self._weights)
        self._resolve = lru_cache(maxsize=100_000)(self._resolve_uncached)

    @property
    def id(self) -> str:
        return kiwi_embedder_id(self._analyzer.id)

    @property
    def dimension(self) -> int:
        return DIMENSION

    def embed(self, items: Sequence[AnalyzedText]) -> FloatMatrix:
        result = np.zeros((len(items), DIMENSION), dtype=np.float32)
        for number, item in enumerate(items):
            rows, weights = self._weighted_rows(item.terms)
            if len(rows):
                result[number] = weights @ self._vectors[rows].astype(np.float32)
        result -= (result @ self._common.T) @ self._common
        norms = np.linalg.norm(result, axis=1, keepdims=True)
        unit: FloatMatrix = np.divide(result, norms, out=np.zeros_like(result), where=norms > 1e-6)
        return unit

    def term_vectors(self, terms: Sequence[str]) -> FloatMatrix:
        """Unit vector of each term, shape ``(len(terms), 256)``; zeros where the term is unknown."""
        result = np.zeros((len(terms), DIMENSION), dtype=np.float32)
        for number, term in enumerate(terms):
            rows = self._resolve(term)
            if rows:
                vector = self._vectors[list(rows)].astype(np.float32).mean(axis=0)
                result[number] = vector / (np.linalg.norm(vector) or 1.0)
        return result

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        term_lists = self._analyzer.terms_many(texts)
        analyzed = [AnalyzedText(text, tuple(terms)) for text, terms in zip(texts, term_lists, strict=True)]
        return [row.tolist() for row in self.embed(analyzed)]

    def embed_query(self, text: str) -> list[float]:
        vector: list[float] = self.embed([AnalyzedText(text, tuple(self._analyzer.terms(text)))])[0].tolist()
        return vector

    def _weighted_rows(self, terms: Iterable[str]) -> tuple[NDArray[np.intp], FloatMatrix]:
        rows = [row for term in terms for row in self._resolve(term)]
        index = np.asarray(rows, dtype=np.intp)
        return index, self._weights[index]

    def _resolve_uncached(self, term: str) -> tuple[int, ...]:
        """Rows of a term; a compound the model does not know is split where its longest known tail begins."""
        row = self._rows.get(term)
        if row is not None:
            return (row,)
        for cut in range(1, len(term) - 1):
            tail = self._rows.get(term[cut:])
            if tail is not None:
                return (*self._resolve(term[:cut]), tail) if cut > 1 else (tail,)
        return ()


def _zipf_weights(size: int) -> NDArray[np.float32]:
    ranks = np.arange(1, size + 1, dtype=np.float64)
    probability = 1.0 / (ranks * np.log(1.78 * size))  # the harmonic number of `size`
    weights: NDArray[np.float32] = (_SMOOTHING / (_SMOOTHING + probability)).astype(np.float32)
    return weights


def _common_directions(matrix: NDArray[np.float16], weights: NDArray[np.float32]) -> FloatMatrix:
    """The leading principal directions of the weighted frequent terms, shape ``(8, 256)``, orthonormal."""
    weighted = matrix[:_DIRECTIONS_FROM].astype(np.float32) * weights[:_DIRECTIONS_FROM, None]
    _, vectors = np.linalg.eigh(weighted.T @ weighted)
    directions: FloatMatrix = vectors[:, -_COMMON_DIRECTIONS:].T.astype(np.float32)
    return directions
