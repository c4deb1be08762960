"""What rerankers that read plain text have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from vectorstores.errors import ProviderUnavailable
from vectorstores.rerankers.base import RerankerUnavailable, RerankPassage, RerankQuery


class TextReranker(ABC):
    """A `Reranker` over ``_score``."""

    def __init__(self, reranker_id: str, batch_size: int) -> None:
        self.id = reranker_id
        self._batch_size = batch_size

    @abstractmethod
    def _score(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """A relevance in [0, 1] for each text of one batch; raises `ProviderUnavailable`."""

    def rerank(self, query: RerankQuery, passages: Sequence[RerankPassage]) -> list[float]:
        texts = [_with_title(passage) for passage in passages]
        try:
            return [score for batch in self._batches(texts) for score in self._checked(query.text, batch)]
        except ProviderUnavailable as error:
            raise RerankerUnavailable(str(error)) from error

    def _batches(self, texts: Sequence[str]) -> list[Sequence[str]]:
        return [texts[start : start + self._batch_size] for start in range(0, len(texts), self._batch_size)]

    def _checked(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        scores = self._score(question, texts)
        # scores of another scale cannot be compared with thresholds or between lists; nothing is guessed
        if len(scores) != len(texts) or not all(0.0 <= score <= 1.0 for score in scores):
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
