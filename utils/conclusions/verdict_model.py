"""The learned yes or no of a unit to a question, or none where it is not sure.

Two models have to agree: what the phrasings of the unit that are likest the question say, and all that is known, the conclusion's force
and thresholds among it.

Linear over `utils.conclusions.verdict_features`, learned by ``python -m evaluation train-verdicts`` from the judged phrasings of the base, each
hidden from its unit in turn, and from owners' questions.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp
from pathlib import Path
from typing import Self

from utils.conclusions.verdict_features import VOTING, Features, JudgedUnit, verdict_features
from utils.conclusions.yes_no_questions import QuestionReading
from utils.config.settings import PROJECT_ROOT
from utils.linear_models import LearnedWeights, LearnedWith, LinearModel, WeightsFile
from utils.prompts.messages import NO, YES

_EVEN = 0.5
_SURELY = 0.9  # probability of a yes or no that may be said where the unit is not
_VOTED = 1.0  # log odds by the votes alone from which they agree surely
_NEVER = 1.0  # even odds are far from it

VERDICT_WEIGHTS = WeightsFile(
    PROJECT_ROOT / "data" / "units" / "verdicts.json", "train-verdicts", {"verdict": None, "votes": None}
)


@dataclass(frozen=True, slots=True)
class VerdictModel:
    """``verdict`` weighs all features, and is said from its probability ``yes_from`` on where the ``votes`` of the phrasings alone agree."""

    verdict: LinearModel
    votes: LinearModel

    @classmethod
    def load(cls, path: Path | None = None, in_effect: LearnedWith | None = None) -> Self:
        """Read the shipped weights, or those of ``path``.

        Raises:
            utils.linear_models.WeightsRefused: they cannot be used, or not with what is ``in_effect`` (None: not asked).
        """
        models = LearnedWeights.read(VERDICT_WEIGHTS.chosen(path, in_effect), in_effect).models
        return cls(models["verdict"], models["votes"])

    @classmethod
    def plain(cls) -> Self:
        """Return what stands in for weights that were refused: it never says yes or no."""
        return cls(LinearModel.of((), (), 0.0, _NEVER), LinearModel.of((), ()))

    def of_question(self, question: QuestionReading, unit: JudgedUnit, *, surely: bool = False) -> bool | None:
        """The answer of ``unit``: True for yes, False for no, None where neither is sure enough or no yes or no is asked.

        ``surely``: it takes more, since the unit may be another's case.
        """
        return self.of(features, surely=surely) if (features := verdict_features(question, unit)) else None

    def of(self, features: Features, *, surely: bool = False) -> bool | None:
        """As `of_question`, of the features of the two."""
        if not any(name.startswith(VOTING) for name in features):
            return None
        yes = 1 / (1 + exp(-_odds(self.verdict, features)))
        verdict = yes > _EVEN
        votes = _odds(self.votes, features) * (1 if verdict else -1)
        is_agreed = votes >= _VOTED if surely else votes > 0
        least = max(self.verdict.yes_from, _SURELY) if surely else self.verdict.yes_from
        return verdict if is_agreed and max(yes, 1 - yes) >= least else None


def _odds(model: LinearModel, features: Features) -> float:
    """Log odds of yes."""
    return model.intercept + sum(model.weights.get(name, 0.0) * value for name, value in features.items())


def led(sentence: str, verdict: bool) -> str:
    """``sentence``, the conclusion of a unit, led by the answer: 네, … or 아니요, …."""
    return f"{YES if verdict else NO}{sentence}"
