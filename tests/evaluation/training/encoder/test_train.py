"""Training on a small made-up corpus: pairs that share no word are learned, the same way each time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from evaluation.training.encoder.bags import Bags, Windows
from evaluation.training.encoder.corpus import Corpus
from evaluation.training.encoder.kiwi_vectors import DIMENSION, MorphemeVectors
from evaluation.training.encoder.train import TrainingOptions, train
from utils.protocols import FloatMatrix
from vectorstores.storage.ragged import RaggedIds

_ARTICLES = 40
_WORDS = 200  # of which the first 160 are those of articles, the next 39 of questions, and the last of none
_OPTIONS = TrainingOptions(steps=60, batch=32, seed=3)


def ragged(lists: list[list[int]]) -> RaggedIds:
    ends = np.concatenate([[0], np.cumsum([len(rows) for rows in lists])]).astype(np.int64)
    return RaggedIds(np.asarray([row for rows in lists for row in rows], dtype=np.int32), ends)


@pytest.fixture(scope="module")
def kiwi() -> MorphemeVectors:
    matrix = np.random.default_rng(0).standard_normal((_WORDS, DIMENSION))
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    return MorphemeVectors(matrix.astype(np.float16), {f"w{row}": row for row in range(_WORDS)})


@pytest.fixture(scope="module")
def corpus(kiwi: MorphemeVectors) -> Corpus:
    """Article ``n`` has four words of its own; its question has one, which no article has, and a word of all questions."""
    parts = [[160 + n % 39, 0] if side == 0 else [4 * n, 4 * n + 1] for n in range(_ARTICLES) for side in (0, 1)]
    numbers = np.arange(_ARTICLES)
    return Corpus(
        terms=tuple(kiwi.rows),
        articles=ragged([[4 * n, 4 * n, 4 * n + 1, 4 * n + 2, 4 * n + 3] for n in range(_ARTICLES)]),
        titles=ragged([[4 * n] for n in range(_ARTICLES)]),
        headings=ragged([[4 * n] for n in range(_ARTICLES)]),
        parts=ragged(parts),
        citations=np.column_stack([2 * numbers, numbers, numbers]),
        rulings=np.column_stack([2 * numbers, 2 * numbers + 1, numbers]),
    )


@pytest.fixture(scope="module")
def trained(corpus: Corpus, kiwi: MorphemeVectors) -> FloatMatrix:
    return train(corpus, kiwi, _OPTIONS, lambda source, loss: None)[0]


def found_first(vectors: FloatMatrix, corpus: Corpus) -> float:
    """Share of the questions whose article is nearest."""
    words = np.arange(len(vectors))
    questions = Bags(corpus.parts).take(2 * np.arange(_ARTICLES - 1)).matrix(words) @ vectors
    articles = Bags(corpus.articles).take(np.arange(_ARTICLES)).matrix(words) @ vectors
    articles /= np.linalg.norm(articles, axis=1, keepdims=True)
    return float(np.mean((questions @ articles.T).argmax(axis=1) == np.arange(_ARTICLES - 1)))


def test_questions_find_articles_that_share_no_word(
    corpus: Corpus, kiwi: MorphemeVectors, trained: FloatMatrix
) -> None:
    untrained = train(corpus, kiwi, replace(_OPTIONS, steps=0), lambda source, loss: None)[0]

    assert found_first(untrained, corpus) < 0.2
    assert found_first(trained, corpus) > 0.8


def test_the_same_seed_gives_the_same_vectors(corpus: Corpus, kiwi: MorphemeVectors, trained: FloatMatrix) -> None:
    np.testing.assert_array_equal(train(corpus, kiwi, _OPTIONS, lambda source, loss: None)[0], trained)


def test_a_word_of_no_text_moves_only_with_all_others(corpus: Corpus, kiwi: MorphemeVectors) -> None:
    _, learned = train(corpus, kiwi, replace(_OPTIONS, steps=10), lambda source, loss: None)

    assert not learned[_WORDS - 1]
    assert learned[:4].all()


def test_the_loss_falls(corpus: Corpus, kiwi: MorphemeVectors) -> None:
    losses: list[float] = []
    train(corpus, kiwi, _OPTIONS, lambda source, loss: losses.append(loss) if source == "citations" else None)

    assert np.mean(losses[-4:]) < 0.5 * np.mean(losses[:2])


def test_bags_count_terms_and_leave_out_what_the_question_has() -> None:
    lists = ragged([[5, 5, 7], [], [7, 9]])
    batch = Bags(lists).take(np.array([2, 0, 1]))

    expected = np.zeros((3, 10), dtype=np.float32)
    expected[0, [7, 9]] = 1.0
    expected[1, [5, 7]] = 1.0 + np.log(2), 1.0
    np.testing.assert_allclose(batch.matrix(np.arange(10)), expected, rtol=1e-6)

    question = Windows(lists).take(np.array([2, 0, 0]), np.array([0, 0, 0]), np.array([1, 3, 2]))
    expected[0, 7] = expected[1, 7] = 0.0  # 5 stays: the article has it twice
    np.testing.assert_allclose(batch.without(question).matrix(np.arange(10)), expected, rtol=1e-6)
