"""BM25 of the chunks of a collection for one question, asked of a Milvus server that holds the weights of their terms.

The weight of a term in an item is what BM25 gives it there (Robertson and Zaragoza 2009), so the inner product with the weights
that the terms have in a question *is* its score; chunks are stored times the factor for their kind of norm, as candidates are
chosen by that product. The files of the collection stand in where the server does not answer, and where only some chunks are
searched: those are few.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from vectorstores.backends.milvus import MOST_RESULTS, SPARSE, MilvusDatabase, MilvusServer, WeightTable
from vectorstores.backends.vector_table import BUILD_TIMEOUT, VectorServer
from vectorstores.errors import VectorStoreUnavailable
from vectorstores.ranking.lexical_side import LexicalSide
from vectorstores.ranking.question_scores import (
    MOST_WITH_SUBJECT,
    ChunkScores,
    MappedScores,
    QuestionScores,
    Ranked,
    Terms,
    with_subject,
)
from vectorstores.storage.lexical import LexicalIndex, Ordinals, Scores, top_k
from vectorstores.storage.ragged import TermIds

logger = logging.getLogger(__name__)

Result = TypeVar("Result")
Question = Mapping[int, float]
"""Term id → weight."""

_GROUPS = 2_000  # asked for at once; an act more is seldom among those of the candidates
_AT_LEAST = 400  # chunks asked for at once, of which those on the subject are chosen
_WIDER = 4  # times as many where these do not decide which are on the subject


def store_scores(directory: Path, chunks: int, name: str, server: MilvusServer) -> None:
    """Store the BM25 weights of a build whose files are in ``directory``. Raises `VectorStoreUnavailable`."""
    side = LexicalSide.open(directory, chunks)
    ranking = side.ranking
    indexes = {"terms": (side.lexical, ranking.boost), "groups": (ranking.groups, None)}
    indexes["contexts"] = ranking.contexts, ranking.boost
    try:
        with closing(server.connect(BUILD_TIMEOUT)) as database:
            for kind in SPARSE:
                table = database.create_weights(name, kind)
                table.add(_weighted(*indexes[kind]))
                table.finish()
                table.best(
                    [{0: 1.0}], 1
                )  # the server reads its index into memory now, and not when the first question comes
    finally:
        side.stored_terms.close()


def _weighted(index: LexicalIndex, factors: Scores | None) -> Iterator[tuple[int, TermIds, Scores]]:
    """The items of an index that have a score for some question, their weights times the factor of each."""
    for item, ids, weights in index.items():
        factor = np.float32(1.0) if factors is None else factors[item]
        if factor > 0:
            some = weights > 0
            yield item, ids[some], weights[some] * factor


class ScoreServer:
    """The weights of one build in Milvus. Connects on first use and again after a failure; thread-safe."""

    def __init__(self, name: str, server: MilvusServer) -> None:
        self._name = name
        self._server = server
        self._connecting = threading.Lock()
        self._database: MilvusDatabase | None = None
        self._tables: dict[str, WeightTable] = {}

    @classmethod
    def of(cls, name: str, server: VectorServer | None) -> ScoreServer | None:
        """Return the scores of a build on ``server``; None where that holds vectors alone."""
        return cls(name, server) if isinstance(server, MilvusServer) else None

    def best(
        self, kind: str, questions: Sequence[Question], k: int, among: NDArray[np.int64] | None = None
    ) -> list[tuple[Ordinals, Scores]]:
        """Ask a table; see `WeightTable.best`. The time of the calls is bounded as that of all calls to the server."""
        return self._server.calls.run(lambda: self._table(kind).best(questions, k, among))

    def _table(self, kind: str) -> WeightTable:
        with self._connecting:
            if kind not in self._tables:
                self._database = self._database or self._server.connect()
                self._tables[kind] = self._database.open_weights(self._name, kind)
            return self._tables[kind]

    def close(self) -> None:
        """Give the connection back."""
        database, self._database = self._database, None
        self._tables = {}
        if database is not None:
            database.close()

    def scores(self, side: LexicalSide, questions: Sequence[Terms], k: int) -> list[QuestionScores]:
        """Return the scores of questions, whose ``k`` best chunks are asked for in one call."""
        known = [_known(side, *question) for question in questions]
        mapped = [MappedScores(side, *question) for question in questions]
        try:
            best = self.best("terms", known, max(_AT_LEAST, _WIDER * k))
        except VectorStoreUnavailable as error:
            _say(error)
            return list(mapped)
        full = max(_AT_LEAST, _WIDER * k)
        return [
            ServedScores(self, side, question, ranked, len(ranked[0]) < full, stand_in)
            for question, ranked, stand_in in zip(known, best, mapped, strict=True)
        ]


class ServedScores:
    """The scores of one question; ``best`` are its best chunks, with ``is_all`` all that have any of its words."""

    def __init__(
        self,
        tables: ScoreServer,
        side: LexicalSide,
        question: Question,
        best: Ranked,
        is_all: bool,
        stand_in: MappedScores,
    ) -> None:
        self._tables = tables
        self._side = side
        self._question = question
        self._found = best
        self._is_all = is_all
        self._stand_in = stand_in
        self._groups: dict[int, float] | None = None

    def best(self, k: int, within: Ordinals | None = None) -> Ranked:
        if within is not None or not (self._is_all or k <= len(self._found[0])):
            return self._stand_in.best(k, within)
        return self._found[0][:k], self._found[1][:k]

    def on_subject(self, k: int, within: Ordinals | None = None) -> Ranked:
        if within is not None:
            return self._stand_in.on_subject(k, within)
        return self._served(partial(self._on_subject, k), lambda: self._stand_in.on_subject(k))

    def said_by_others(self, k: int, within: Ordinals | None = None) -> Ranked:
        if within is not None:
            return self._stand_in.said_by_others(k, within)
        return self._served(partial(self._said_by_others, k), lambda: self._stand_in.said_by_others(k))

    def of(self, ordinals: Ordinals) -> ChunkScores:
        return self._served(partial(self._scores_of, ordinals), lambda: self._stand_in.of(ordinals))

    def _served(self, ask: Callable[[], Result], stand_in: Callable[[], Result]) -> Result:
        try:
            return ask()
        except VectorStoreUnavailable as error:
            _say(error)
            return stand_in()

    def _on_subject(self, k: int) -> Ranked:
        """Widen the chunks looked at until none beyond them can be among the best, however well its group does."""
        while True:
            ordinals, text = self._found
            weighed = with_subject(text, self._of_groups(ordinals), self._best_group())
            places, best = top_k(weighed, k)
            decided = len(best) == k and text[-1] * MOST_WITH_SUBJECT <= best[-1]
            if self._is_all or decided or len(ordinals) >= MOST_RESULTS or k <= 0:
                return ordinals[places], text[places]
            wider = min(_WIDER * len(ordinals), MOST_RESULTS)
            self._found = self._tables.best("terms", [self._question], wider)[0]
            self._is_all = len(self._found[0]) < wider

    def _said_by_others(self, k: int) -> Ranked:
        ordinals = self._tables.best("contexts", [self._question], k)[0][0]
        return ordinals, self._text(ordinals)

    def _scores_of(self, ordinals: Ordinals) -> ChunkScores:
        boost = self._side.ranking.boost[ordinals]
        context = _by_number(ordinals, *self._tables.best("contexts", [self._question], len(ordinals), ordinals)[0])
        return ChunkScores(_divided(self._text(ordinals), boost), self._of_groups(ordinals), _divided(context, boost))

    def _text(self, ordinals: Ordinals) -> Scores:
        """The scores of texts times their factors; those not among the best are asked for."""
        numbers, scores = self._found
        if not self._is_all and len(others := np.setdiff1d(ordinals, numbers)):
            more = self._tables.best("terms", [self._question], len(others), others)[0]
            numbers, scores = np.concatenate([numbers, more[0]]), np.concatenate([scores, more[1]])
        return _by_number(ordinals, numbers, scores)

    def _best_group(self) -> float:
        return max(self._known_groups().values(), default=0.0)

    def _of_groups(self, ordinals: Ordinals) -> Scores:
        known = self._known_groups()
        groups = self._side.ranking.group_of[ordinals].tolist()
        missing = sorted(set(groups) - known.keys()) if len(known) >= _GROUPS else []
        if missing:
            numbers, scores = self._tables.best(
                "groups", [self._question], len(missing), np.asarray(missing, dtype=np.int64)
            )[0]
            known |= dict.fromkeys(missing, 0.0) | dict(zip(numbers.tolist(), scores.tolist(), strict=True))
        return np.asarray([known.get(group, 0.0) for group in groups], dtype=np.float32)

    def _known_groups(self) -> dict[int, float]:
        if self._groups is None:
            numbers, scores = self._tables.best("groups", [self._question], _GROUPS)[0]
            self._groups = dict(zip(numbers.tolist(), scores.tolist(), strict=True))
        return self._groups


def _known(side: LexicalSide, terms: Sequence[str], weights: Sequence[float]) -> Question:
    known: dict[int, float] = {}
    for term, weight in zip(terms, weights, strict=True):
        term_id = side.vocabulary.id_of(term)
        if term_id is not None and weight > 0:
            known[term_id] = known.get(term_id, 0.0) + weight
    return known


def _by_number(wanted: NDArray[np.int64], numbers: Ordinals, scores: Scores) -> Scores:
    """The score of each of the ``wanted``; 0 of those that were not found."""
    found = dict(zip(numbers.tolist(), scores.tolist(), strict=True))
    return np.asarray([found.get(number, 0.0) for number in wanted.tolist()], dtype=np.float32)


def _divided(scores: Scores, factors: Scores) -> Scores:
    result: Scores = np.divide(scores, factors, out=np.zeros_like(scores), where=factors > 0)
    return result


def _say(error: VectorStoreUnavailable) -> None:
    logger.warning("BM25 is computed from the files of the index: %s", error)
