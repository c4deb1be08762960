"""BM25 of the chunks of a collection for one question, read from the mapped files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from vectorstores.ranking.lexical_side import LexicalSide
from vectorstores.storage.lexical import Ordinals, Scores, top_k

Ranked = tuple[Ordinals, Scores]
"""Chunks, best first, and of each the BM25 of its text times the factor for its kind of norm."""

Terms = tuple[Sequence[str], Sequence[float]]
"""The terms of a question, and how much each counts."""

_OFF_SUBJECT = np.float32(0.5)
"""The worth of a text's score in a group with no word of the question; in the best group it is worth one more."""


@dataclass(frozen=True, slots=True)
class ChunkScores:
    """BM25 of some chunks, a value a chunk: of their text, of their group and of what others say of them."""

    text: Scores
    group: Scores
    context: Scores


class QuestionScores(Protocol):
    """BM25 of a question, wherever it is computed. Every method raises `LexicalIndexUnavailable`."""

    def best(self, k: int, within: Ordinals | None = None) -> Ranked:
        """Return the ``k`` best chunks; ``within`` leaves out all others."""

    def on_subject(self, k: int, within: Ordinals | None = None) -> Ranked:
        """Return the ``k`` best where the score of a chunk's group, its whole act or document, counts as well."""

    def said_by_others(self, k: int, within: Ordinals | None = None) -> Ranked:
        """Return the ``k`` chunks that others say most of, in the question's words."""

    def of(self, ordinals: Ordinals) -> ChunkScores:
        """Return the scores of some chunks."""


class MappedScores:
    """Scores all chunks from the files of the collection, when first asked."""

    def __init__(self, side: LexicalSide, terms: Sequence[str], weights: Sequence[float]) -> None:
        self._side = side
        self._asked = (terms, weights)

    @cached_property
    def _text(self) -> Scores:
        return self._side.scores(*self._asked)

    @cached_property
    def _boosted(self) -> Scores:
        return self._text * self._side.ranking.boost

    @cached_property
    def _group(self) -> Scores:
        return self._side.ranking.group_scores(*self._asked)

    @cached_property
    def _context(self) -> Scores:
        return self._side.ranking.context_scores(*self._asked)

    def best(self, k: int, within: Ordinals | None = None) -> Ranked:
        return self._best(self._boosted, k, within)

    def on_subject(self, k: int, within: Ordinals | None = None) -> Ranked:
        return self._best(with_subject(self._boosted, self._group, self._group.max(initial=0.0)), k, within)

    def said_by_others(self, k: int, within: Ordinals | None = None) -> Ranked:
        return self._best(self._context * self._side.ranking.boost, k, within)

    def of(self, ordinals: Ordinals) -> ChunkScores:
        return ChunkScores(self._text[ordinals], self._group[ordinals], self._context[ordinals])

    def _best(self, scores: Scores, k: int, within: Ordinals | None) -> Ranked:
        if within is None:
            best, _ = top_k(scores, k)
        else:
            best = within[top_k(scores[within], k)[0]]
        return best, self._boosted[best]


def with_subject(text: Scores, group: Scores, best_group: float) -> Scores:
    """Scores of texts weighed by those of their groups, of which ``best_group`` is the best of all."""
    weighed: Scores = text * (_OFF_SUBJECT + group / np.float32(best_group or 1.0))
    return weighed


MOST_WITH_SUBJECT = float(_OFF_SUBJECT) + 1.0
"""The most that `with_subject` multiplies a score with."""
