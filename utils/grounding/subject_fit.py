"""How likely a cited document is about what is asked, from what the rule evaluator sees of both.

A logistic regression; its weights are data (``data/evaluation/subject_fit.json``), learned by
``python -m evaluation train-evaluator`` from answers with the right documents and without them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from utils.config.settings import PROJECT_ROOT
from utils.korean.coverage import QuestionTerm, coverage
from utils.korean.word_rarity import WordRarity, squeezed, syllable_pairs
from utils.linear_models import LearnedWeights, LearnedWith, LinearModel, WeightsFile

FIT_FEATURES = (
    "relevance",  # of the document
    "title",  # share of the question's terms in the title
    "title_pairs",  # share of its pairs of syllables in the title, each weighing what it weighs over the knowledge base
    "statement_pairs",  # … in the title or the citing sentence
)


SUBJECT_FIT = WeightsFile(
    PROJECT_ROOT / "data" / "evaluation" / "subject_fit.json", "train-evaluator", {"fit": FIT_FEATURES}
)
_MARKS = ("misfit", "fit")

# Where nothing learned can be used: any share of the question in title and sentence speaks for a document, and only one that
# shares next to nothing is of another subject.
_PLAIN_WEIGHT, _PLAIN_INTERCEPT = 4.0, -3.7
_PLAIN_MISFIT, _PLAIN_FIT = 0.2, 0.6


@dataclass(frozen=True, slots=True)
class Statement:
    """A title, or a sentence of the answer: its text without citations, and its terms."""

    text: str
    terms: AbstractSet[str]


@dataclass(frozen=True)
class SubjectFit:
    """``misfit``: probability up to which a document is of another subject; ``fit``: from which it fits."""

    weights: tuple[float, ...]
    bias: float
    misfit: float
    fit: float
    rarity: WordRarity

    @classmethod
    def load(cls, path: Path | None = None, in_effect: LearnedWith | None = None) -> Self:
        """Read what was learned, or the file at ``path``.

        Raises:
            utils.linear_models.WeightsRefused: it cannot be used, or not with what is ``in_effect`` (None: not asked).
        """
        file = SUBJECT_FIT.chosen(path, in_effect)
        found = LearnedWeights.read(file, in_effect)
        if set(found.marks) != set(_MARKS) or not 0 < found.marks["misfit"] < found.marks["fit"] < 1:
            raise file.refused(f"marks: 0 < misfit < fit < 1이어야 하는데 {found.marks}입니다")
        return cls._of(found.models["fit"], found.marks["misfit"], found.marks["fit"])

    @classmethod
    def plain(cls) -> Self:
        """Return what stands in for weights that were refused: equal weights, not fitted to anything."""
        model = LinearModel.of(FIT_FEATURES, [_PLAIN_WEIGHT] * len(FIT_FEATURES), _PLAIN_INTERCEPT)
        return cls._of(model, _PLAIN_MISFIT, _PLAIN_FIT)

    @classmethod
    def _of(cls, model: LinearModel, misfit: float, fit: float) -> Self:
        return cls(tuple(model.vector(FIT_FEATURES).tolist()), model.intercept, misfit, fit, WordRarity.load())

    def features(
        self, asked: Sequence[QuestionTerm], question: str, relevance: float, title: Statement, said: Statement
    ) -> tuple[float, ...]:
        """The features in the order of ``FIT_FEATURES``; ``asked`` are the terms of ``question``."""
        pairs = [(self.rarity.of_pair(pair), pair) for pair in syllable_pairs(squeezed(question))]
        in_title, in_said = squeezed(title.text), squeezed(said.text)
        return (
            relevance,
            coverage(asked, title.terms) if asked else 1.0,
            _share([(weight, float(pair in in_title)) for weight, pair in pairs]),
            _share([(weight, float(pair in in_title or pair in in_said)) for weight, pair in pairs]),
        )

    def probability(self, features: Sequence[float]) -> float:
        """That the document is about what is asked."""
        odds = sum(weight * value for weight, value in zip(self.weights, features, strict=True)) + self.bias
        return 1 / (1 + math.exp(-odds))

    def grade(self, features: Sequence[float]) -> float:
        """0 for a document of another subject, 1 for one that fits, between them in between."""
        return min(1.0, max(0.0, (self.probability(features) - self.misfit) / (self.fit - self.misfit)))


def _share(weighted: Sequence[tuple[float, float]]) -> float:
    """The mean of values with their weights; 1 of nothing."""
    total = sum(weight for weight, _ in weighted)
    return sum(weight * value for weight, value in weighted) / total if total else 1.0
