"""BM25 on disk: a `bm25s` index that is memory-mapped at query time and scored from term ids."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vectorstores.errors import LexicalIndexUnavailable
from vectorstores.ragged import RaggedIds

Ordinals = NDArray[np.int64]
Scores = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class LexicalSettings:
    """How chunks are scored. A boost is how often a field's terms are counted beside those of the text.

    A build records these values; an index built with others is built again by the next ingest.
    """

    method: str = "lucene"
    idf_method: str = "lucene"
    k1: float = 1.5
    b: float = 0.9
    heading_boost: int = 4
    name_boost: int = 2


LEXICAL_SETTINGS = LexicalSettings()
"""The one place of the lexical quality knobs; the evidence is in evaluation/baselines."""

_FIELD_BOOSTS = (("heading", "heading_boost"), ("name", "name_boost"))

# A group (an act with its decree and rule, or a document) is long by nature, so its length counts less than a chunk's.
_GROUP_B = 0.5


class BoostedTerms(Sequence[list[int]]):
    """Text and boosted fields of each chunk as one list of ids, made as it is read: bm25s goes over it several times."""

    def __init__(self, body: RaggedIds, boosted: Mapping[str, RaggedIds], settings: LexicalSettings) -> None:
        boosts = asdict(settings)
        self._fields = [(body, 1), *((boosted[name], int(boosts[boost])) for name, boost in _FIELD_BOOSTS)]

    def __len__(self) -> int:
        return len(self._fields[0][0])

    def __getitem__(self, index: int) -> list[int]:  # type: ignore[override]  # slices are not offered
        terms: list[int] = []
        for ids, times in self._fields:
            if times:
                terms.extend(ids[index].tolist() * times)
        return terms

    def __iter__(self) -> Iterator[list[int]]:
        return (self[index] for index in range(len(self)))


class GroupedTerms(Sequence[list[int]]):
    """The terms of all chunks of each group as one list, made as it is read."""

    def __init__(self, chunks: BoostedTerms, groups: NDArray[np.int32]) -> None:
        self._chunks = chunks
        self._members = np.argsort(groups, kind="stable")
        self._starts = np.concatenate([[0], np.cumsum(np.bincount(groups))]).astype(np.int64)

    def __len__(self) -> int:
        return len(self._starts) - 1

    def __getitem__(self, index: int) -> list[int]:  # type: ignore[override]  # slices are not offered
        members = self._members[self._starts[index] : self._starts[index + 1]].tolist()
        return [term for member in members for term in self._chunks[member]]

    def __iter__(self) -> Iterator[list[int]]:
        return (self[index] for index in range(len(self)))


def group_settings(settings: LexicalSettings) -> LexicalSettings:
    """How groups are scored."""
    return replace(settings, b=_GROUP_B)


def build_lexical_index(
    directory: Path, corpus: Sequence[list[int]], vocabulary_size: int, settings: LexicalSettings
) -> None:
    """Write the index of ``corpus``, the term ids of each item."""
    import bm25s  # half a second that an ingest which finds nothing to do does not pay

    directory.mkdir(parents=True, exist_ok=True)
    index = bm25s.BM25(k1=settings.k1, b=settings.b, method=settings.method, idf_method=settings.idf_method)
    if len(corpus) == 0:
        index.scores = {
            "data": np.zeros(0, np.float32),
            "indices": np.zeros(0, np.int32),
            "indptr": np.zeros(vocabulary_size + 1, np.int64),
            "num_docs": 0,
        }
    else:
        index.scores = index.build_index_from_ids(
            unique_token_ids=list(range(vocabulary_size)),
            corpus_token_ids=corpus,
            show_progress=False,
        )
    index.vocab_dict = {}  # the vocabulary has a file of its own that needs no parsing
    index.nonoccurrence_array = None
    index.save(directory, show_progress=False)


class LexicalIndex:
    """BM25 scores of a collection; thread-safe, reads only."""

    def __init__(self, directory: Path, chunks: int, vocabulary_size: int) -> None:
        """Map the index. Raises `LexicalIndexUnavailable` when a file is missing, cut off or of another collection."""
        import bm25s

        try:
            index = bm25s.BM25.load(directory, mmap=True, load_vocab=False)
            scores = index.scores
            # plain arrays over the same mapped pages: indexing a memmap object costs ten times as much
            self._data: Scores = np.asarray(scores["data"])
            self._rows: NDArray[np.int32] = np.asarray(scores["indices"])
            self._starts: NDArray[np.int64] = np.asarray(scores["indptr"])
            self.size = int(scores["num_docs"])
        except (OSError, ValueError, KeyError, TypeError, EOFError, json.JSONDecodeError) as error:
            raise LexicalIndexUnavailable(f"BM25 색인을 열 수 없습니다 ({directory}): {error}") from error
        postings = len(self._data)
        if (
            self.size != chunks
            or len(self._starts) != vocabulary_size + 1
            or len(self._rows) != postings
            or self._starts[0] != 0
            or self._starts[-1] != postings
        ):
            raise LexicalIndexUnavailable(f"BM25 색인이 이 컬렉션과 맞지 않습니다 ({directory})")

    def document_frequency(self, term_id: int) -> int:
        """In how many chunks a term occurs (boosted fields included)."""
        return int(self._starts[term_id + 1] - self._starts[term_id])

    @property
    def document_frequencies(self) -> NDArray[np.int64]:
        """`document_frequency` of every term, shape ``(vocabulary size,)``."""
        return np.diff(self._starts)

    def scores(self, term_ids: Sequence[int], weights: Sequence[float] | None = None) -> Scores:
        """The score of every chunk, shape ``(size,)``; a term given twice counts twice, ``weights`` scale terms."""
        totals = np.zeros(self.size, dtype=np.float32)
        for number, term_id in enumerate(term_ids):
            start, end = self._starts[term_id], self._starts[term_id + 1]
            weight = np.float32(1.0 if weights is None else weights[number])
            # A posting list names a chunk once, so plain indexing adds correctly (and faster than np.add.at).
            totals[self._rows[start:end]] += weight * self._data[start:end]
        return totals


def top_k(scores: Scores, k: int) -> tuple[Ordinals, Scores]:
    """The ``k`` best of the positive scores, best first, ties by ordinal; fewer when fewer are positive."""
    best = float(scores.max(initial=0.0))
    if k <= 0 or best <= 0.0:
        return np.zeros(0, np.int64), np.zeros(0, np.float32)
    candidates = np.zeros(0, np.int64)
    # Most scores are far below the best: cutting at a share of it first leaves little to sort, and stays exact.
    for share in (0.5, 0.25, 0.0):
        candidates = np.flatnonzero(scores > best * share)
        if len(candidates) >= k:
            break
    values = scores[candidates]
    if len(candidates) > k:
        kth = np.partition(values, len(values) - k)[len(values) - k]
        kept = values >= kth
        candidates, values = candidates[kept], values[kept]
    order = np.lexsort((candidates, -values))[:k]
    return candidates[order].astype(np.int64), values[order]
