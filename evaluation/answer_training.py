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

from chains.sentence_features import OF_AN_ANSWER

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


@dataclass(frozen=True)
class _Lists:
    """The sentences of all questions under one another; those of a question begin at one of ``starts``."""

    rows: Floats
    starts: NDArray[np.int64]
    states: Floats
    gold: Floats

    def gradient(self, weights: Floats) -> Floats:
        """Of the mean loss."""
        scores = self.rows @ weights
        odds = np.exp(scores - self._spread(np.maximum.reduceat(scores, self.starts)))
        chosen = odds / self._sums(odds)
        sentence = chosen - odds * self.states / self._sums(odds * self.states)
        document = chosen - odds * self.gold / self._sums(odds * self.gold)
        gradient: Floats = self.rows.T @ (sentence + _DOCUMENT * document) / len(self.starts)
        return gradient

    def _sums(self, values: Floats) -> Floats:
        return self._spread(np.add.reduceat(values, self.starts))

    def _spread(self, by_question: Floats) -> Floats:
        """A value for each question as one for each of its sentences."""
        return np.repeat(by_question, np.diff([*self.starts, len(self.rows)]))


def learn_sentence_weights(examples: Sequence[AnswerExample]) -> Floats:
    """A weight for each sentence feature, by full-batch Adam; deterministic.

    Raises:
        ValueError: no example has an answer.
    """
    usable = [one for one in examples if one.gold.any()]
    if not usable:
        raise ValueError("no question has an answer among its sentences")
    rows = np.concatenate([one.features for one in usable])
    center, scale = _standard(rows)
    lists = _Lists(
        (rows - center) / scale,
        np.cumsum([0, *(len(one.features) for one in usable[:-1])]),
        np.concatenate([one.states if one.states.any() else one.gold for one in usable]).astype(float),
        np.concatenate([one.gold for one in usable]).astype(float),
    )
    weights, first, second = (np.zeros(len(scale)) for _ in range(3))
    for step in range(1, _STEPS + 1):
        gradient = lists.gradient(weights) + _SENTENCE_L2 * weights
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
    return np.append(example.features[int(np.argmax(example.features @ weights))][OF_AN_ANSWER], example.found)


def _standard(rows: Floats) -> tuple[Floats, Floats]:
    spread = rows.std(axis=0)
    return rows.mean(axis=0), np.where(spread > 1e-6, spread, 1.0)
