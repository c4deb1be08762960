"""BM25 on disk: a `bm25s` index that is memory-mapped at query time and scored from term ids."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from tokenize import TokenError

import numpy as np
from numpy.typing import NDArray

from vectorstores.errors import UNREADABLE, LexicalIndexUnavailable, unreadable_as
from vectorstores.storage.ragged import RaggedIds, TermIds

BM25_FOLDER = "bm25"
GROUPS_FOLDER = "bm25_groups"
CONTEXTS_FOLDER = "bm25_contexts"

Ordinals = NDArray[np.int64]
Scores = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class LexicalSettings:
    """BM25 parameters. A boost is the number of times that the terms of a field are counted beside those of the text.

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

_BLOCK = 16_384  # items whose terms are counted together: a few million numbers
_SCORED_AT_ONCE = 1_000_000
_STORED_TYPES = ["<f4", "<i4", "<i8"]
_NOTHING = np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0, np.float32)


@dataclass(frozen=True, slots=True)
class Postings:
    """Counts of terms in items: a row for each pair that occurs, by term, then by item; ``lengths`` of items in terms."""

    terms: NDArray[np.int32]
    items: NDArray[np.int32]
    counts: NDArray[np.float32]
    lengths: NDArray[np.int64] | NDArray[np.float64]

    @property
    def average_length(self) -> float:
        """Of the items that have terms."""
        return float(self.lengths[self.lengths > 0].mean()) if self.lengths.any() else 1.0

    def grouped(self, groups: NDArray[np.int32]) -> Postings:
        """The postings of groups of items, numbered from 0: all that a group has counts as one item."""
        size = int(groups.max(initial=-1)) + 1
        pairs, places = np.unique(self.terms.astype(np.int64) * size + groups[self.items], return_inverse=True)
        terms, items = np.divmod(pairs, max(size, 1))
        return Postings(
            terms.astype(np.int32),
            items.astype(np.int32),
            np.bincount(places, weights=self.counts).astype(np.float32),
            np.bincount(groups, weights=self.lengths).astype(np.int64),
        )


def count_postings(body: RaggedIds, boosted: Mapping[str, RaggedIds], settings: LexicalSettings) -> Postings:
    """The postings of chunks: their text, and the fields as often as their boosts say."""
    boosts = asdict(settings)
    fields = [(body, 1), *((boosted[name], int(boosts[boost])) for name, boost in _FIELD_BOOSTS)]
    blocks = [_count(fields, first, min(first + _BLOCK, len(body))) for first in range(0, len(body), _BLOCK)]
    terms, items, counts = (np.concatenate(column) for column in zip(*blocks, strict=True)) if blocks else _NOTHING
    order = np.argsort(terms, kind="stable")  # the blocks are in the order of their items
    lengths = sum((ids.lengths * times for ids, times in fields), np.zeros(len(body), dtype=np.int64))
    return Postings(terms[order], items[order], counts[order], lengths)


def _count(
    fields: Sequence[tuple[RaggedIds, int]], first: int, last: int
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float32]]:
    """Terms, items and counts of the items from ``first`` to before ``last``, by item."""
    pairs = []
    for ids, times in fields:
        found, owners = ids.gather(np.arange(first, last))
        pairs += [found.astype(np.int64) * (last - first) + owners] * times
    distinct, counts = np.unique(np.concatenate(pairs), return_counts=True)
    terms, owners = np.divmod(distinct, last - first)
    return terms.astype(np.int32), (owners + first).astype(np.int32), counts.astype(np.float32)


def group_settings(settings: LexicalSettings) -> LexicalSettings:
    """Return the BM25 settings for groups."""
    return replace(settings, b=_GROUP_B)


