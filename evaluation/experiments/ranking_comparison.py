"""The learned order beside the plain fusion, on the same candidates of the same questions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from evaluation.measures.judged_candidates import RankingExample, ranked_ids
from evaluation.measures.retrieval import RankedAnswer, score
from evaluation.training.ranking import learn_weights
from vectorstores.search.candidates import unlearned_scores
from vectorstores.search.hybrid import HybridSearcher

FOLDS = 5

Order = Callable[[int, RankingExample], NDArray[np.float32]]


class RelevanceReader:
    """Relevance of the best candidates of each question by the reranker, which scores each candidate once."""

    def __init__(self, searcher: HybridSearcher, pool: int) -> None:
        self.rerank_share = searcher.rerank_share
        self._searcher = searcher
        self._pool = pool
        self._known: dict[tuple[str, int], float] = {}

    def best(
        self, example: RankingExample, scores: NDArray[np.float32]
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Positions of the candidates that the reranker reads, best first, and their relevance."""
        positions = np.argsort(-scores, kind="stable")[: self._pool]
        keys = [(example.question.id, ordinal) for ordinal in example.ordinals[positions].tolist()]
        new = np.asarray([key[1] for key in keys if key not in self._known], dtype=np.int64)
        read = self._searcher.relevance_of(example.collection, example.request.readings, new) if len(new) else []
        self._known.update(
            {(example.question.id, position): near for position, near in zip(new.tolist(), read, strict=True)}
        )
        return positions, np.asarray([self._known[key] for key in keys], dtype=np.float32)


def compare_orders(
    examples: Sequence[RankingExample],
    columns: Sequence[int],
    relevance_weight: float,
    reader: RelevanceReader,
    progress: Callable[[Sequence[RankingExample]], Iterable[RankingExample]],
) -> dict[str, dict[str, float]]:
    """Figures of each configuration. The learned orders judge each fifth of the questions by weights of the others; the one
    number ``relevance_weight`` is the only thing fitted on all.
    """
    folds = [
        learn_weights([example for number, example in enumerate(examples) if number % FOLDS != fold], columns)
        for fold in range(FOLDS)
    ]

    def fused(_: int, example: RankingExample) -> NDArray[np.float32]:
        return example.fused

    def learned(number: int, example: RankingExample) -> NDArray[np.float32]:
        scores: NDArray[np.float32] = example.features @ folds[number % FOLDS]
        return scores

    def fused_reranked(number: int, example: RankingExample) -> NDArray[np.float32]:
        scores = fused(number, example)
        positions, relevance = reader.best(example, scores)
        by_position = dict(zip(positions.tolist(), relevance.tolist(), strict=True))
        mixed = unlearned_scores(
            {position: float(scores[position]) for position in by_position}, by_position, reader.rerank_share
        )
        return _only(positions, [mixed[position] for position in positions.tolist()], len(scores))

    def learned_reranked(number: int, example: RankingExample) -> NDArray[np.float32]:
        scores = learned(number, example)
        positions, relevance = reader.best(example, scores)
        return _only(positions, scores[positions] + relevance_weight * relevance, len(scores))

    orders: Mapping[str, Order] = {
        "fusion": fused,
        "fusion + reranker": fused_reranked,
        "learned order": learned,
        "learned order + reranker": learned_reranked,
    }
    return {name: _figures(examples, order, progress) for name, order in orders.items()}


def _only(
    positions: NDArray[np.int64], scores: Sequence[float] | NDArray[np.float32], count: int
) -> NDArray[np.float32]:
    """Scores of all candidates, of which only some are in the running."""
    result = np.full(count, -np.inf, dtype=np.float32)
    result[positions] = scores
    return result


def _figures(
    examples: Sequence[RankingExample],
    order: Order,
    progress: Callable[[Sequence[RankingExample]], Iterable[RankingExample]],
) -> dict[str, float]:
    answers = [
        RankedAnswer(example.question.id, ranked_ids(example, order(number, example)), 0.0)
        for number, example in enumerate(progress(examples))
    ]
    figures = score(answers, {example.question.id: example.question.gold for example in examples})
    return {name: value for name, value in figures.items() if not name.startswith("ms_")}
