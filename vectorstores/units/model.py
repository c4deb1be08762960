"""The learned side of choosing units: which one answers best, and whether it answers at all.

Two linear models over the features of `vectorstores.units.catalogue`, learned by ``python -m evaluation train-units``.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from utils.config.settings import PROJECT_ROOT
from utils.linear_models import LearnedWeights, LearnedWith, LinearModel, WeightsFile
from vectorstores.units.aspects import AspectCues

READING_FEATURES = (
    "phrasing",
    "phrasing_coverage",
    "text_coverage",
    "phrasings_cosine",
    "document",
    "aspect",
    "in_unit",
    "in_document",
    "likelihood",
    "pairs",
    "pairs_coverage",
)
"""Of a unit beside one reading of a question: dice overlap with its nearest phrasing and share of the question in one; share of the
question in its text; mean cosine of its three nearest phrasings; the best phrasing of its whole document; log odds of its aspect;
share of the question in any of its texts, and of its document's; log likelihood ratio of the question's words among its texts; overlap
in pairs of letters with its nearest phrasing, and share of the question's pairs in one."""

ORDER_FEATURES = (
    *(f"clause_{name}" for name in READING_FEATURES),
    *(f"story_{name}" for name in READING_FEATURES),
    "in_domain",
    "document_rank",
)
"""Of a unit beside a question: `READING_FEATURES` of the clause that asks, and of the whole question; whether the question is of its
domain; reciprocal rank of its document among those found."""

COSINES = ("clause_phrasings_cosine", "story_phrasings_cosine")

ANSWER_FEATURES = (
    "score",
    "in_domain",
    "document_rank",
    "rarest_missing",
    "missing",
    "missing_in_document",
    "words",
    "agreement",
    *COSINES,
)
"""Of the best unit: its score by the learned order; the rarity of the rarest word of the question that it nowhere has; the share
of such words, and of those that its document nowhere has; how many words the question has, as log(1 + n), for a long story always
has some that no unit has; how many of the `AGREEING` best units are of its document, as a share; its mean cosines
with the clause and with the whole question, as in the order."""

AGREEING = 5
"""So many units show whether the best ones are of one document."""

UNIT_WEIGHTS = WeightsFile(
    PROJECT_ROOT / "data" / "units" / "weights.json",
    "train-units",
    {"order": ORDER_FEATURES, "answer": ANSWER_FEATURES},
)
_PLAIN = 3.0
_PLAIN_INTERCEPT = -6.0

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class UnitModel:
    """``order`` scores units: differences are log odds between units of one question. ``answer`` and ``bias`` give the log odds
    that the best one answers; from the probability ``answers_from`` on it is said."""

    order: Floats
    answer: Floats
    bias: float
    answers_from: float
    aspects: AspectCues

    @classmethod
    def load(cls, path: Path | None = None, in_effect: LearnedWith | None = None) -> Self:
        """Read the shipped weights, or those of ``path``.

        Raises:
            utils.linear_models.WeightsRefused: they cannot be used, or not with what is ``in_effect`` (None: not asked).
        """
        file = UNIT_WEIGHTS.chosen(path, in_effect)
        found = LearnedWeights.read(file, in_effect)
        try:
            aspects = AspectCues.load()
        except (OSError, ValueError, LookupError) as error:
            raise file.refused(error) from error
        return cls.of(found.models["order"], found.models["answer"], aspects)

    @classmethod
    def plain(cls) -> Self:
        """Return what stands in for weights that were refused: round weights, and no aspects."""
        weigh = {f"story_{name}": _PLAIN for name in ("phrasing", "phrasings_cosine", "document")} | {
            "document_rank": 1.0
        }
        order = [weigh.get(name, 0.0) for name in ORDER_FEATURES]
        answer = [{"score": 1.0, "missing_in_document": -_PLAIN}.get(name, 0.0) for name in ANSWER_FEATURES]
        return cls.of(
            LinearModel.of(ORDER_FEATURES, order),
            LinearModel.of(ANSWER_FEATURES, answer, _PLAIN_INTERCEPT),
            AspectCues({}),
        )

    @classmethod
    def of(cls, order: LinearModel, answer: LinearModel, aspects: AspectCues) -> Self:
        """Return the model of two linear ones."""
        return cls(
            order.vector(ORDER_FEATURES), answer.vector(ANSWER_FEATURES), answer.intercept, answer.yes_from, aspects
        )

    def scores(self, features: Floats) -> Floats:
        """The score of each unit, shape ``(units,)``, from its features, shape ``(units, len(ORDER_FEATURES))``."""
        result: Floats = features @ self.order
        return result

    def probabilities(self, features: Floats) -> Floats:
        """The probability that each unit answers, shape ``(units,)``, from features of shape ``(units, len(ANSWER_FEATURES))``."""
        result: Floats = 1 / (1 + np.exp(-(features @ self.answer) - self.bias))
        return result
