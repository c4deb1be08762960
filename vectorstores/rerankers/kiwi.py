"""The embedded reranker: late interaction over morpheme vectors.

For each question term the best match in the passage counts (MaxSim; Khattab and Zaharia 2020, "ColBERT"): 1 for the term
itself, a discounted cosine for a related one, weighted by the term's rarity.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from weakref import WeakKeyDictionary

import numpy as np
from cachetools import LRUCache
from numpy.typing import NDArray

from utils.protocols import FloatMatrix
from vectorstores.embedders.kiwi import KiwiEmbedder
from vectorstores.rerankers.base import PassageTerms, RerankPassage, RerankQuery, TermStrings

RERANKER_ID = "kiwi-maxsim-v2"
"""With a higher version whenever its relevances change: the order of candidates was learned with them."""

# A related term counts from the cosine that chance reaches once in a hundred, and never as much as the term itself.
_SOFT_RANGE = (0.15, 0.5)
_SOFT_WEIGHT = 0.8
_PASSAGE_CACHE = 20_000
_TERM_CACHE = 65_536  # 61 MB, beside those of the embedder
_QUESTIONS_KEPT = 64


class KiwiReranker:
    """A `Reranker` that needs no model beside the Kiwi vectors."""

    def __init__(self, embedder: KiwiEmbedder) -> None:
        self._embedder = embedder
        self._term_ids: dict[str, int] = {}
        # of each vocabulary the number here of each of its terms, -1 while it is unknown
        self._known: WeakKeyDictionary[TermStrings, NDArray[np.int32]] = WeakKeyDictionary()
        self._vectors = np.zeros((1024, embedder.dimension), dtype=np.float32)
        self._passages: LRUCache[str, NDArray[np.int32]] = LRUCache(_PASSAGE_CACHE)
        # A question reads a passage for its collection, once more beside those of others, and again when it is searched wider.
        self._matches: LRUCache[tuple[str, ...], dict[str, FloatMatrix]] = LRUCache(_QUESTIONS_KEPT)
        self._lock = threading.Lock()

    @property
    def id(self) -> str:
        return RERANKER_ID

    def rerank(self, query: RerankQuery, passages: Sequence[RerankPassage]) -> list[float]:
        readings = [reading for reading in query.readings if reading.terms]
        if not readings or not passages:
            return [0.0] * len(passages)
        # the clauses of a question repeat its terms, which are matched once
        distinct = tuple(sorted({term for reading in readings for term in reading.terms}))
        best = self._best(distinct, passages)
        scores = np.zeros(len(passages), dtype=np.float32)
        column = {term: number for number, term in enumerate(distinct)}
        for reading in readings:
            weights = np.asarray(reading.weights, dtype=np.float32)
            columns = best[:, [column[term] for term in reading.terms]]
            scores = np.maximum(scores, columns @ weights * (reading.scale / weights.sum()))
        result: list[float] = scores.tolist()
        return result

    def _best(self, terms: tuple[str, ...], passages: Sequence[RerankPassage]) -> FloatMatrix:
        """Best match of each term in each passage, shape ``(passages, terms)``; see `_best_matches`."""
        with self._lock:
            self._make_room()
            known = self._matches.setdefault(terms, {})
            new = list({passage.key: passage for passage in passages if passage.key not in known}.values())
            query_ids = self._ids(terms)
            ids = self._passage_ids(new)
            vectors, size = self._vectors, len(self._term_ids)
        if new:
            rows = _best_matches(np.concatenate(ids), [len(passage) for passage in ids], query_ids, vectors[:size])
            known.update(zip((passage.key for passage in new), rows, strict=True))
        return np.stack([known[passage.key] for passage in passages])

    def _passage_ids(self, passages: Sequence[RerankPassage]) -> list[NDArray[np.int32]]:
        found = {passage.key: self._passages[passage.key] for passage in passages if passage.key in self._passages}
        new = {passage.key: passage.load_terms() for passage in passages if passage.key not in found}
        self._meet(new.values())
        for key, terms in new.items():
            # an empty passage keeps one unknown term, so that each passage has a row to take the maximum over
            ids = self._known[terms.vocabulary][terms.ids] if len(terms.ids) else self._ids(("",))
            found[key] = np.unique(ids)
            self._passages[key] = found[key]
        return [found[passage.key] for passage in passages]

    def _meet(self, passages: Iterable[PassageTerms]) -> None:
        """Number the terms that are new, those of all passages at once: most are in several."""
        by_vocabulary: dict[TermStrings, list[NDArray[np.int32]]] = {}
        for terms in passages:
            by_vocabulary.setdefault(terms.vocabulary, []).append(terms.ids)
        for vocabulary, lists in by_vocabulary.items():
            numbers = self._known.setdefault(vocabulary, np.full(len(vocabulary), -1, dtype=np.int32))
            every = np.concatenate(lists)
            new = np.unique(every[numbers[every] < 0])
            if len(new):
                numbers[new] = self._ids(vocabulary.strings(new))

    def _make_room(self) -> None:
        """Forget everything when too many terms are known; only between two calls, since ids change with it."""
        if len(self._term_ids) > _TERM_CACHE:
            self._term_ids.clear()
            self._passages.clear()
            self._known.clear()
            self._vectors = np.zeros_like(self._vectors)  # a new array: a running call may still read the old one

    def _ids(self, terms: Sequence[str]) -> NDArray[np.int32]:
        new = [term for term in dict.fromkeys(terms) if term not in self._term_ids]
        if new:
            vectors = self._embedder.term_vectors(new)
            first = len(self._term_ids)
            self._grow(first + len(new))
            self._vectors[first : first + len(new)] = vectors
            self._term_ids.update((term, first + number) for number, term in enumerate(new))
        return np.fromiter((self._term_ids[term] for term in terms), dtype=np.int32, count=len(terms))

    def _grow(self, size: int) -> None:
        if size > len(self._vectors):
            larger = np.zeros((max(size, 2 * len(self._vectors)), self._vectors.shape[1]), dtype=np.float32)
            larger[: len(self._vectors)] = self._vectors
            self._vectors = larger


def _best_matches(
    flat: NDArray[np.int32], lengths: Sequence[int], query_ids: NDArray[np.int32], vectors: FloatMatrix
) -> FloatMatrix:
    """Best match of each query term in each passage, shape ``(passages, query terms)``, in [0, 1].

    ``flat`` holds the passages' term ids one after the other, ``lengths`` how many each has.
    """
    present = np.zeros(len(vectors), dtype=bool)
    present[flat] = True
    unique = np.flatnonzero(present)
    row_of = np.empty(len(vectors), dtype=np.int32)
    row_of[unique] = np.arange(len(unique), dtype=np.int32)
    similarity = vectors[unique] @ vectors[query_ids].T
    floor, ceiling = _SOFT_RANGE
    matches = np.clip((similarity - floor) * np.float32(_SOFT_WEIGHT / (ceiling - floor)), 0.0, _SOFT_WEIGHT)
    matches[unique[:, None] == query_ids[None, :]] = 1.0
    starts = np.cumsum([0, *lengths[:-1]])
    best: FloatMatrix = np.maximum.reduceat(matches[row_of[flat]], starts, axis=0)
    return best
