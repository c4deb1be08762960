"""What embedders that read plain text have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
from langchain_core.embeddings import Embeddings
from numpy.typing import ArrayLike

from utils.config.settings import EmbeddingProvider
from utils.protocols import AnalyzedText, FloatMatrix
from vectorstores.embedders.ids import text_embedder_id
from vectorstores.errors import ProviderUnavailable, VectorStoreUnavailable

_PROBE = "사업자등록"


class TextEmbedder(Embeddings, ABC):
    """A LangChain `Embeddings` and this service's `Embedder` over ``_encode``. Blocking: call it from a worker thread.

    It is tried once when it is built, so that a provider that does not work stops the start and its dimension is known.

    Raises:
        ProviderUnavailable: on construction: the provider cannot be loaded or does not answer with vectors.
        VectorStoreUnavailable: from every method: it did not this time; the caller searches without vectors.
    """

    def __init__(self, provider: EmbeddingProvider, model: str, batch_size: int) -> None:
        self.id = text_embedder_id(provider, model)
        self._batch_size = batch_size
        self.dimension = self._checked(self._encode([_PROBE]), (1, None)).shape[1]

    @abstractmethod
    def _encode(self, texts: Sequence[str]) -> ArrayLike:
        """Vectors of one batch, of any length: shape ``(len(texts), dimension)``."""

    def embed(self, items: Sequence[AnalyzedText]) -> FloatMatrix:
        return self._unit_vectors([item.text for item in items])

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        rows: list[list[float]] = self._unit_vectors(texts).tolist()
        return rows

    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]

    def _unit_vectors(self, texts: Sequence[str]) -> FloatMatrix:
        result = np.zeros((len(texts), self.dimension), dtype=np.float32)
        try:
            for start in range(0, len(texts), self._batch_size):
                batch = texts[start : start + self._batch_size]
                result[start : start + len(batch)] = self._checked(self._encode(batch), (len(batch), self.dimension))
        except ProviderUnavailable as error:
            raise VectorStoreUnavailable(str(error)) from error
        norms = np.linalg.norm(result, axis=1, keepdims=True)
        np.divide(result, norms, out=result, where=norms > 0)
        return result

    def _checked(self, vectors: ArrayLike, shape: tuple[int, int | None]) -> FloatMatrix:
        """The vectors as a finite matrix of ``shape``; a dimension of None is not known yet."""
        count, dimension = shape
        try:
            matrix = np.asarray(vectors, dtype=np.float32)
        except (TypeError, ValueError):
            matrix = np.empty(0, dtype=np.float32)
        expected = matrix.ndim == 2 and len(matrix) == count and matrix.shape[1] == (dimension or matrix.shape[1])
        if not expected or not matrix.size or not np.isfinite(matrix).all():
            raise ProviderUnavailable(f"EMBEDDING_PROVIDER: {self.id}이(가) 기대한 벡터를 보내지 않았습니다")
        return matrix


def vectors_of_answer(answer: object) -> list[list[float]]:
    """The vectors of an OpenAI-shaped ``/embeddings`` answer in the order of the texts; empty for any other answer."""
    data = answer.get("data") if isinstance(answer, dict) else None
    try:
        return [item["embedding"] for item in sorted(data or (), key=lambda item: int(item["index"]))]
    except (TypeError, KeyError, ValueError):
        return []
