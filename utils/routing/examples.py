"""A linear classifier learned from the representative questions of the domain data.

Each example is a vector of two blocks of unit length: its embedding, and its content terms weighted by inverse document
frequency. One-versus-rest ridge regression gives a score a class; the leave-one-out predictions, which ridge regression
has in closed form (e.g. Hastie, Tibshirani, Friedman 2009, §7.10), calibrate each score to a probability (Platt 1999).
So the scores mean the same for any embedder and after any edit of the examples: nothing is tuned by hand.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from utils.protocols import AnalyzedText, Embedder, FloatMatrix

Matrix = NDArray[np.float64]

_LEXICAL_SHARE = 0.5  # of the squared length of an example, the part that its terms have
_PLATT_STEPS = 25


@dataclass(frozen=True, slots=True)
class Example:
    """A text of a known class; ``weight`` is its share in training (a bare keyword says less than a question)."""

    text: AnalyzedText
    label: str
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class FittedExamples:
    """A classifier learned from examples.

    ``terms`` are the lexical columns with their ``idf``; ``coefficients`` has shape ``(dimension + terms + 1, classes)``;
    ``platt`` is slope and intercept a class. ``held_out`` are the probabilities of each example as predicted by all others,
    shape ``(examples, classes)``.
    """

    terms: tuple[str, ...]
    idf: NDArray[np.float32]
    coefficients: FloatMatrix
    platt: Matrix
    held_out: Matrix


def fit_examples(
    embedder: Embedder, examples: Sequence[Example], classes: Sequence[str], ridge: float = 1.0
) -> FittedExamples:
    """Learn from the examples. ``ridge`` is the regularisation strength for vectors of unit length."""
    idf_of = _inverse_document_frequency([example.text.terms for example in examples])
    terms, idf = tuple(idf_of), np.fromiter(idf_of.values(), dtype=np.float32, count=len(idf_of))
    weights = np.array([example.weight for example in examples])
    targets = np.array([[float(example.label == name) for name in classes] for example in examples])
    features = _features(embedder, [example.text for example in examples], _columns(terms), idf)
    coefficients, held_out = _weighted_ridge(features.astype(np.float64), targets, weights, ridge)
    platt = np.array([_platt(held_out[:, k], targets[:, k], weights) for k in range(len(classes))])
    return FittedExamples(terms, idf, coefficients.astype(np.float32), platt, _calibrated(held_out, platt))


class ExampleClassifier:
    """Calibrated probability of each class for a text, in the order of the classes that were fitted."""

    def __init__(self, embedder: Embedder, fitted: FittedExamples) -> None:
        self._embedder = embedder
        self._fitted = fitted
        self._columns = _columns(fitted.terms)

    def probabilities(self, texts: Sequence[AnalyzedText]) -> Matrix:
        """Shape ``(len(texts), len(classes))``, each in [0, 1]; rows need not sum to 1."""
        features = _features(self._embedder, texts, self._columns, self._fitted.idf)
        return _calibrated(features.astype(np.float64) @ self._fitted.coefficients, self._fitted.platt)


def _columns(terms: Sequence[str]) -> Mapping[str, int]:
    return {term: column for column, term in enumerate(terms)}


def _calibrated(scores: Matrix, platt: Matrix) -> Matrix:
    probabilities: Matrix = 1.0 / (1.0 + np.exp(-(scores * platt[:, 0] + platt[:, 1])))
    return probabilities


def _features(
    embedder: Embedder, texts: Sequence[AnalyzedText], columns: Mapping[str, int], idf: NDArray[np.float32]
) -> FloatMatrix:
    lexical = np.zeros((len(texts), len(columns)), dtype=np.float32)
    for row, text in enumerate(texts):
        known = [column for term in text.terms if (column := columns.get(term)) is not None]
        lexical[row, known] = idf[known]
    norms = np.linalg.norm(lexical, axis=1, keepdims=True)
    lexical *= np.sqrt(_LEXICAL_SHARE) / np.maximum(norms, 1e-6)
    dense = embedder.embed(texts) * np.float32(np.sqrt(1.0 - _LEXICAL_SHARE))
    bias = np.ones((len(texts), 1), dtype=np.float32)
    return np.hstack([dense, lexical, bias])


def _inverse_document_frequency(documents: Sequence[Sequence[str]]) -> Mapping[str, float]:
    counts = Counter(term for terms in documents for term in set(terms))
    return {term: float(np.log1p(len(documents) / count)) for term, count in counts.items()}


def _weighted_ridge(
    features: Matrix, targets: Matrix, weights: NDArray[np.float64], ridge: float
) -> tuple[Matrix, Matrix]:
    """Coefficients ``(features, classes)`` and leave-one-out predictions ``(examples, classes)``, by the dual form."""
    root = np.sqrt(weights)[:, None]
    scaled = features * root
    kernel = scaled @ scaled.T
    inverse = np.linalg.inv(kernel + ridge * np.eye(len(kernel)))
    dual = inverse @ (targets * root)
    held_out = targets - dual / (np.diag(inverse)[:, None] * root)
    coefficients: Matrix = scaled.T @ dual
    return coefficients, held_out


def _platt(
    scores: NDArray[np.float64], targets: NDArray[np.float64], weights: NDArray[np.float64]
) -> tuple[float, float]:
    """Slope and intercept of the logistic that best maps scores to targets (Newton's method)."""
    design = np.column_stack([scores, np.ones_like(scores)])
    beta = np.zeros(2)
    for _ in range(_PLATT_STEPS):
        fitted = 1.0 / (1.0 + np.exp(-design @ beta))
        gradient = design.T @ (weights * (targets - fitted)) - 1e-3 * beta
        curvature = (design * (weights * fitted * (1 - fitted))[:, None]).T @ design + 1e-3 * np.eye(2)
        beta += np.linalg.solve(curvature, gradient)
    return float(beta[0]), float(beta[1])
