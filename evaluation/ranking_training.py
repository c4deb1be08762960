"""Learning the order of candidates: a linear model under the listwise softmax loss (ListNet's top-one probability).

Cao, Qin, Liu, Tsai, Li 2007, "Learning to Rank: From Pairwise Approach to Listwise Approach". The target is spread over the
answering candidates by the model itself, so that one well-placed answer is enough.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluation.ranking_examples import RankingExample
from utils.protocols import FloatMatrix
from vectorstores.ranking.features import FEATURES

# Nothing is learned from the kind of norm: the questions name the act that answers, and often not the decree or rule that does
# too, so a weight would punish these. How acts stand before decrees is settled where candidates are chosen (`PassageTable.boost`).
NOT_LEARNED = frozenset({"decree", "rule", "other_norm", "purpose", "definitions"})
LEARNED = tuple(column for column, name in enumerate(FEATURES) if name not in NOT_LEARNED)

_STEPS = 500
_RATE = 0.05
_L2 = 1e-3
_RELEVANCE_WEIGHTS = (*(step / 4 for step in range(41)), *(float(step) for step in range(11, 41)))


@dataclass(frozen=True)
class _Question:
    """Standardised features of the judged candidates of one question, and which of them answer."""

    features: NDArray[np.float64]
    gold: NDArray[np.bool_]


def learn_weights(examples: Sequence[RankingExample], columns: Sequence[int]) -> NDArray[np.float32]:
    """A weight for each feature column, 0 for those not in ``columns``. Deterministic; full-batch Adam.

    Raises:
        ValueError: no example's candidates hold an answer.
    """
    usable = [one for one in examples if bool((one.gold & one.judged).any())]
    if not usable:
        raise ValueError("no question has an answer among its candidates")
    rows = np.concatenate([one.features[one.judged][:, columns] for one in usable]).astype(np.float64)
    spread = rows.std(axis=0)
    scale = np.where(spread > 1e-6, spread, 1.0)
    center = rows.mean(axis=0)
    questions = [
        _Question((one.features[one.judged][:, columns] - center) / scale, one.gold[one.judged]) for one in usable
    ]
    weights = np.zeros(len(columns))
    first, second = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, _STEPS + 1):
        gradient = sum((_gradient(one, weights) for one in questions), np.zeros_like(weights)) / len(questions)
        gradient += _L2 * weights
        first = 0.9 * first + 0.1 * gradient
        second = 0.999 * second + 0.001 * gradient**2
        weights -= _RATE * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
    learned = np.zeros(examples[0].features.shape[1], dtype=np.float32)
    learned[list(columns)] = np.where(spread > 1e-6, weights / scale, 0.0)
    return learned


def learn_relevance_weight(
    scores: Sequence[NDArray[np.float32]], relevance: Sequence[FloatMatrix], gold: Sequence[NDArray[np.bool_]]
) -> float:
    """What the reranker's relevance should add to the scores: the candidate weight of least listwise loss."""
    losses = {
        weight: sum(
            _loss(score + weight * near, answers) for score, near, answers in zip(scores, relevance, gold, strict=True)
        )
        for weight in _RELEVANCE_WEIGHTS
    }
    return min(losses, key=lambda weight: losses[weight])


def _gradient(question: _Question, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    probability = _softmax(question.features @ weights)
    target = probability * question.gold
    gradient: NDArray[np.float64] = question.features.T @ (probability - target / (target.sum() + 1e-12))
    return gradient


def _loss(scores: NDArray[np.floating], gold: NDArray[np.bool_]) -> float:
    return -float(np.log(_softmax(scores.astype(np.float64))[gold].sum() + 1e-12)) if gold.any() else 0.0


def _softmax(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    exponential = np.exp(scores - scores.max())
    result: NDArray[np.float64] = exponential / exponential.sum()
    return result
