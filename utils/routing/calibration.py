"""The fitted weights of routing: two small logistic regressions over named features.

They are fitted on labelled questions (``python -m evaluation calibrate-routing``), not set by hand. The features are
calibrated by the example classifier, so their weights hold for the embedder that it was fitted with.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from utils.config.settings import PROJECT_ROOT
from utils.linear_models import LearnedWeights, LearnedWith, LinearModel, WeightsFile
from utils.routing.evidence import DOMAIN_FEATURES, SCOPE_FEATURES, FeatureVector

CALIBRATION = WeightsFile(
    PROJECT_ROOT / "data" / "domains" / "calibration.json",
    "calibrate-routing",
    {"scope": SCOPE_FEATURES, "domain": DOMAIN_FEATURES, "domain_bias": None},
)

# Where nothing learned can be used: keywords decide as they stand, examples help, and in doubt a question is for us.
_PLAIN_SCOPE = {"keywords": 1.0, "has_keyword": 2.0, "cues": -1.0, "casual": -1.0, "example_balance": 0.2}
_PLAIN_DOMAIN = {"asked_keywords": 1.0, "asked_clauses": 1.0, "told_keywords": 1.0, "example_clause": 0.2}
_PLAIN_DOMAIN_INTERCEPT = -1.0


@dataclass(frozen=True)
class RoutingCalibration:
    """``scope`` decides whether a question is for the service at all, ``domain`` whether it belongs to a domain.

    ``domain_bias`` shifts the intercept of a domain; one that was not in the fit has ``default_bias``. The fit shrinks the
    biases towards 0 and theirs sum to about that, so 0 makes of a new domain one like the others: its keywords and example
    questions decide (docs/decisions/0026-a-domain-is-its-pack.md). Biases of domains that are gone are not read.
    """

    scope: LinearModel
    domain: LinearModel
    domain_bias: Mapping[str, float] = field(default_factory=dict)
    default_bias: float = 0.0

    @classmethod
    def load(cls, path: Path | None = None, in_effect: LearnedWith | None = None) -> Self:
        """Read the shipped calibration, or that of ``path``.

        Raises:
            utils.linear_models.WeightsRefused: it cannot be used, or not with what is ``in_effect`` (None: not asked).
        """
        found = LearnedWeights.read(CALIBRATION.chosen(path, in_effect), in_effect)
        return cls(found.models["scope"], found.models["domain"], found.models["domain_bias"].weights)

    @classmethod
    def plain(cls) -> Self:
        """Return what stands in for weights that were refused: round numbers, not fitted to anything."""
        scope = LinearModel.of(SCOPE_FEATURES, [_PLAIN_SCOPE.get(name, 0.0) for name in SCOPE_FEATURES], threshold=0.5)
        weights = [_PLAIN_DOMAIN.get(name, 0.0) for name in DOMAIN_FEATURES]
        return cls(scope, LinearModel.of(DOMAIN_FEATURES, weights, _PLAIN_DOMAIN_INTERCEPT, threshold=0.5))

    def models(self) -> dict[str, LinearModel]:
        """Return the models as the file names them."""
        return {"scope": self.scope, "domain": self.domain, "domain_bias": LinearModel(weights=dict(self.domain_bias))}


class RoutingModel:
    """The calibration applied to the features of one question, for domains in the order of ``keys``."""

    def __init__(self, calibration: RoutingCalibration, keys: Sequence[str]) -> None:
        self._calibration = calibration
        self._keys = tuple(keys)
        self._scope = calibration.scope.vector(SCOPE_FEATURES)
        self._domain = calibration.domain.vector(DOMAIN_FEATURES)
        self._intercepts = np.array(
            [calibration.domain.intercept + calibration.domain_bias.get(key, calibration.default_bias) for key in keys]
        )

    def relevance(self, scope_features: FeatureVector) -> float:
        """Return the probability that the question is for this service."""
        return float(_sigmoid(np.asarray(self._calibration.scope.intercept + scope_features @ self._scope)))

    def is_relevant(self, scope_features: FeatureVector) -> bool:
        """Decide whether to answer: probably for the service, or with a sure keyword and no cue against it."""
        found = dict(zip(SCOPE_FEATURES, scope_features.tolist(), strict=True))
        undisputed = found["has_keyword"] > 0 and found["cues"] == 0
        return undisputed or self.relevance(scope_features) >= self._calibration.scope.yes_from

    def scores(self, domain_features: NDArray[np.float64]) -> dict[str, float]:
        """Return the probability of each domain, given that the question is for the service."""
        values = _sigmoid(self._intercepts + domain_features @ self._domain)
        return dict(zip(self._keys, values.tolist(), strict=True))

    @property
    def thresholds(self) -> tuple[float, float]:
        """The probabilities from which a question is for the service, and from which a further domain is chosen."""
        return self._calibration.scope.yes_from, self._calibration.domain.yes_from

    def contributions(self, domain_features: NDArray[np.float64]) -> dict[str, dict[str, float]]:
        """Return by domain what each feature adds to its log odds; ``bias`` is what it has without any."""
        weighted = domain_features * self._domain
        return {
            key: {"bias": float(self._intercepts[row])}
            | dict(zip(DOMAIN_FEATURES, weighted[row].tolist(), strict=True))
            for row, key in enumerate(self._keys)
        }

    def choose(self, scores: Mapping[str, float]) -> tuple[str, ...]:
        """Choose the best domain and every other above the threshold, best first."""
        best, *others = sorted(scores, key=lambda key: -scores[key])
        return (best, *(key for key in others if scores[key] >= self._calibration.domain.yes_from))


def _sigmoid(values: FeatureVector) -> FeatureVector:
    return np.asarray(1.0 / (1.0 + np.exp(-values)))
