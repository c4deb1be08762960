"""The fitted weights of routing: two small logistic regressions over named features.

They are fitted on labelled questions (``python -m evaluation calibrate-routing``), not set by hand, and live in a file so
that a change shows in a diff. The features are already calibrated per embedder (see `example_classifier`), so one entry
serves all; an embedder family may have its own.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from utils.domain_pack import DomainDataError
from utils.routing_evidence import DOMAIN_FEATURES, SCOPE_FEATURES

DEFAULT_FAMILY = "default"

Vector = NDArray[np.float64]


class LogisticWeights(BaseModel):
    """``p = sigmoid(intercept + Σ weight · feature)``; the best threshold on p for a yes."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    weights: dict[str, float]
    intercept: float
    threshold: float = Field(gt=0.0, lt=1.0)

    def vector(self, names: Sequence[str]) -> Vector:
        """The weights in the order of ``names``. Raises ``DomainDataError`` when they are not the same names."""
        if set(names) != set(self.weights):
            raise DomainDataError(
                f"routing calibration: expected features {sorted(names)}, found {sorted(self.weights)}; "
                "run python -m evaluation calibrate-routing"
            )
        return np.array([self.weights[name] for name in names])


class RoutingCalibration(BaseModel):
    """``scope`` decides whether a question is for the service at all, ``domain`` whether it belongs to a domain.

    ``domain_bias`` shifts the intercept of a domain; a domain that was not in the fit has none.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    scope: LogisticWeights
    domain: LogisticWeights
    domain_bias: dict[str, float] = Field(default_factory=dict)


class RoutingModel:
    """The calibration applied to the features of one question, for domains in the order of ``keys``."""

    def __init__(self, calibration: RoutingCalibration, keys: Sequence[str]) -> None:
        self._calibration = calibration
        self._keys = tuple(keys)
        self._scope = calibration.scope.vector(SCOPE_FEATURES)
        self._domain = calibration.domain.vector(DOMAIN_FEATURES)
        self._intercepts = np.array(
            [calibration.domain.intercept + calibration.domain_bias.get(key, 0.0) for key in keys]
        )

    def relevance(self, scope_features: Vector) -> float:
        """Probability that the question is for this service."""
        return float(_sigmoid(np.asarray(self._calibration.scope.intercept + scope_features @ self._scope)))

    def is_relevant(self, scope_features: Vector) -> bool:
        """Whether to answer: probably for the service, or with a sure keyword and no cue against it."""
        found = dict(zip(SCOPE_FEATURES, scope_features.tolist(), strict=True))
        undisputed = found["has_keyword"] > 0 and found["cues"] == 0
        return undisputed or self.relevance(scope_features) >= self._calibration.scope.threshold

    def scores(self, domain_features: NDArray[np.float64]) -> dict[str, float]:
        """Probability of each domain, given that the question is for the service."""
        values = _sigmoid(self._intercepts + domain_features @ self._domain)
        return dict(zip(self._keys, values.tolist(), strict=True))

    def choose(self, scores: Mapping[str, float]) -> tuple[str, ...]:
        """The best domain and every other above the threshold, best first."""
        best, *others = sorted(scores, key=lambda key: -scores[key])
        return (best, *(key for key in others if scores[key] >= self._calibration.domain.threshold))


def load_calibration(path: Path, embedder_id: str) -> RoutingCalibration:
    """The entry of the embedder's family (its id up to the first ``-``), or the default one.

    Raises ``DomainDataError`` naming the file when it cannot be read or has no usable entry.
    """
    try:
        families: Mapping[str, object] = json.loads(path.read_text(encoding="utf-8"))
        family = embedder_id.split("-")[0]
        return RoutingCalibration.model_validate(families[family if family in families else DEFAULT_FAMILY])
    except (OSError, json.JSONDecodeError, KeyError, ValidationError) as error:
        raise DomainDataError(f"{path}: {error}") from error


def _sigmoid(values: Vector) -> Vector:
    return np.asarray(1.0 / (1.0 + np.exp(-values)))
