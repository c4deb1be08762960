"""Learning an order: what was planted is found, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from evaluation.measures.judged_candidates import RankingExample, ranked_ids
from evaluation.training.ranking import learn_relevance_weight, learn_weights
from tests.support.ranking_examples import make_example

NOISE, PLANTED, CONSTANT, OTHER = range(4)
EVERY = (NOISE, PLANTED, CONSTANT, OTHER)
QUESTIONS, CANDIDATES = 15, 8


def floats(values: Sequence[float]) -> NDArray[np.float32]:
    return np.asarray(values, dtype=np.float32)


@pytest.fixture(scope="module")
def examples() -> list[RankingExample]:
    """The answer of each question has the highest value of one feature; two are noise, one never changes."""
    random = np.random.default_rng(7)
    made = []
    for number in range(QUESTIONS):
        features = random.random((CANDIDATES, 4))
        features[:, CONSTANT] = 0.5
        gold = int(random.integers(CANDIDATES))
        features[gold, PLANTED] = 1.2
        made.append(make_example(f"q{number}", features, [row == gold for row in range(CANDIDATES)]))
    return made


def test_a_planted_feature_is_learned_and_ranks_first(examples: list[RankingExample]) -> None:
    weights = learn_weights(examples, EVERY)
    assert weights.shape == (4,)
    assert weights[PLANTED] > 5 * max(abs(weights[NOISE]), abs(weights[OTHER])) > 0
    assert weights[CONSTANT] == 0.0
    for example in examples:
        assert ranked_ids(example, example.features @ weights)[:1] == example.question.gold


def test_the_same_examples_give_the_same_weights(examples: list[RankingExample]) -> None:
    assert learn_weights(examples[:5], EVERY).tolist() == learn_weights(examples[:5], EVERY).tolist()


def test_only_the_columns_asked_for_weigh(examples: list[RankingExample]) -> None:
    weights = learn_weights(examples[:5], [PLANTED, OTHER])
    assert weights[NOISE] == weights[CONSTANT] == 0.0
    assert weights[PLANTED] > 0


def test_the_scale_of_a_feature_does_not_matter(examples: list[RankingExample]) -> None:
    factors = floats([1, 100, 1, 1])
    larger = [replace(example, features=example.features * factors) for example in examples[:5]]
    expected = learn_weights(examples[:5], EVERY) / factors
    np.testing.assert_allclose(learn_weights(larger, EVERY), expected, rtol=1e-3, atol=1e-5)


def test_candidates_nobody_judged_say_nothing(examples: list[RankingExample]) -> None:
    """Unjudged rows that have the planted feature without being gold would teach the opposite."""
    crowded = []
    for example in examples[:5]:
        more = np.concatenate([example.features, np.full((20, 4), 1.5, dtype=np.float32)])
        gold = [*example.gold.tolist(), *[False] * 20]
        crowded.append(make_example(example.question.id, more, gold, [*[True] * CANDIDATES, *[False] * 20]))
    np.testing.assert_array_equal(learn_weights(crowded, EVERY), learn_weights(examples[:5], EVERY))


@pytest.mark.parametrize("count", [0, 2])
def test_without_any_answer_there_is_nothing_to_learn(examples: list[RankingExample], count: int) -> None:
    unanswered = [replace(example, gold=np.zeros_like(example.gold)) for example in examples[:count]]
    unjudged = [replace(example, judged=~example.gold) for example in examples[:count]]
    for useless in (unanswered, unjudged):
        with pytest.raises(ValueError, match="no question has an answer"):
            learn_weights(useless, EVERY)


def test_questions_without_an_answer_are_passed_over(examples: list[RankingExample]) -> None:
    unanswered = replace(examples[7], gold=np.zeros_like(examples[7].gold))
    np.testing.assert_array_equal(learn_weights([*examples[:5], unanswered], EVERY), learn_weights(examples[:5], EVERY))


def test_the_reranker_weighs_what_it_knows() -> None:
    scores = [floats([1.0, 0.9, 0.0])] * 4
    gold = [np.asarray([False, True, False])] * 4
    knowing = learn_relevance_weight(scores, [floats([0.1, 0.9, 0.1])] * 4, gold)
    mistaken = learn_relevance_weight(scores, [floats([0.9, 0.1, 0.9])] * 4, gold)
    assert knowing == 40.0, "the largest one tried"
    assert mistaken == 0.0
    mixed = [floats([0.1, 0.9, 0.1])] * 3 + [floats([0.9, 0.1, 0.1])]
    assert 0.0 < learn_relevance_weight(scores, mixed, gold) < 10.0


def test_ranked_ids_name_each_document_once() -> None:
    example = replace(make_example("q", np.zeros((4, 1)), [True] * 4), ids=("a", "b", "a", "c"))
    assert ranked_ids(example, np.asarray([0.1, 0.5, 0.9, 0.5])) == ("a", "b", "c")
