"""Base of rerankers that read plain text."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Sequence

from cachetools import LRUCache

from vectorstores.errors import ProviderUnavailable
from vectorstores.rerankers.base import RerankerUnavailable, RerankPassage, RerankQuery

_CACHED_SCORES = 100_000


class TextReranker(ABC):
    """A `Reranker` over ``_score``. The score of a question and a passage is calculated once, as long as it is kept:
    a passage is judged for its collection, then among those of all collections, and again when the question is.
    """

    def __init__(self, reranker_id: str, at_once: int) -> None:
        """``at_once``: texts handed to one call of ``_score``."""
        self.id = reranker_id
        self._at_once = at_once
        self._known: LRUCache[tuple[str, str], float] = LRUCache(_CACHED_SCORES)
        self._known_lock = threading.Lock()

    @abstractmethod
    def _score(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """A relevance in [0, 1] for each text; raises `ProviderUnavailable`."""

    def rerank(self, query: RerankQuery, passages: Sequence[RerankPassage]) -> list[float]:
        with self._known_lock:
            pairs = [(query.text, passage.key) for passage in passages]
            scores = {pair: self._known[pair] for pair in pairs if pair in self._known}
        new = {pair: passage for pair, passage in zip(pairs, passages, strict=True) if pair not in scores}
        keys, texts = list(new), [_with_title(passage) for passage in new.values()]
        try:
            for start in range(0, len(texts), self._at_once):
                some = texts[start : start + self._at_once]
                fresh = dict(zip(keys[start : start + self._at_once], self._checked(query.text, some), strict=True))
                scores |= fresh
                with self._known_lock:
                    self._known.update(fresh)
        except ProviderUnavailable as error:
            raise RerankerUnavailable(str(error)) from error
        return [scores[pair] for pair in pairs]

    def _checked(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        return self._require_scores(self._score(question, texts), len(texts))

    def _require_scores(self, scores: Sequence[float], count: int) -> Sequence[float]:
        """Return ``scores`` if they are ``count``, between 0 and 1; raises `ProviderUnavailable`."""
        # scores of another scale cannot be compared with thresholds or between lists; nothing is guessed
        if len(scores) != count or not all(0.0 <= score <= 1.0 for score in scores):
            raise ProviderUnavailable(
                f"RERANK_PROVIDER: {self.id}의 점수가 문서마다 하나씩 0과 1 사이로 오지 않았습니다"
            )
        return scores


def scores_in_order(results: object, field: str) -> list[float]:
    """Scores in the order of the texts, from ``[{"index": n, field: score}, …]``; empty when it is another thing."""
    try:
        by_index = {int(item["index"]): float(item[field]) for item in results}  # type: ignore[attr-defined]
        return [by_index[number] for number in range(len(by_index))]
    except (TypeError, KeyError, ValueError):
        return []


def _with_title(passage: RerankPassage) -> str:
    """Title and text; a statute article already begins with its title."""
    return passage.text if passage.text.startswith(passage.title) else f"{passage.title}\n{passage.text}"
