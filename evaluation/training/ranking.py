"""Learning the order of candidates, and what the reranker's relevance adds to it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from evaluation.measures.judged_candidates import RankingExample
from evaluation.training.linear import RankedList, listwise_fit
from utils.protocols import FloatMatrix
from vectorstores.ranking.features import FEATURES

# Nothing is learned from the kind of norm: the questions name the act that answers, and often not the decree or rule that does
# too, so a weight would punish these. How acts stand before decrees is settled where candidates are chosen (`PassageTable.boost`).
NOT_LEARNED = frozenset({"decree", "rule", "other_norm", "purpose", "definitions"})
LEARNED = tuple(column for column, name in enumerate(FEATURES) if name not in NOT_LEARNED)

_L2 = 1e-3
_RELEVANCE_WEIGHTS = (*(step / 4 for step in range(41)), *(float(step) for step in range(11, 41)))


def learn_weights(examples: Sequence[RankingExample], columns: Sequence[int]) -> NDArray[np.float32]:
    """Learn a weight for each feature column; those not in ``columns`` get 0.

    Raises:
        ValueError: no example's candidates hold an answer.
    """
    lists = [
        RankedList(example.features[example.judged][:, columns].astype(np.float64), (example.gold[example.judged],))
        for example in examples
        if bool((example.gold & example.judged).any())
    ]
    if not lists:
        raise ValueError("no question has an answer among its candidates")
    learned = np.zeros(examples[0].features.shape[1], dtype=np.float32)
    learned[list(columns)] = listwise_fit(lists, (1.0,), _L2)
    return learned


def learn_relevance_weight(
    scores: Sequence[NDArray[np.float32]], relevance: Sequence[FloatMatrix], gold: Sequence[NDArray[np.bool_]]
) -> float:
    """Return what the reranker's relevance should add to the scores: the candidate weight of least listwise loss."""
    losses = {
        weight: sum(
            _loss(score + weight * near, answers) for score, near, answers in zip(scores, relevance, gold, strict=True)
        )
        for weight in _RELEVANCE_WEIGHTS
    }
    return min(losses, key=lambda weight: losses[weight])


def _loss(scores: NDArray[np.floating], gold: NDArray[np.bool_]) -> float:
    return -float(np.log(_softmax(scores.astype(np.float64))[gold].sum() + 1e-12)) if gold.any() else 0.0


def _softmax(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    exponential = np.exp(scores - scores.max())
    result: NDArray[np.float64] = exponential / exponential.sum()
    return result
