"""What a reranker takes and gives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class RerankPassage:
    """One candidate passage.

    ``key`` identifies the passage within one index version, so that what is derived from it can be cached;
    ``load_terms`` gives its indexed terms (title terms included) and is called only when they are not cached.
    """

    key: str
    title: str
    text: str
    load_terms: Callable[[], Sequence[str]]


@dataclass(frozen=True, slots=True)
class QueryReading:
    """One reading of the question: content terms and their weights (inverse document frequencies, any positive scale).

    ``scale`` in [0, 1] is what a full match of this reading is worth.
    """

    terms: tuple[str, ...]
    weights: tuple[float, ...]
    scale: float = 1.0


@dataclass(frozen=True, slots=True)
class RerankQuery:
    """The question. A term-based reranker lets the best of ``readings`` count; others read ``text``."""

    text: str
    readings: tuple[QueryReading, ...]


class Reranker(Protocol):
    """Scores passages against a question. Blocking: call it from a worker thread."""

    @property
    def id(self) -> str: ...

    def rerank(self, query: RerankQuery, passages: Sequence[RerankPassage]) -> list[float]:
        """A relevance in [0, 1] for each passage, in the order given.

        Raises:
            vectorstores.rerankers.base.RerankerUnavailable: the provider did not answer in time or failed.
        """
        ...


class RerankerUnavailable(RuntimeError):
    """The rerank provider failed; the caller keeps the fused order and says so."""
