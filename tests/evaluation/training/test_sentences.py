"""Learning from examples of answers."""

from __future__ import annotations

import numpy as np
import pytest

from chains.extractive.sentence_features import ANSWER_FEATURES
from chains.extractive.sentence_model import AnswerModel
from evaluation.training.sentences import AnswerExample, learn_answer_weights, learn_sentence_weights


def example(answering: int | None, seed: int) -> AnswerExample:
    """Five sentences of which the answering one is high in the first feature; the second says nothing."""
    noise = np.random.default_rng(seed).random((5, 2))
    flags = np.zeros(5, dtype=np.bool_)
    if answering is not None:
        noise[answering, 0] += 1.0
        flags[answering] = True
    return AnswerExample(str(seed), noise, flags, flags, np.zeros(0))


def test_the_feature_that_tells_gets_the_weight() -> None:
    examples = [example(seed % 5, seed) for seed in range(30)]
    weights = learn_sentence_weights(examples)
    assert weights[0] > 5 * abs(weights[1])
    assert all(np.argmax(example.features @ weights) == np.argmax(example.gold) for example in examples)


def test_nothing_is_learned_where_nothing_answers() -> None:
    with pytest.raises(ValueError, match="no question"):
        learn_sentence_weights([example(None, 1)])


def test_the_bias_stands_between_answered_and_not() -> None:
    features = np.array([[0.1], [0.2], [0.8], [0.9]])
    weights, bias = learn_answer_weights(features, np.array([False, False, True, True]))
    odds = features @ weights + bias
    assert (odds[:2] < 0).all()
    assert (odds[2:] > 0).all()


def test_the_shipped_weights_fit_the_features() -> None:
    model = AnswerModel.load()
    assert 0 < model.answer_probability(np.zeros(len(ANSWER_FEATURES), dtype=np.float32)) < model.answered_from
