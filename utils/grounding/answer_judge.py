"""The judge of answers: the probability that what was asked is answered, learned from graded answers and from answers spoilt on purpose.

Three logistic models, one for each way an answer treats a thing asked: it says answer units, it says documents without units, or
it says that the documents do not tell. Their weights are data (``data/evaluation/answer_judge.json``), learned by
``python -m evaluation train-evaluator``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Self

from utils.config.settings import PROJECT_ROOT
from utils.linear_models import LearnedWeights, LearnedWith, LinearModel, WeightsFile


class Treatment(StrEnum):
    """The ways in which an answer treats a thing asked; each has a model of its own."""

    UNITS = "units"
    TEXT = "text"
    SILENCE = "silence"


UNIT_FEATURES = (
    "margin",  # log odds by which the best said unit leads the best one of another document; below 0 where it is behind
    "margin_in_document",  # … the best other unit of its own document
    "first_behind",  # log odds by which the first sentence's unit is behind the best of all; sibling cases are far behind
    "stray",  # … that the unit of any sentence is behind for each of the things asked
    "aspect",  # log odds of the best said unit's aspect, given the small words of the ask
    "only_phrased",  # share of the ask, by rarity, that the said units have in phrasings alone: it was foreseen, not just its topic
    "pairs_missing",  # share of the ask's pairs of syllables, by rarity, that no sentence has
    "kind_missing",  # a date, sum, rate or count, or what comes of failing, is asked for, and no sentence has it
    "verdict_against",  # the opposite of the yes or no that the unit gives leads
    "verdict_missing",  # none leads, though the unit gives one
)
TEXT_FEATURES = (
    "relevance",  # of the best document cited
    "title",  # share of the ask's terms in its title
    "pairs_missing",  # as above
    "kind_missing",
)
SILENCE_FEATURES = (
    "odds",  # log odds that the best unit answers
    "nearest",  # likeness of the ask to the nearest phrasing of it
)
FEATURES: Mapping[Treatment, tuple[str, ...]] = {
    Treatment.UNITS: UNIT_FEATURES,
    Treatment.TEXT: TEXT_FEATURES,
    Treatment.SILENCE: SILENCE_FEATURES,
}
ANSWER_JUDGE = WeightsFile(
    PROJECT_ROOT / "data" / "evaluation" / "answer_judge.json",
    "train-evaluator",
    {treatment.value: FEATURES[treatment] for treatment in Treatment},
)

ENOUGH = 0.5
"""The grade from which a thing asked counts as answered."""

# Where nothing learned can be used: round weights under which only what shares next to nothing with the question fails.
_PLAIN = {
    Treatment.UNITS: LinearModel.of(UNIT_FEATURES, [0.0, 0.0, -0.5, 0.0, 0.0, 0.0, -5.0, -0.5, -5.0, -1.0], 5.0, 0.5),
    Treatment.TEXT: LinearModel.of(TEXT_FEATURES, [4.0, 4.0, -4.0, 0.0], 0.0, 0.4),
    Treatment.SILENCE: LinearModel.of(SILENCE_FEATURES, [-1.0, 0.0], 0.0, 0.5),
}


@dataclass(frozen=True, slots=True)
class AskFinding:
    """The evidence of an answer to a thing asked: ``values`` are the features of its ``treatment``, in their order."""

    treatment: Treatment
    values: tuple[float, ...]


@dataclass(frozen=True)
class AnswerJudge:
    """Grades what is said to a thing asked."""

    models: Mapping[Treatment, LinearModel]

    @classmethod
    def load(cls, path: Path | None = None, in_effect: LearnedWith | None = None) -> Self:
        """Read what was learned, or the file at ``path``.

        Raises:
            utils.linear_models.WeightsRefused: it cannot be used, or not with what is ``in_effect`` (None: not asked).
        """
        found = LearnedWeights.read(ANSWER_JUDGE.chosen(path, in_effect), in_effect)
        return cls({treatment: found.models[treatment.value] for treatment in Treatment})

    @classmethod
    def plain(cls) -> Self:
        """Return what stands in for weights that were refused: round ones, not fitted to anything."""
        return cls(_PLAIN)

    def probability(self, finding: AskFinding) -> float:
        """The probability that it is as it should be: the answer answers, or the silence is right."""
        model = self.models[finding.treatment]
        names = FEATURES[finding.treatment]
        odds = model.intercept + sum(
            model.weights[name] * value for name, value in zip(names, finding.values, strict=True)
        )
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, odds))))

    def grade(self, finding: AskFinding) -> float:
        """The probability on one scale for all treatments, in [0, 1]: `ENOUGH` where the model says yes from."""
        probability, limit = self.probability(finding), self.models[finding.treatment].yes_from
        if probability < limit:
            return ENOUGH * probability / limit
        return ENOUGH + (1 - ENOUGH) * (probability - limit) / (1 - limit)
