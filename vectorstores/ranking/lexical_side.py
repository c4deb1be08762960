"""The lexical side of one opened collection: its terms, their BM25, and what candidates are judged by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from vectorstores.errors import LexicalIndexUnavailable, unreadable_as
from vectorstores.ranking.collection import CollectionRanking
from vectorstores.storage.files import FIELDS, STARTS
from vectorstores.storage.lexical import BM25_FOLDER, LexicalIndex, Scores
from vectorstores.storage.ragged import RaggedIds
from vectorstores.storage.stored_terms import StoredTerms
from vectorstores.storage.unit_table import UnitTable
from vectorstores.storage.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class LexicalSide:
    """Reads only, from mapped files; every method may be called from any thread. ``fields`` are the terms of each chunk."""

    vocabulary: Vocabulary
    fields: dict[str, RaggedIds]
    stored_terms: StoredTerms
    lexical: LexicalIndex
    ranking: CollectionRanking
    units: UnitTable | None

    @classmethod
    def open(cls, directory: Path, chunks: int) -> Self:
        """Map the files of a collection of so many ``chunks``. Raises `LexicalIndexUnavailable`."""
        with unreadable_as(LexicalIndexUnavailable, "용어 파일을 열 수 없습니다."):
            vocabulary = Vocabulary.open(directory)
            fields = {field: RaggedIds.open(directory, field) for field in FIELDS}
            stored_terms = StoredTerms(vocabulary, fields, RaggedIds.open(directory, STARTS), chunks)
            lexical = LexicalIndex(directory / BM25_FOLDER, chunks, len(vocabulary))
            ranking = CollectionRanking(directory, vocabulary, fields, lexical)
            return cls(vocabulary, fields, stored_terms, lexical, ranking, UnitTable.open(directory))

    def scores(self, terms: Sequence[str], weights: Sequence[float] | None) -> Scores:
        """BM25 of every chunk; see `CollectionIndex.bm25_scores`."""
        known = [
            (term_id, 1.0 if weights is None else weights[number])
            for number, term in enumerate(terms)
            if (term_id := self.vocabulary.id_of(term)) is not None
        ]
        return self.lexical.scores([term_id for term_id, _ in known], [weight for _, weight in known])

    def document_frequency(self, term: str) -> int:
        """In how many chunks a term occurs; 0 when unknown."""
        term_id = self.vocabulary.id_of(term)
        return 0 if term_id is None else self.lexical.document_frequency(term_id)
