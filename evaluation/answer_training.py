"""Learning the two linear models of the extractive answer (`chains.answer_model`).

Sentences: the listwise softmax loss, with the target spread over the answering sentences by the model itself; half as
much counts that the sentence is from a document that answers at all. Whether there is an answer: logistic regression over
the best sentence's features, both outcomes weighing the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

_STEPS = 400
_RATE = 0.05
_SENTENCE_L2 = 0.05
_ANSWER_L2 = 0.05
_DOCUMENT = 0.5
_NEWTON_STEPS = 50


@dataclass(frozen=True)
class AnswerExample:
    """One thing asked beside the sentences found: their features, which of them ``states`` it and which are of a document
    that is ``gold``. ``found``: what is known of all of them together. Without a gold sentence nothing answers."""

    question: str
    features: Floats
    states: Flags
    gold: Flags
    found: Floats


def learn_sentence_weights(examples: Sequence[AnswerExample]) -> Floats:
    """A weight for each sentence feature, by full-batch Adam; deterministic.

    Raises:
        ValueError: no example has an answer.
    """
    usable = [one for one in examples if one.gold.any()]
    if not usable:
        raise ValueError("no question has an answer among its sentences")
    center, scale = _standard(np.concatenate([one.features for one in usable]))
    lists = [
        ((one.features - center) / scale, one.states if one.states.any() else one.gold, one.gold) for one in usable
    ]
    weights, first, second = (np.zeros(len(scale)) for _ in range(3))
    for step in range(1, _STEPS + 1):
        gradient = sum((_gradient(*one, weights) for one in lists), np.zeros_like(weights)) / len(lists)
        gradient += _SENTENCE_L2 * weights
        first = 0.9 * first + 0.1 * gradient
        second = 0.999 * second + 0.001 * gradient**2
        weights -= _RATE * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
    return weights / scale


def learn_answer_weights(features: Floats, answered: Flags) -> tuple[Floats, float]:
    """Weights and bias of the log odds that there is an answer, by Newton's method."""
    center, scale = _standard(features)
    rows = np.column_stack([(features - center) / scale, np.ones(len(features))])
    share = np.where(answered, 0.5 / answered.mean(), 0.5 / (1 - answered.mean()))
    penalty = np.append(np.full(features.shape[1], _ANSWER_L2), 0.0)
    weights = np.zeros(rows.shape[1])
    for _ in range(_NEWTON_STEPS):
        odds = 1 / (1 + np.exp(-rows @ weights))
        gradient = rows.T @ (share * (odds - answered)) / len(rows) + penalty * weights
        curvature = (rows.T * (share * odds * (1 - odds))) @ rows / len(rows) + np.diag(penalty + 1e-9)
        weights -= np.linalg.solve(curvature, gradient)
    learned = weights[:-1] / scale
    return learned, float(weights[-1] - center @ learned)


def best_features(example: AnswerExample, weights: Floats) -> Floats:
    """The features of the answer that an example would get: of its best sentence, and of all of them."""
    return np.append(example.features[int(np.argmax(example.features @ weights))], example.found)


def _gradient(rows: Floats, states: Flags, gold: Flags, weights: Floats) -> Floats:
    scores = rows @ weights
    odds = np.exp(scores - scores.max())
    chosen = odds / odds.sum()
    sentence = chosen - odds * states / (odds * states).sum()
    document = chosen - odds * gold / (odds * gold).sum()
    gradient: Floats = rows.T @ (sentence + _DOCUMENT * document)
    return gradient


def _standard(rows: Floats) -> tuple[Floats, Floats]:
    spread = rows.std(axis=0)
    return rows.mean(axis=0), np.where(spread > 1e-6, spread, 1.0)