def build_lexical_index(directory: Path, postings: Postings, vocabulary_size: int, settings: LexicalSettings) -> None:
    """Write the index of ``postings`` as `bm25s` would: its formulas over all pairs at once, not item by item in Python."""
    import bm25s  # half a second that an ingest which finds nothing to do does not pay
    from bm25s.scoring import _select_idf_scorer, _select_tfc_scorer

    directory.mkdir(parents=True, exist_ok=True)
    index = bm25s.BM25(k1=settings.k1, b=settings.b, method=settings.method, idf_method=settings.idf_method)
    frequencies = np.bincount(postings.terms, minlength=vocabulary_size)
    items = len(postings.lengths)
    score_of = _select_idf_scorer(settings.idf_method)
    rarity = np.asarray(
        [score_of(count, N=items) if count else 0.0 for count in frequencies.tolist()], dtype=np.float32
    )
    scores = np.empty(len(postings.terms), dtype=np.float32)
    for start in range(0, len(scores), _SCORED_AT_ONCE):
        some = slice(start, start + _SCORED_AT_ONCE)
        weights = _select_tfc_scorer(settings.method)(
            tf_array=postings.counts[some],
            l_d=postings.lengths[postings.items[some]],
            l_avg=postings.average_length,
            k1=index.k1,
            b=index.b,
            delta=index.delta,
        )
        scores[some] = rarity[postings.terms[some]] * weights
    index.scores = {
        "data": scores,
        "indices": postings.items,
        "indptr": np.concatenate([[0], np.cumsum(frequencies)]).astype(np.int64),
        "num_docs": items,
    }
    index.vocab_dict = {}  # the vocabulary has a file of its own that needs no parsing
    index.nonoccurrence_array = None
    index.save(directory, show_progress=False)


class LexicalIndex:
    """BM25 scores of a collection; thread-safe, reads only."""

    def __init__(self, directory: Path, chunks: int, vocabulary_size: int) -> None:
        """Map the index. Raises `LexicalIndexUnavailable` when a file is missing, damaged or of another collection."""
        import bm25s

        try:
            scores = bm25s.BM25.load(directory, mmap=True, load_vocab=False).scores
            # plain arrays over the same mapped pages: indexing a memmap object costs ten times as much
            self._data: Scores = np.asarray(scores["data"])
            self._rows: NDArray[np.int32] = np.asarray(scores["indices"])
            self._starts: NDArray[np.int64] = np.asarray(scores["indptr"])
            self.size = int(scores["num_docs"])
        except (*UNREADABLE, SyntaxError, TokenError) as error:
            raise LexicalIndexUnavailable(f"BM25 색인을 열 수 없습니다: {directory.name}") from error
        postings = len(self._data)
        if (
            self.size != chunks
            or [self._data.dtype.str, self._rows.dtype.str, self._starts.dtype.str] != _STORED_TYPES
            or len(self._starts) != vocabulary_size + 1
            or len(self._rows) != postings
            or self._starts[0] != 0
            or self._starts[-1] != postings
        ):
            raise LexicalIndexUnavailable(f"BM25 색인이 이 컬렉션과 맞지 않습니다: {directory.name}")

    def document_frequency(self, term_id: int) -> int:
        """In how many chunks a term occurs (boosted fields included)."""
        return self._starts.item(term_id + 1) - self._starts.item(term_id)

    def document_frequency_within(self, term_id: int, within: NDArray[np.bool_]) -> int:
        """In how many chunks a term occurs of those marked in ``within``, shape ``(size,)``."""
        return int(within[self._rows[self._starts[term_id] : self._starts[term_id + 1]]].sum())

    @property
    def document_frequencies(self) -> NDArray[np.int64]:
        """`document_frequency` of every term, shape ``(vocabulary size,)``."""
        return np.diff(self._starts)

    def items(self) -> Iterator[tuple[int, TermIds, Scores]]:
        """Each item that has terms, with the ids of these and what each adds to the item's score where it is asked for."""
        terms = np.repeat(np.arange(len(self._starts) - 1, dtype=np.int32), self.document_frequencies)
        order = np.argsort(self._rows, kind="stable")
        ends = np.cumsum(np.bincount(self._rows, minlength=self.size))
        starts = np.concatenate([[0], ends[:-1]])
        for item in np.flatnonzero(ends > starts).tolist():
            own = order[starts[item] : ends[item]]
            yield item, terms[own], self._data[own]

    def scores(self, term_ids: Sequence[int], weights: Sequence[float] | None = None) -> Scores:
        """The score of every chunk, shape ``(size,)``; a term given twice counts twice, ``weights`` scale terms.

        Raises `LexicalIndexUnavailable` where a file turns out to be damaged.
        """
        totals = np.zeros(self.size, dtype=np.float32)
        scales = np.ones(len(term_ids)) if weights is None else weights
        with unreadable_as(LexicalIndexUnavailable, "BM25 색인을 읽을 수 없습니다."):
            ids = np.asarray(term_ids, dtype=np.int64)
            starts, ends = self._starts[ids], self._starts[ids + 1]
            spans = [slice(start, end) for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
            if spans:
                scaled = np.repeat(np.asarray(scales, dtype=np.float32), ends - starts)
                scaled *= np.concatenate([self._data[span] for span in spans])
                np.add.at(totals, np.concatenate([self._rows[span] for span in spans]), scaled)
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
