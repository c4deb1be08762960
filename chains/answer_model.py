"""The learned side of the extractive answer: which sentence answers, and whether any does.

Two linear models over the features of `chains.sentence_features`. Their weights are data
(``data/extractive/weights.json``), learned by ``python -m evaluation train-answers`` from questions written for this
project; docs/decisions says how well they do on questions kept apart.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np
from pydantic import BaseModel

from chains.sentence_features import ANSWER_FEATURES, SENTENCE_FEATURES, Vector
from utils.config.settings import PROJECT_ROOT
from utils.word_rarity import RARITY_FILE, WordRarity

WEIGHTS_FILE = PROJECT_ROOT / "data" / "extractive" / "weights.json"


class _Learned(BaseModel):
    """What of the file the writer uses; the rest says how it was learned."""

    sentence: dict[str, float]
    answer: dict[str, float]
    bias: float
    answered_from: float


@dataclass(frozen=True)
class AnswerModel:
    """``sentence`` scores candidates: differences are log odds between sentences of one question.

    ``answer`` and ``bias`` give the log odds that the best sentence answers; from the probability ``answered_from`` on it
    is said. ``rarity`` weighs the words that features count.
    """

    sentence: Vector
    answer: Vector
    bias: float
    answered_from: float
    rarity: WordRarity

    @classmethod
    def load(cls, path: Path = WEIGHTS_FILE, rarity_path: Path = RARITY_FILE) -> Self:
        """Read the weights.

        Raises:
            OSError: the file cannot be read.
            ValueError: it names other features than there are, or is not of the expected form.
        """
        learned = _Learned.model_validate_json(path.read_bytes())
        return cls(
            _weights(learned.sentence, SENTENCE_FEATURES, path),
            _weights(learned.answer, ANSWER_FEATURES, path),
            learned.bias,
            learned.answered_from,
            WordRarity.load(rarity_path),
        )

    def sentence_scores(self, features: Vector) -> Vector:
        """The score of each candidate, shape ``(len(features),)``."""
        scores: Vector = features @ self.sentence
        return scores

    def answer_probability(self, features: Vector) -> float:
        """The probability that the documents answer, from `answer_features`."""
        return 1 / (1 + math.exp(-float(features @ self.answer) - self.bias))


def _weights(named: Mapping[str, float], features: Sequence[str], path: Path) -> Vector:
    if named.keys() != set(features):
        raise ValueError(f"{path}: features are {sorted(named)}, not {sorted(features)}")
    return np.array([named[name] for name in features], dtype=np.float32)
