"""Batches of questions and the passages that answer them, drawn from a corpus."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluation.training.encoder.bags import Bags, Batch, Numbers, Windows
from evaluation.training.encoder.corpus import Corpus

_DROPOUT = 0.3  # share of a question's terms that are left out, so that no single one has to do all the work
_WITH_NAME = 0.6  # share of the title batches whose questions name the statute beside the heading
_AS_TITLE = 0.5  # share of the clause batches whose passages are the titles instead of the articles
_CLAUSE = (6, 24)  # terms of a clause

SHARES = {"citations": 4, "rulings": 2, "titles": 2, "clauses": 3}
"""Relative frequency of each source of a batch."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """Question and passage of one number belong together. ``same`` marks the others that may, shape ``(size, size)``."""

    question: Batch
    passage: Batch
    same: NDArray[np.bool_]


class PairSampler:
    """Draws batches; the same ones for the same seed."""

    def __init__(self, corpus: Corpus, size: int, seed: int) -> None:
        self._size = size
        self._random = np.random.default_rng(seed)
        self._articles, self._titles, self._headings, self._parts = (
            Bags(lists) for lists in (corpus.articles, corpus.titles, corpus.headings, corpus.parts)
        )
        self._clauses = Windows(corpus.articles)
        self._lengths, self._title_lengths = corpus.articles.lengths, corpus.titles.lengths
        self._citations, self._rulings = corpus.citations, corpus.rulings
        # An article cited a thousand times says little more than one cited thirty times.
        often = np.bincount(corpus.citations[:, 1])[corpus.citations[:, 1]]
        self._chances = np.cumsum(1.0 / np.sqrt(often))
        self._sources = {
            "citations": self._cited,
            "rulings": self._ruled,
            "titles": self._titled,
            "clauses": self._quoted,
        }
        self._shares = np.array([SHARES[name] for name in self._sources], dtype=float) / sum(SHARES.values())

    def draw(self) -> tuple[str, Pairs]:
        """The name of a source and a batch from it."""
        name = str(self._random.choice(list(self._sources), p=self._shares))
        return name, self._sources[name]()

    def _cited(self) -> Pairs:
        """Issue or holding → an article that the decision cites."""
        at = np.searchsorted(self._chances, self._random.random(self._size) * self._chances[-1])
        part, article, decision = self._citations[at].T
        return self._pairs(self._parts.take(part).distinct(), self._articles.take(article), article, decision)

    def _ruled(self) -> Pairs:
        """Issue → holding."""
        issue, holding, decision = self._rulings[self._random.integers(0, len(self._rulings), self._size)].T
        return self._pairs(self._parts.take(issue).distinct(), self._parts.take(holding), decision)

    def _titled(self) -> Pairs:
        """Heading, often with the statute's name → the article."""
        articles = self._some_articles()
        titles = self._titles if self._random.random() < _WITH_NAME else self._headings
        question = titles.take(articles).distinct()
        return self._pairs(question, self._articles.take(articles).without(question), articles)

    def _quoted(self) -> Pairs:
        """Some successive words of an article → its title, or the rest of it (inverse cloze; Lee, Chang, Toutanova 2019)."""
        articles = self._some_articles()
        lengths = self._lengths[articles]
        titles = np.minimum(self._title_lengths[articles], lengths)
        words = self._random.integers(*_CLAUSE, self._size)
        room = np.maximum(lengths - titles - words, 1)
        first = np.minimum(titles + (self._random.random(self._size) * room).astype(np.int64), lengths)
        question = self._clauses.take(articles, first, np.minimum(first + words, lengths))
        if self._random.random() < _AS_TITLE:
            return self._pairs(question, self._titles.take(articles), articles)
        return self._pairs(question, self._articles.take(articles).without(question), articles)

    def _some_articles(self) -> Numbers:
        return self._random.integers(0, len(self._lengths), self._size)

    def _pairs(self, question: Batch, passage: Batch, *labels: Numbers) -> Pairs:
        same = np.zeros((self._size, self._size), dtype=np.bool_)
        for label in labels:
            same |= label[:, None] == label[None, :]
        np.fill_diagonal(same, False)
        return Pairs(question.keep(self._random.random(len(question.row)) >= _DROPOUT), passage, same)
