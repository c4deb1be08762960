"""The embedded Korean embedder: a trained bag of morphemes, no model to download.

A static encoder for question and passage alike: each distinct term adds its vector, ``1 + ln(tf)`` times, and the sum has unit
length. How the vectors were learned: `evaluation.training.encoder`.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Protocol

import numpy as np
from langchain_core.embeddings import Embeddings
from numpy.typing import NDArray

from utils.protocols import AnalyzedText, BulkAnalyzer, FloatMatrix
from vectorstores.embedders.ids import kiwi_embedder_id
from vectorstores.embedders.static_encoder import DIMENSION

_BLOCK = 128  # texts whose terms are counted at once
_MAX_TERMS = 65_536  # 61 MB; to unpack so many again takes 0.6 s, which a build pays a few times at most


class TermEncoder(Protocol):
    """Anything that knows the vector of every term."""

    def vectors(self, terms: Sequence[str]) -> FloatMatrix:
        """Return the vector that each term adds to a text, shape ``(len(terms), DIMENSION)``."""


class KiwiEmbedder(Embeddings):
    """A LangChain `Embeddings` and this service's `Embedder` over the vectors of terms; thread-safe."""

    def __init__(self, analyzer: BulkAnalyzer, encoder: TermEncoder, own_id: str | None = None) -> None:
        """``own_id`` is that of the embedded embedder where none is given."""
        self.id = kiwi_embedder_id(analyzer.id) if own_id is None else own_id
        self._analyzer = analyzer
        self._table = _TermTable(encoder)

    @property
    def dimension(self) -> int:
        return DIMENSION

    def embed(self, items: Sequence[AnalyzedText]) -> FloatMatrix:
        result = np.zeros((len(items), DIMENSION), dtype=np.float32)
        for start in range(0, len(items), _BLOCK):
            block = items[start : start + _BLOCK]
            result[start : start + len(block)] = self._sums([item.terms for item in block])
        norms = np.linalg.norm(result, axis=1, keepdims=True)
        np.divide(result, norms, out=result, where=norms > 0)
        return result

    embed_passages = embed

    def term_vectors(self, terms: Sequence[str]) -> FloatMatrix:
        """Unit vector of each term, shape ``(len(terms), dimension)``; zeros for a figure."""
        ids, vectors = self._table.lookup(terms)
        found = vectors[ids]
        norms = np.linalg.norm(found, axis=1, keepdims=True)
        np.divide(found, norms, out=found, where=norms > 0)
        return found

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        located = self._analyzer.located_many(texts)
        analyzed = [AnalyzedText(text, analysis.terms) for text, analysis in zip(texts, located, strict=True)]
        rows: list[list[float]] = self.embed(analyzed).tolist()
        return rows

    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]

    def _sums(self, texts: Sequence[Sequence[str]]) -> FloatMatrix:
        """The weighted sum of each text's term vectors, shape ``(len(texts), dimension)``."""
        # in the order of the text: rounding would else depend on which terms this process met first
        counted = [Counter(terms) for terms in texts]
        ids, vectors = self._table.lookup([term for counts in counted for term in counts])
        weights = (1.0 + np.log([count for counts in counted for count in counts.values()])).astype(np.float32)
        ends = accumulate((len(counts) for counts in counted), initial=0)
        sums = np.zeros((len(texts), DIMENSION), dtype=np.float32)
        # text by text: what one has fits the processor's cache, all of them at once do not
        for number, (start, end) in enumerate(pairwise(ends)):
            sums[number] = weights[start:end] @ vectors[ids[start:end]]
        return sums


class _TermTable:
    """Numbers terms as they are met and keeps their vectors, so that a term is looked up and unpacked once."""

    def __init__(self, encoder: TermEncoder) -> None:
        self._encoder = encoder
        self._lock = threading.Lock()
        self._ids: dict[str, int] = {}
        self._vectors = np.zeros((1024, DIMENSION), dtype=np.float32)

    def lookup(self, terms: Sequence[str]) -> tuple[NDArray[np.int64], FloatMatrix]:
        """The row of each term, and the matrix of those rows, which stays as it is for the caller."""
        with self._lock:
            if len(self._ids) > _MAX_TERMS:
                self._ids, self._vectors = {}, np.zeros_like(self._vectors[:1024])
            new = [term for term in dict.fromkeys(terms) if term not in self._ids]
            if new:
                self._add(new)
            ids = np.fromiter(map(self._ids.__getitem__, terms), dtype=np.int64, count=len(terms))
            return ids, self._vectors

    def _add(self, terms: Sequence[str]) -> None:
        first, size = len(self._ids), len(self._ids) + len(terms)
        if size > len(self._vectors):
            larger = np.zeros((max(size, 2 * len(self._vectors)), DIMENSION), dtype=np.float32)
            larger[:first] = self._vectors[:first]
            self._vectors = larger  # a new array: a running call may still read the old one
        self._vectors[first:size] = self._encoder.vectors(terms)
        self._ids.update(zip(terms, range(first, size), strict=True))
