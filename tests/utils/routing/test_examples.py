"""Learning from representative questions: against a plain reference, and as routing relies on it."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support.small_index import WordEmbedder
from utils.protocols import AnalyzedText
from utils.routing.examples import Example, ExampleClassifier, FittedExamples, fit_examples

TAX, LABOR = "tax", "labor"
CLASSES = (TAX, LABOR)
QUESTIONS = {
    TAX: ["부가세 신고 기한", "부가세 납부 방법", "소득세 신고 방법", "세금 환급 기한"],
    LABOR: ["해고 예고 기한", "연차 휴가 계산", "퇴직금 계산 방법", "휴가 수당 계산"],
}
EMBEDDER = WordEmbedder()


def example(text: str, label: str, weight: float = 1.0) -> Example:
    return Example(analyzed(text), label, weight)


def analyzed(text: str) -> AnalyzedText:
    return AnalyzedText(text, tuple(text.split()))


EXAMPLES = [example(text, label) for label, texts in QUESTIONS.items() for text in texts]


def probabilities(fitted: FittedExamples, *texts: str) -> NDArray[np.float64]:
    return ExampleClassifier(EMBEDDER, fitted).probabilities([analyzed(text) for text in texts])


def test_a_new_question_goes_where_its_words_went() -> None:
    fitted = fit_examples(EMBEDDER, EXAMPLES, CLASSES)
    tax, labor = probabilities(fitted, "부가세 환급", "연차 수당")
    assert tax[0] > 0.5 > tax[1]
    assert labor[1] > 0.5 > labor[0]


@pytest.mark.parametrize("text", ["", "처음 보는 말", "부가세 " * 1_000])
def test_any_text_has_probabilities(text: str) -> None:
    found = probabilities(fit_examples(EMBEDDER, EXAMPLES, CLASSES), text)
    assert found.shape == (1, 2)
    assert np.all((found >= 0) & (found <= 1))


def test_the_order_of_the_examples_does_not_matter() -> None:
    forwards = fit_examples(EMBEDDER, EXAMPLES, CLASSES)
    backwards = fit_examples(EMBEDDER, EXAMPLES[::-1], CLASSES)
    assert np.allclose(probabilities(forwards, "부가세 계산"), probabilities(backwards, "부가세 계산"), atol=1e-5)
    assert np.allclose(forwards.held_out, backwards.held_out[::-1])


def test_a_light_example_says_less_than_a_full_one() -> None:
    def learned(weight: float) -> float:
        disputed = [example("가게", TAX, weight), example("가게", LABOR, 1.0)]
        return float(probabilities(fit_examples(EMBEDDER, [*EXAMPLES, *disputed], CLASSES), "가게")[0, 0])

    assert learned(0.1) < learned(0.5) < learned(1.0)


def test_an_example_that_only_it_speaks_for_is_not_known_without_it() -> None:
    """A held-out example is judged by the others: the calibration must not see what was learned by heart."""
    alone = example("홈택스", TAX)
    fitted = fit_examples(EMBEDDER, [*EXAMPLES, alone], CLASSES)
    assert fitted.held_out[-1, 0] < 0.5 < probabilities(fitted, "홈택스")[0, 0]


def test_held_out_predictions_are_those_of_a_fit_without_the_example() -> None:
    """Against ridge regression solved once for each example left out; texts without terms leave the embedding alone."""
    rng = np.random.default_rng(7)
    vectors = rng.standard_normal((12, WordEmbedder.dimension)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)

    class Fixed(WordEmbedder):
        def embed(self, items: object) -> NDArray[np.float32]:
            return vectors

    weights = rng.uniform(0.3, 2.0, 12)
    labels = [CLASSES[number % 2] for number in range(12)]
    texts = [AnalyzedText(str(number), ()) for number in range(12)]
    rows = [Example(text, label, weight) for text, label, weight in zip(texts, labels, weights, strict=True)]
    fitted = fit_examples(Fixed(), rows, CLASSES, ridge=0.7)

    features = np.hstack([vectors * np.sqrt(0.5), np.ones((12, 1))]).astype(np.float64)
    targets = np.array([[float(label == name) for name in CLASSES] for label in labels])
    expected = np.empty((12, 2))
    for left_out in range(12):
        kept = np.arange(12) != left_out
        weighed = features[kept].T * weights[kept]
        solved = np.linalg.solve(weighed @ features[kept] + 0.7 * np.eye(features.shape[1]), weighed @ targets[kept])
        expected[left_out] = features[left_out] @ solved
    calibrated = 1 / (1 + np.exp(-(expected * fitted.platt[:, 0] + fitted.platt[:, 1])))
    assert np.allclose(fitted.held_out, calibrated, atol=1e-6)


def test_calibrated_probabilities_are_right_on_the_average() -> None:
    """The mean of the held-out probabilities of a class is its share of the examples."""
    fitted = fit_examples(EMBEDDER, EXAMPLES, CLASSES)
    assert np.allclose(fitted.held_out.mean(axis=0), [0.5, 0.5], atol=0.01)
