"""The learned yes or no of a unit to a question, or none where it is not sure.

Linear over `utils.conclusions.verdict_features`, learned by ``python -m evaluation train-verdicts`` from the judged phrasings of the base, each
hidden from its unit in turn, and from owners' questions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import exp
from pathlib import Path
from typing import Self

from utils.conclusions.verdict_features import Features, JudgedUnit, verdict_features
from utils.config.settings import PROJECT_ROOT
from utils.knowledge.yes_no_questions import QuestionReading
from utils.linear_models import LearnedWeights, LearnedWith, WeightsFile
from utils.prompts.messages import NO, YES

VERDICT_WEIGHTS = WeightsFile(PROJECT_ROOT / "data" / "units" / "verdicts.json", "train-verdicts", {"verdict": None})


@dataclass(frozen=True, slots=True)
class VerdictModel:
    """``said_from``: the probability of the likelier answer from which on it is said."""

    weights: Mapping[str, float]
    bias: float
    said_from: float

    @classmethod
    def load(cls, path: Path | None = None, in_effect: LearnedWith | None = None) -> Self:
        """Read the shipped weights, or those of ``path``.

        Raises:
            utils.linear_models.WeightsRefused: they cannot be used, or not with what is ``in_effect`` (None: not asked).
        """
        model = LearnedWeights.read(VERDICT_WEIGHTS.chosen(path, in_effect), in_effect).models["verdict"]
        return cls(model.weights, model.intercept, model.yes_from)

    @classmethod
    def plain(cls) -> Self:
        """Return what stands in for weights that were refused: it never says yes or no."""
        return cls({}, 0.0, 2.0)

    def verdict(self, question: QuestionReading, unit: JudgedUnit) -> bool | None:
        """The answer of ``unit``: True for yes, False for no, None where neither is sure enough or no yes or no is asked."""
        return self.of(features) if (features := verdict_features(question, unit)) else None

    def of(self, features: Features) -> bool | None:
        """As `verdict`, of the features of the two."""
        odds = self.bias + sum(self.weights.get(name, 0.0) * value for name, value in features.items())
        yes = 1 / (1 + exp(-odds))
        return yes > 0.5 if max(yes, 1 - yes) >= self.said_from else None


def led(sentence: str, verdict: bool) -> str:
    """``sentence``, the conclusion of a unit, led by the answer: 네, … or 아니요, …."""
    return f"{YES if verdict else NO}{sentence}"
