"""The learned side of the extractive answer: which sentence answers, and whether any does.

Two linear models over the features of `chains.extractive.sentence_features`. Their weights are data
(``data/extractive/weights.json``), learned by ``python -m evaluation train-answers`` from questions written for this
project; docs/decisions says how well they do on questions kept apart.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np

from chains.extractive.sentence_features import ANSWER_FEATURES, SENTENCE_FEATURES, Vector
from utils.config.settings import PROJECT_ROOT
from utils.korean.word_rarity import WordRarity
from utils.linear_models import LearnedWeights, LearnedWith, LinearModel, WeightsFile

ANSWER_WEIGHTS = WeightsFile(
    PROJECT_ROOT / "data" / "extractive" / "weights.json",
    "train-answers",
    {"sentence": SENTENCE_FEATURES, "answer": ANSWER_FEATURES},
)

# Where nothing learned can be used: each of what speaks for a sentence weighs the same, in the log odds of `select`, and the
# mean of them says whether it is an answer.
_SPEAKS_FOR = frozenset({"with_title", "cosine", "title_cosine", "relevance", "rank", "intent", "precision", "pairs"})
_PLAIN_SENTENCE = 3.0
_PLAIN_ANSWER = 1.0
_PLAIN_ANSWER_INTERCEPT = -3.0


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
    def load(cls, path: Path | None = None, in_effect: LearnedWith | None = None) -> Self:
        """Read the shipped weights, or those of ``path``.

        Raises:
            utils.linear_models.WeightsRefused: they cannot be used, or not with what is ``in_effect`` (None: not asked).
        """
        found = LearnedWeights.read(ANSWER_WEIGHTS.chosen(path, in_effect), in_effect)
        return cls.of(found.models["sentence"], found.models["answer"])

    @classmethod
    def plain(cls) -> Self:
        """Return what stands in for weights that were refused: equal weights, not fitted to anything."""
        sentence = [_PLAIN_SENTENCE * (name in _SPEAKS_FOR) for name in SENTENCE_FEATURES]
        answer = [_PLAIN_ANSWER * (name in _SPEAKS_FOR) for name in ANSWER_FEATURES]
        return cls.of(
            LinearModel.of(SENTENCE_FEATURES, sentence),
            LinearModel.of(ANSWER_FEATURES, answer, _PLAIN_ANSWER_INTERCEPT),
        )

    @classmethod
    def of(cls, sentence: LinearModel, answer: LinearModel, rarity: WordRarity | None = None) -> Self:
        """Return the model of two linear ones; ``rarity`` is the shipped one where none is given."""
        return cls(
            sentence.vector(SENTENCE_FEATURES).astype(np.float32),
            answer.vector(ANSWER_FEATURES).astype(np.float32),
            answer.intercept,
            answer.yes_from,
            rarity or WordRarity.load(),
        )

    def sentence_scores(self, features: Vector) -> Vector:
        """Return the score of each candidate, shape ``(len(features),)``."""
        scores: Vector = features @ self.sentence
        return scores

    def answer_probability(self, features: Vector) -> float:
        """Return the probability that the documents answer, from `answer_features`."""
        return 1 / (1 + math.exp(-float(features @ self.answer) - self.bias))
