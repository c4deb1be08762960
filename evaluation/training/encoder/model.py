"""The static dual encoder and its training step, in numpy.

A term's vector is ``w · (W k + d)``: its Kiwi vector ``k`` moved by a map ``W`` common to all terms and by ``d`` of its own, times its
weight ``w``. So a term that no training text has moves with the others. A text is the unit vector of its weighted sum. Questions
and passages share everything: a weight for each side gained nothing.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from evaluation.training.encoder.bags import Batch, Numbers
from evaluation.training.encoder.pairs import Pairs
from utils.protocols import FloatMatrix

TEMPERATURE = 0.05
_RATES = {"own": 3e-3, "common": 1e-3, "weight": 1e-2}
_WARM_UP = 50  # steps
_LAST_RATE = 0.05  # share of the rate that is left at the end
_MASKED = np.float32(-1e4)


class DualEncoder:
    """Learns from batches by InfoNCE with in-batch negatives in both directions (van den Oord, Li, Vinyals 2018)."""

    def __init__(
        self, vectors: FloatMatrix, weights: FloatMatrix, steps: int, temperature: float = TEMPERATURE
    ) -> None:
        """``vectors`` have shape ``(terms, d)``, ``weights`` ``(terms,)``; the rates fall over ``steps`` steps."""
        self._temperature = np.float32(temperature)
        self._start = vectors
        self._steps = steps
        self._step = 0
        self._own = _Parameter(np.zeros_like(vectors), _RATES["own"])
        self._common = _Parameter(np.eye(vectors.shape[1], dtype=np.float32), _RATES["common"])
        self._log_weight = _Parameter(np.log(weights)[:, None], _RATES["weight"])

    def term_vectors(self) -> FloatMatrix:
        """The weighted vector of each term, shape ``(terms, d)``."""
        vectors = self._start @ self._common.value + self._own.value
        return vectors * np.exp(self._log_weight.value)

    def touched(self) -> NDArray[np.bool_]:
        """Which terms a training text had, shape ``(terms,)``."""
        touched: NDArray[np.bool_] = np.any(self._own.value != 0, axis=1)
        return touched

    def learn(self, pairs: Pairs) -> float:
        """Take a step and return the loss before it, the mean of both directions in nats."""
        self._step += 1
        rows = np.union1d(pairs.question.row, pairs.passage.row)
        vectors = self._start[rows] @ self._common.value + self._own.value[rows]
        weights = np.exp(self._log_weight.value[rows])
        weighted = vectors * weights
        question, passage = _Side(pairs.question, rows, weighted), _Side(pairs.passage, rows, weighted)
        loss, slope = _info_nce(question.unit @ passage.unit.T, pairs.same, self._temperature)
        gradient = np.zeros_like(weighted)
        question.add_gradient(slope @ passage.unit, gradient)
        passage.add_gradient(slope.T @ question.unit, gradient)
        of_vectors = gradient * weights
        rate = self._rate()
        self._log_weight.descend(rows, (gradient * vectors).sum(axis=1, keepdims=True) * weights, self._step, rate)
        self._common.descend(slice(None), self._start[rows].T @ of_vectors, self._step, rate)
        self._own.descend(rows, of_vectors, self._step, rate)
        return loss

    def _rate(self) -> float:
        """Share of the rates at this step: a warm-up, then half a cosine."""
        falling = 0.5 * (1.0 + np.cos(np.pi * self._step / self._steps))
        return float(min(1.0, self._step / _WARM_UP) * (_LAST_RATE + (1.0 - _LAST_RATE) * falling))


class _Side:
    """Questions or passages of a batch: unit vectors, and the way back from their gradient to that of the terms."""

    def __init__(self, bags: Batch, rows: Numbers, weighted: FloatMatrix) -> None:
        """``weighted`` are the vectors of ``rows``, which are sorted and hold all that the bags have."""
        own = np.unique(bags.row)
        self._at = np.searchsorted(rows, own)
        self._counts = bags.matrix(own)
        self.unit = self._counts @ weighted[self._at]
        self._norms = np.maximum(np.linalg.norm(self.unit, axis=1, keepdims=True), np.float32(1e-6))
        self.unit /= self._norms

    def add_gradient(self, gradient: FloatMatrix, total: FloatMatrix) -> None:
        """Add to ``total`` (of the weighted vectors) what follows from the ``gradient`` of the unit vectors."""
        along = (gradient * self.unit).sum(axis=1, keepdims=True) * self.unit
        total[self._at] += self._counts.T @ ((gradient - along) / self._norms)


class _Parameter:
    """A matrix under Adam (Kingma, Ba 2015) of which a step changes only the rows that the batch has."""

    def __init__(self, value: FloatMatrix, rate: float) -> None:
        self.value = value
        self._rate = rate
        self._mean = np.zeros_like(value)
        self._square = np.zeros_like(value)

    def descend(self, rows: Numbers | slice, gradient: FloatMatrix, step: int, share: float) -> None:
        mean = self._mean[rows] * 0.9 + 0.1 * gradient
        square = self._square[rows] * 0.999 + 0.001 * gradient * gradient
        self._mean[rows], self._square[rows] = mean, square
        change = mean / (1.0 - 0.9**step) / (np.sqrt(square / (1.0 - 0.999**step)) + 1e-8)
        self.value[rows] -= (self._rate * share * change).astype(np.float32)


def _info_nce(cosines: FloatMatrix, same: NDArray[np.bool_], temperature: np.float32) -> tuple[float, FloatMatrix]:
    """Loss of finding the pairs on the diagonal by row and by column, and its slope by the cosines."""
    logits = np.where(same, _MASKED, cosines / temperature)
    by_row, by_column = _softmax(logits), _softmax(logits.T).T
    size = len(logits)
    diagonal = np.arange(size)
    loss = -0.5 * (np.log(by_row[diagonal, diagonal]).mean() + np.log(by_column[diagonal, diagonal]).mean())
    slope = by_row + by_column
    slope[diagonal, diagonal] -= 2.0
    return float(loss), slope * (np.float32(0.5 / size) / temperature)


def _softmax(logits: NDArray[np.floating]) -> FloatMatrix:
    """By rows; a floor keeps the logarithm finite."""
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    shares: FloatMatrix = np.maximum(powers / powers.sum(axis=1, keepdims=True), np.float32(1e-9))
    return shares
