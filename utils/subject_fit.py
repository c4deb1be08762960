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

from pydantic import BaseModel

from utils.config.settings import PROJECT_ROOT
from utils.coverage import QuestionTerm, coverage
from utils.word_rarity import WordRarity, squeezed, syllable_pairs

FIT_FILE = PROJECT_ROOT / "data" / "evaluation" / "subject_fit.json"
FIT_FEATURES = (
    "relevance",  # of the document
    "title",  # share of the question's terms in the title
    "statement",  # … in the title and the citing sentence
    "rare_statement",  # the same with each term weighing what it weighs over the knowledge base
    "title_pairs",  # share of the question's pairs of syllables in the title, weighted so
    "statement_pairs",  # … in the title or the citing sentence
)


@dataclass(frozen=True, slots=True)
class Statement:
    """A title, or a sentence of the answer: its text without citations, and its terms."""

    text: str
    terms: AbstractSet[str]


class _Learned(BaseModel):
    weights: dict[str, float]
    bias: float
    misfit: float
    fit: float


@dataclass(frozen=True)
class SubjectFit:
    """``misfit``: probability up to which a document is of another subject; ``fit``: from which it fits."""

    weights: tuple[float, ...]
    bias: float
    misfit: float
    fit: float
    rarity: WordRarity

    @classmethod
    def load(cls, path: Path = FIT_FILE) -> Self:
        """Read what was learned.

        Raises:
            OSError: the file cannot be read.
            ValueError: it names other features than there are, or is not of the expected form.
        """
        learned = _Learned.model_validate_json(path.read_bytes())
        if learned.weights.keys() != set(FIT_FEATURES):
            raise ValueError(f"{path}: features are {sorted(learned.weights)}, not {sorted(FIT_FEATURES)}")
        weights = tuple(learned.weights[name] for name in FIT_FEATURES)
        return cls(weights, learned.bias, learned.misfit, learned.fit, WordRarity.load())

    def features(
        self, asked: Sequence[QuestionTerm], question: str, relevance: float, title: Statement, said: Statement
    ) -> tuple[float, ...]:
        """The features in the order of ``FIT_FEATURES``; ``asked`` are the terms of ``question``."""
        both = title.terms | said.terms
        rare = [(self.rarity.of_term(term.term), term.match(both)) for term in asked]
        pairs = [(self.rarity.of_pair(pair), pair) for pair in syllable_pairs(squeezed(question))]
        in_title, in_said = squeezed(title.text), squeezed(said.text)
        return (
            relevance,
            coverage(asked, title.terms) if asked else 1.0,
            coverage(asked, both) if asked else 1.0,
            _share(rare),
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
