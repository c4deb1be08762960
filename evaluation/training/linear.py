"""Training of every linear model of the project: one standardiser, one logistic regression, one listwise fit.

Plain numpy: the problems have at most a thousand weights, so that a library for them would be a larger dependency than this file.
All of it is deterministic.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

FOLDS = 5

_NO_SPREAD = 1e-6
_NEWTON_STEPS = 50
_CONVERGED = 1e-9  # a step of Newton's that changes no weight by more is the last one
_RIDGE = 1e-9  # keeps the curvature invertible where a feature is constant
_ADAM_STEPS = 500
_ADAM_RATE = 0.05


@dataclass(frozen=True)
class Standard:
    """Mean and standard deviation of each feature; 1 for a feature that does not vary, whose weight so stays 0."""

    center: Floats
    scale: Floats

    @classmethod
    def of(cls, rows: Floats) -> Self:
        """Read both from the rows that are learned from."""
        spread = rows.std(axis=0)
        return cls(rows.mean(axis=0), np.where(spread > _NO_SPREAD, spread, 1.0))

    def applied(self, rows: Floats) -> Floats:
        """Return the rows with mean 0 and deviation 1."""
        result: Floats = (rows - self.center) / self.scale
        return result

    def raw(self, weights: Floats) -> Floats:
        """Return weights of standardised features as weights of the features themselves."""
        result: Floats = weights / self.scale
        return result


def logistic_regression(
    rows: Floats, targets: NDArray[np.generic], shares: Floats, l2: float, *, standardised: bool = True
) -> tuple[Floats, float]:
    """Fit weights and intercept of ``log odds = intercept + rows · weights`` by Newton's method.

    The loss is ``Σ share · cross entropy + l2/2 · |weights|²`` over standardised features; the intercept is free. Features that few
    rows have are better left as they are: standardised, they would cost less the rarer they are.
    """
    standard = Standard.of(rows if standardised else np.array([[-1.0] * rows.shape[1], [1.0] * rows.shape[1]]))
    design = np.column_stack([standard.applied(rows), np.ones(len(rows))])
    penalty = np.append(np.full(rows.shape[1], l2), 0.0)
    wanted = targets.astype(np.float64)
    found = np.zeros(design.shape[1])
    for _ in range(_NEWTON_STEPS):
        odds = 1.0 / (1.0 + np.exp(-design @ found))
        gradient = design.T @ (shares * (odds - wanted)) + penalty * found
        curvature = (design * (shares * odds * (1 - odds))[:, None]).T @ design
        step = np.linalg.solve(curvature + np.diag(penalty + _RIDGE), gradient)
        found -= step
        if np.abs(step).max() < _CONVERGED:
            break
    weights = standard.raw(found[:-1])
    return weights, float(found[-1] - standard.center @ weights)


def balanced_shares(targets: Flags) -> Floats:
    """Return shares that sum to 1, half of it for either outcome."""
    shares: Floats = np.where(targets, 0.5 / targets.mean(), 0.5 / (1 - targets.mean())) / len(targets)
    return shares


@dataclass(frozen=True)
class RankedList:
    """The candidates of one question: a row of features each, and for each kind of target which of them are it."""

    features: Floats
    targets: tuple[Flags, ...]


def listwise_fit(lists: Sequence[RankedList], shares: Sequence[float], l2: float) -> Floats:
    """Fit weights under the listwise softmax loss (top-one probability), by full-batch Adam.

    Cao, Qin, Liu, Tsai, Li 2007, "Learning to Rank: From Pairwise Approach to Listwise Approach". The loss of a list is
    ``Σ share · -log(probability of all candidates that are the target)``: the model itself spreads the target over them, so
    that one well-placed candidate is enough. Each list needs a candidate of each kind of target.
    """
    rows = np.concatenate([ranked.features for ranked in lists])
    standard = Standard.of(rows)
    problem = _Lists(
        standard.applied(rows).astype(np.float32),  # the fit is bound by memory, and four digits are kept
        np.cumsum([0, *(len(ranked.features) for ranked in lists[:-1])]),
        tuple(
            np.concatenate(flags).astype(np.float32)
            for flags in zip(*(ranked.targets for ranked in lists), strict=True)
        ),
        tuple(shares),
    )
    weights, first, second = (np.zeros(rows.shape[1]) for _ in range(3))
    for step in range(1, _ADAM_STEPS + 1):
        gradient = problem.gradient(weights) + l2 * weights
        first = 0.9 * first + 0.1 * gradient
        second = 0.999 * second + 0.001 * gradient**2
        weights -= _ADAM_RATE * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
    return standard.raw(weights)


@dataclass(frozen=True)
class _Lists:
    """The candidates of all lists under one another; those of a list begin at one of ``starts``."""

    rows: NDArray[np.float32]
    starts: NDArray[np.int64]
    targets: tuple[NDArray[np.float32], ...]
    shares: tuple[float, ...]

    def gradient(self, weights: Floats) -> Floats:
        """Return the gradient of the mean loss."""
        scores = self.rows @ weights.astype(np.float32)
        odds = np.exp(scores - self._spread(np.maximum.reduceat(scores, self.starts)))
        chosen = odds / self._sums(odds)
        residual = np.zeros_like(scores)
        for target, share in zip(self.targets, self.shares, strict=True):
            residual += share * (chosen - odds * target / (self._sums(odds * target) + 1e-12))
        gradient: Floats = (residual @ self.rows).astype(np.float64) / len(self.starts)
        return gradient

    def _sums(self, values: NDArray[np.float32]) -> NDArray[np.float32]:
        return self._spread(np.add.reduceat(values, self.starts))

    def _spread(self, by_list: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return a value for each list as one for each of its candidates."""
        return np.repeat(by_list, np.diff([*self.starts, len(self.rows)]))


def fold_of(questions: Iterable[str]) -> dict[str, int]:
    """Return the fold that holds each question out, the same on every run; all rows of a question are in one fold."""
    shuffled = np.random.default_rng(0).permutation(sorted(set(questions))).tolist()
    return {name: number % FOLDS for number, name in enumerate(shuffled)}
