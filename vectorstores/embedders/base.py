"""Base of embedders that read plain text."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass

import numpy as np
from cachetools import LRUCache
from langchain_core.embeddings import Embeddings
from numpy.typing import ArrayLike, NDArray

from utils.protocols import AnalyzedText, FloatMatrix
from vectorstores.errors import EmbeddingUnavailable, ProviderUnavailable

PROBE = "사업자등록"
_CACHED_QUESTIONS = 4_096


@dataclass(frozen=True, slots=True)
class TextModel:
    """An embedding model as it is asked: ``id`` marks an index, the prefixes say to the model what a text is."""

    id: str
    name: str
    batch_size: int
    query_prefix: str = ""
    passage_prefix: str = ""


class TextEmbedder(Embeddings, ABC):
    """A LangChain `Embeddings` and this service's `Embedder` over ``_encode``. Blocking: call it from a worker thread.

    Unless its dimension is known, from an index that it has built, it is tried once when it is made: a build stops here where the
    provider does not work, and a service starts without it. The vectors of questions are kept: a question is asked of several collections, and again.

    Raises:
        ProviderUnavailable: on construction: the provider cannot be loaded or does not answer with vectors.
        EmbeddingUnavailable: from every method: it did not this time; the caller searches without vectors.
    """

    def __init__(self, model: TextModel, at_once: int | None = None, dimension: int | None = None) -> None:
        """``at_once``: texts handed to one call of ``_encode``; the model's batch size by default."""
        self.id = model.id
        self._model = model
        self._at_once = at_once or model.batch_size
        self._questions: LRUCache[str, NDArray[np.float32]] = LRUCache(_CACHED_QUESTIONS)
        self._under_way: dict[str, Future[dict[str, NDArray[np.float32]]]] = {}
        self._questions_lock = threading.Lock()
        self.dimension = dimension or self._try_first(None)

    @abstractmethod
    def _encode(self, texts: Sequence[str]) -> ArrayLike:
        """Vectors of some texts, of any length: shape ``(len(texts), dimension)``; raises `ProviderUnavailable`."""

    def _encode_first(self, texts: Sequence[str]) -> ArrayLike:
        """Return the same of the first text, for which a provider may have to get ready. Raises as `_encode`."""
        return self._encode(texts)

    def _try_first(self, dimension: int | None) -> int:
        """Have the first text encoded; its dimension. Raises as `_encode`, also where ``dimension`` is another one."""
        return int(self._checked(self._encode_first([PROBE]), (1, dimension)).shape[1])

    def _shown(self, question: str) -> str:
        """A question as the model gets to read it."""
        return question

    def embed(self, items: Sequence[AnalyzedText]) -> FloatMatrix:
        return self._of_questions([item.text for item in items])

    def embed_passages(self, items: Sequence[AnalyzedText]) -> FloatMatrix:
        return self._unit_vectors([self._model.passage_prefix + item.text for item in items])

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        rows: list[list[float]] = self._unit_vectors([self._model.passage_prefix + text for text in texts]).tolist()
        return rows

    def embed_query(self, text: str) -> list[float]:
        vector: list[float] = self._of_questions([text])[0].tolist()
        return vector

    def _of_questions(self, texts: Sequence[str]) -> FloatMatrix:
        """Known vectors, and the others calculated once: several collections are searched for a question at the same time."""
        distinct = dict.fromkeys(texts)
        with self._questions_lock:
            known = {text: self._questions[text] for text in distinct if text in self._questions}
            awaited = {text: self._under_way[text] for text in distinct if text in self._under_way}
            new = [text for text in distinct if text not in known and text not in awaited]
            mine: Future[dict[str, NDArray[np.float32]]] = Future()
            self._under_way.update(dict.fromkeys(new, mine))
        if new:
            known |= self._calculated(new, mine)
        for text, other in awaited.items():
            known[text] = other.result()[text]
        result = np.empty((len(texts), self.dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            result[row] = known[text]
        return result

    def _calculated(
        self, questions: Sequence[str], result: Future[dict[str, NDArray[np.float32]]]
    ) -> dict[str, NDArray[np.float32]]:
        """Fills ``result``, or fails as it does, for those who wait for it."""
        try:
            vectors = self._unit_vectors([self._model.query_prefix + self._shown(text) for text in questions])
        except BaseException as error:
            result.set_exception(error)
            raise
        else:
            fresh = dict(zip(questions, vectors, strict=True))
            with self._questions_lock:
                self._questions.update(fresh)
            result.set_result(fresh)
            return fresh
        finally:
            with self._questions_lock:
                for text in questions:
                    del self._under_way[text]

    def _unit_vectors(self, texts: Sequence[str]) -> FloatMatrix:
        result = np.zeros((len(texts), self.dimension), dtype=np.float32)
        try:
            for start in range(0, len(texts), self._at_once):
                some = texts[start : start + self._at_once]
                result[start : start + len(some)] = self._checked(self._encode(some), (len(some), self.dimension))
        except ProviderUnavailable as error:
            raise EmbeddingUnavailable(str(error)) from error
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
