"""Protocol of rerankers, with their input and output."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol, Self

import numpy as np
from numpy.typing import NDArray


class TermStrings(Protocol):
    """Spells term ids; `vectorstores.storage.vocabulary.Vocabulary` is one."""

    def __len__(self) -> int: ...

    def strings(self, term_ids: NDArray[np.int32]) -> list[str]: ...


class WordList:
    """Words that stand in no vocabulary; their places are their ids."""

    def __init__(self, words: Iterable[str]) -> None:
        self._words = tuple(dict.fromkeys(words))

    def __len__(self) -> int:
        return len(self._words)

    def strings(self, term_ids: NDArray[np.int32]) -> list[str]:
        return [self._words[term_id] for term_id in term_ids.tolist()]


@dataclass(frozen=True, slots=True)
class PassageTerms:
    """The distinct terms of a passage: their ids, spelled only where they have to be."""

    ids: NDArray[np.int32]
    vocabulary: TermStrings

    @classmethod
    def of_words(cls, words: Iterable[str]) -> Self:
        listed = WordList(words)
        return cls(np.arange(len(listed), dtype=np.int32), listed)

    def __iter__(self) -> Iterator[str]:
        return iter(self.vocabulary.strings(self.ids))


@dataclass(frozen=True, slots=True)
class RerankPassage:
    """A candidate passage.

    ``key`` identifies the passage within one index version, so that what is derived from it can be cached;
    ``load_terms`` gives its indexed terms (title terms included) and is called only when they are not cached.
    """

    key: str
    title: str
    text: str
    load_terms: Callable[[], PassageTerms]


@dataclass(frozen=True, slots=True)
class QueryReading:
    """A wording of the question: content terms and their weights (inverse document frequencies, any positive scale).

    ``scale`` in [0, 1] is the relevance of a passage that matches this wording fully.
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
    """The rerank provider failed; the caller keeps the fused order and says so. ``reason`` is what clients may read."""

    reason: ClassVar[str] = "재순위 제공자가 응답하지 않아 검색 순서를 그대로 썼습니다."
