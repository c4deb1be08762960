"""Fitting the weights of routing on labelled questions, with the cross-validated figures that say how well they generalise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluation.measures.routing import RoutingExample, RoutingPrediction, RoutingScores, score
from evaluation.training.linear import FOLDS, logistic_regression
from utils.linear_models import LinearModel
from utils.routing.calibration import RoutingCalibration, RoutingModel
from utils.routing.evidence import DOMAIN_FEATURES, SCOPE_FEATURES, EvidenceReader, QuestionEvidence

Matrix = NDArray[np.float64]

_REPEATS = 5
_DOMAIN_L2 = 10.0
_SCOPE_L2 = 3.0
_OWN_WEIGHT = 0.2  # of a representative question beside a labelled one


@dataclass(frozen=True, slots=True)
class FitParameters:
    """Thresholds on the fitted probabilities; chosen on the cross-validated figures."""

    domain_threshold: float = 0.5
    scope_threshold: float = 0.5


DEFAULT_PARAMETERS = FitParameters()


@dataclass(frozen=True, slots=True)
class TrainingSet:
    """Features and labels: ``domain`` (n, domains, features), ``scope`` (n, features), ``labels`` (n, domains)."""

    keys: tuple[str, ...]
    domain: Matrix
    scope: Matrix
    labels: Matrix

    @property
    def relevant(self) -> NDArray[np.bool_]:
        return np.asarray(self.labels.any(axis=1))

    def subset(self, rows: NDArray[np.int64]) -> TrainingSet:
        return TrainingSet(self.keys, self.domain[rows], self.scope[rows], self.labels[rows])


def training_set(reader: EvidenceReader, keys: Sequence[str], examples: Sequence[RoutingExample]) -> TrainingSet:
    """The evidence of labelled questions."""
    found = [(example.domains or frozenset(), reader.read(example.question)) for example in examples]
    return _training_set(keys, found)


def own_examples(reader: EvidenceReader, keys: Sequence[str]) -> TrainingSet:
    """The representative questions of the domain data, each judged by all others.

    They are short, plain and often without a keyword, as the labelled questions are not; without them the fit learns that
    a question without a keyword is not for the service.
    """
    return _training_set(keys, [(frozenset({label}), evidence) for label, evidence in reader.held_out_examples()])


def fit(data: TrainingSet, own: TrainingSet, parameters: FitParameters = DEFAULT_PARAMETERS) -> RoutingCalibration:
    """L2-regularised logistic regressions (Newton's method) on standardised features, given back on the raw scale."""
    inside, own_inside = data.relevant, own.relevant
    domain = np.concatenate([_with_domain(data.domain[inside]), _with_domain(own.domain[own_inside])])
    labels = np.concatenate([data.labels[inside], own.labels[own_inside]])
    size, width = labels.shape[1], data.domain.shape[2]
    weights, intercept = logistic_regression(
        domain.reshape(-1, width + size),
        labels.reshape(-1),
        np.repeat(_shares(int(inside.sum()), int(own_inside.sum())), size),
        _DOMAIN_L2,
    )
    scope_weights, scope_intercept = logistic_regression(
        np.concatenate([data.scope, own.scope]),
        np.concatenate([inside, own_inside]).astype(float),
        _shares(len(inside), len(own_inside)),
        _SCOPE_L2,
    )
    return RoutingCalibration(
        scope=LinearModel.of(SCOPE_FEATURES, scope_weights, scope_intercept, parameters.scope_threshold),
        domain=LinearModel.of(DOMAIN_FEATURES, weights[:width], intercept, parameters.domain_threshold),
        domain_bias=LinearModel.of(data.keys, weights[width:]).weights,
    )


def cross_validate(data: TrainingSet, own: TrainingSet, examples: Sequence[RoutingExample]) -> RoutingScores:
    """The scores on questions that were held out of the fit, over five repeats of five folds.

    Only the fit is held out: keywords and examples of the domain data stay. Stock phrases do not take part.
    """
    asked: list[RoutingExample] = []
    predictions: list[RoutingPrediction] = []
    everything = np.arange(len(examples))
    for held_out in folds(len(examples)):
        model = RoutingModel(fit(data.subset(np.setdiff1d(everything, held_out)), own), data.keys)
        for row in held_out:
            relevant = model.is_relevant(data.scope[row])
            domains = model.choose(model.scores(data.domain[row])) if relevant else ()
            asked.append(examples[row])
            predictions.append(RoutingPrediction(examples[row].id, domains, ""))
    return score(asked, predictions)


def folds(count: int) -> list[NDArray[np.int64]]:
    """Held-out row numbers, five folds five times over, the same on every run."""
    held_out = []
    for seed in range(_REPEATS):
        order = np.random.default_rng(seed).permutation(count)
        held_out += [order[start::FOLDS] for start in range(FOLDS)]
    return held_out


def _training_set(keys: Sequence[str], found: Sequence[tuple[frozenset[str], QuestionEvidence]]) -> TrainingSet:
    return TrainingSet(
        keys=tuple(keys),
        domain=np.array([evidence.domain_features for _, evidence in found]),
        scope=np.array([evidence.scope_features for _, evidence in found]),
        labels=np.array([[float(key in labels) for key in keys] for labels, _ in found]),
    )


def _with_domain(features: Matrix) -> Matrix:
    """The features of each (question, domain) with the domain itself as indicator columns, for an intercept of its own."""
    count, size, _ = features.shape
    return np.concatenate([features, np.broadcast_to(np.eye(size), (count, size, size))], axis=2)


def _shares(count: int, own_count: int) -> Matrix:
    return np.concatenate([np.ones(count), np.full(own_count, _OWN_WEIGHT)])
