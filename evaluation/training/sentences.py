"""Learning the two linear models of the extractive answer (`chains.extractive.sentence_model`).

Sentences: the listwise softmax loss, with the target spread over the answering sentences by the model itself; half as
much counts that the sentence is from a document that answers at all. Whether there is an answer: logistic regression over
the best sentence's features, both outcomes weighing the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from chains.extractive.sentence_features import OF_AN_ANSWER
from evaluation.training.linear import Flags, Floats, RankedList, balanced_shares, listwise_fit, logistic_regression

_SENTENCE_L2 = 0.05
_ANSWER_L2 = 0.05
_STATED, _DOCUMENT = 1.0, 0.5


@dataclass(frozen=True)
class AnswerExample:
    """A thing asked beside the sentences found: their features, which of them ``states`` it and which are of a document
    that is ``gold``. ``found``: what is known of all of them together. Without a gold sentence nothing answers."""

    question: str
    features: Floats
    states: Flags
    gold: Flags
    found: Floats


def learn_sentence_weights(examples: Sequence[AnswerExample]) -> Floats:
    """Learn a weight for each sentence feature.

    Raises:
        ValueError: no example has an answer.
    """
    lists = [
        RankedList(example.features, (example.states if example.states.any() else example.gold, example.gold))
        for example in examples
        if example.gold.any()
    ]
    if not lists:
        raise ValueError("no question has an answer among its sentences")
    return listwise_fit(lists, (_STATED, _DOCUMENT), _SENTENCE_L2)


def learn_answer_weights(features: Floats, answered: Flags) -> tuple[Floats, float]:
    """Learn weights and bias of the log odds that there is an answer, both outcomes weighing the same."""
    return logistic_regression(features, answered, balanced_shares(answered), _ANSWER_L2)


def best_features(example: AnswerExample, weights: Floats) -> Floats:
    """Return the features of the answer that an example would get: of its best sentence, and of all of them."""
    return np.append(example.features[int(np.argmax(example.features @ weights))][OF_AN_ANSWER], example.found)
