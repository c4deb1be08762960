"""The ranking side of one opened collection: everything candidates are judged by, mapped from its files."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from utils.protocols import FloatMatrix
from vectorstores.errors import LexicalIndexUnavailable, unreadable_as
from vectorstores.ranking.features import CandidateEvidence, Gathered, QuestionTerms, candidate_features
from vectorstores.ranking.passages import PASSAGE_FEATURES, PassageTable
from vectorstores.storage.lexical import CONTEXTS_FOLDER, GROUPS_FOLDER, LexicalIndex
from vectorstores.storage.ragged import RaggedIds
from vectorstores.storage.vocabulary import Vocabulary

# Among so many times as many articles a guide is seldom found, however well it answers.
_CROWD = 10
# A question and its clauses are mostly held against the same candidates, in a small collection against all.
_KEPT_CANDIDATES = 4
# In the names of statutes of every subject.
_NAME_WORDS = ("법률", "법", "관하다", "시행령", "시행", "시행규칙", "규칙", "령", "규정", "특례", "특별법")


class CollectionRanking:
    """Reads only; every method may be called from any thread."""

    def __init__(
        self,
        directory: Path,
        vocabulary: Vocabulary,
        fields: Mapping[str, RaggedIds],
        lexical: LexicalIndex,
    ) -> None:
        """Map the files. Raises OSError, ValueError or `LexicalIndexUnavailable` where one is missing or does not fit."""
        self._vocabulary = vocabulary
        self._lexical = lexical
        self._texts = lru_cache(_KEPT_CANDIDATES)(partial(_gathered, fields))
        self._passages = PassageTable.open(directory)
        fits = (lexical.size, len(PASSAGE_FEATURES))
        if self._passages.features.shape != fits or self._passages.groups.shape != (lexical.size,):
            raise ValueError("the passage table does not fit the collection")
        self.group_of = self._passages.groups
        """The group of each chunk, shape ``(chunks,)``."""
        groups = int(self.group_of.max(initial=-1)) + 1
        self.groups = LexicalIndex(directory / GROUPS_FOLDER, groups, len(vocabulary))
        self.contexts = LexicalIndex(directory / CONTEXTS_FOLDER, lexical.size, len(vocabulary))
        self.boost = self._passages.boost()
        guides = self._passages.guides()
        self.guides_if_few = tuple(guides.tolist()) if len(guides) * _CROWD <= lexical.size else ()
        """The chunks that are no statute articles where these crowd them out, rising; else none."""
        frequencies = lexical.document_frequencies
        idf = np.log1p((lexical.size - frequencies + 0.5) / (frequencies + 0.5))
        self._idf: NDArray[np.float32] = np.maximum(idf, 0).astype(np.float32)
        self._name_idf = self._idf.copy()
        self._name_idf[vocabulary.ids_of(_NAME_WORDS)] = 0.0

    def frequent_terms(self, at_least: int) -> list[str]:
        """The terms that occur in ``at_least`` chunks or more."""
        frequent = np.flatnonzero(self._lexical.document_frequencies >= at_least)
        return self._vocabulary.strings(frequent.astype(np.int32))

    def rarity_within(self, terms: Sequence[str], within: NDArray[np.int64]) -> list[float]:
        """Return the rarity in BM25 of each term among the chunks ``within``, against that among all."""
        marked = np.zeros(self._lexical.size, dtype=np.bool_)
        marked[within] = True
        ratios = []
        for term in terms:
            term_id = self._vocabulary.id_of(term)
            frequency = 0 if term_id is None else self._lexical.document_frequency_within(term_id, marked)
            rarity = math.log1p((len(within) - frequency + 0.5) / (frequency + 0.5))
            ratios.append(rarity / float(self._idf[term_id]) if frequency and self._idf[term_id] else 1.0)
        return ratios

    def question(self, terms: Sequence[str], weights: Sequence[float]) -> QuestionTerms:
        """The terms that the collection knows, each once, with what they weigh."""
        known = {
            term_id: weight
            for term, weight in zip(terms, weights, strict=True)
            if weight > 0 and (term_id := self._vocabulary.id_of(term)) is not None
        }
        ids = np.fromiter(known, dtype=np.int64, count=len(known))
        return QuestionTerms(ids, self._idf[ids] * np.fromiter(known.values(), dtype=np.float32, count=len(known)))

    def group_scores(self, terms: Sequence[str], weights: Sequence[float]) -> NDArray[np.float32]:
        """BM25 of the group of each chunk, shape ``(chunks,)``."""
        by_chunk: NDArray[np.float32] = self._scores(self.groups, terms, weights)[self.group_of]
        return by_chunk

    def context_scores(self, terms: Sequence[str], weights: Sequence[float]) -> NDArray[np.float32]:
        """BM25 of what others say of each chunk's article, shape ``(chunks,)``."""
        return self._scores(self.contexts, terms, weights)

    def _scores(self, index: LexicalIndex, terms: Sequence[str], weights: Sequence[float]) -> NDArray[np.float32]:
        known = [
            (term_id, weight)
            for term, weight in zip(terms, weights, strict=True)
            if (term_id := self._vocabulary.id_of(term)) is not None
        ]
        return index.scores([term_id for term_id, _ in known], [weight for _, weight in known])

    def group_members(self, ordinal: int) -> NDArray[np.int64]:
        """The chunks of the group that a chunk belongs to, itself included, rising."""
        return np.flatnonzero(self.group_of == self.group_of[ordinal])

    def features(
        self,
        question: QuestionTerms,
        ordinals: NDArray[np.int64],
        *,
        lexical: NDArray[np.float32],
        group: NDArray[np.float32],
        context: NDArray[np.float32],
        cosine: NDArray[np.float32],
    ) -> FloatMatrix:
        """The features of the chunks ``ordinals``, whose scores are given in that order.

        Raises `LexicalIndexUnavailable` where a file turns out to be damaged.
        """
        with unreadable_as(LexicalIndexUnavailable, "용어 파일을 읽을 수 없습니다."):
            body, heading, name = self._texts(ordinals.astype(np.int64, copy=False).tobytes())
            evidence = CandidateEvidence(
                lexical=lexical,
                group=group,
                context=context,
                cosine=cosine,
                body=body,
                heading=heading,
                name=name,
                idf=self._idf,
                name_idf=self._name_idf,
                passages=self._passages.features[ordinals],
            )
            return candidate_features(question, evidence)


def _gathered(fields: Mapping[str, RaggedIds], ordinals: bytes) -> tuple[Gathered, Gathered, Gathered]:
    """The terms of body, heading and name of chunks, whose ordinals are given as the bytes of their array."""
    indexes = np.frombuffer(ordinals, dtype=np.int64)
    body, heading, name = (
        Gathered(*fields[field].gather(indexes), len(indexes)) for field in ("body", "heading", "name")
    )
    return body, heading, name
