"""The answer units that answer a thing asked, best first."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from utils.documents import Chunk
from utils.knowledge.units import AnswerUnit
from utils.korean.asks import AskedPart
from utils.korean.question_words import subject_terms
from utils.protocols import AnalyzedText, Analyzer, Embedder
from vectorstores.errors import IndexDamaged, LexicalIndexUnavailable
from vectorstores.index import CollectionIndex, KnowledgeIndex
from vectorstores.units.aspects import AspectOdds
from vectorstores.units.catalogue import UnitCatalogue
from vectorstores.units.match import Context, Reading, UnitMatch, UnitQuestion, match_units
from vectorstores.units.model import AGREEING, Floats, UnitModel
from vectorstores.units.postings import Places


@dataclass(frozen=True, slots=True)
class FoundUnit:
    """A unit with the document it is of. ``score`` orders the units of one question, differences are log odds.

    ``answers`` is the probability that it answers, and ``nearness`` how near the question is to each of its phrasings, in [-1, 1].
    ``note`` is said with a unit that does not hold on the day asked.
    """

    unit: AnswerUnit
    chunk: Chunk
    score: float
    answers: float
    nearness: tuple[float, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class _Held:
    """The units of an index in one ``state`` of its files, and the collections whose chunks they name."""

    state: str
    catalogue: UnitCatalogue
    collections: Mapping[str, CollectionIndex]

    @classmethod
    def of(cls, index: KnowledgeIndex) -> Self:
        state, collections = index.state, dict(index.collections)
        tables = {}
        for name, collection in collections.items():
            try:
                if (table := collection.units) is not None:
                    tables[name, collection.domain] = table
            except LexicalIndexUnavailable:  # said by the collection itself; its documents are found without units
                continue
        return cls(state, UnitCatalogue(tables), collections)


@dataclass(frozen=True, slots=True)
class RankedUnits:
    """The units of an index version beside a thing asked. ``scores`` by the number of the unit, shape ``(units,)``, -inf for one that
    was not looked at; ``order`` are the numbers of the others, best first."""

    match: UnitMatch
    model: UnitModel
    scores: Floats
    chunk_of: Callable[[int], Chunk | None]
    order: Places

    @classmethod
    def of(cls, match: UnitMatch, model: UnitModel, chunk_of: Callable[[int], Chunk | None]) -> Self:
        """Put the units of a match into the learned order."""
        own = model.scores(match.order_features)
        scores = np.full(len(match.catalogue.units), -np.inf)
        scores[match.numbers] = own
        return cls(match, model, scores, chunk_of, match.numbers[np.argsort(-own, kind="stable")])

    def best(self, k: int) -> list[FoundUnit]:
        """At most ``k`` units, best first; none whose document cannot be read."""
        return self.found(self.order[:k])

    def number_of(self, found: FoundUnit) -> int:
        """The number of a unit that was found here."""
        own: list[int] = self.match.catalogue.of_document(found.chunk.doc_id).tolist()
        return next(number for number in own if self.match.catalogue.units[number].stored.unit is found.unit)

    def answers(self, numbers: Places) -> Floats:
        """The probability that each of some units answers."""
        agreement = self.match.catalogue.agreement(numbers, self.order[:AGREEING])
        return self.model.probabilities(self.match.answer_features(numbers, self.scores[numbers], agreement))

    def found(self, numbers: Places) -> list[FoundUnit]:
        """Units with all that is known of them beside the thing asked, without those whose document cannot be read."""
        units, nearness = self.match.catalogue.units, self.match.nearness
        rows = zip(numbers.tolist(), self.scores[numbers].tolist(), self.answers(numbers).tolist(), strict=True)
        return [
            FoundUnit(units[number].stored.unit, chunk, score, answers, nearness(number))
            for number, score, answers in rows
            if (chunk := self.chunk_of(number)) is not None
        ]


class UnitSearcher:
    """Finds units of one index version; every method may be called from any thread."""

    def __init__(self, index: KnowledgeIndex, analyzer: Analyzer, embedder: Embedder, model: UnitModel) -> None:
        """``embedder``: that of the units' own texts, `vectorstores.embedders.unit_encoder.unit_embedder`."""
        self._index = index
        self._analyzer = analyzer
        self._embedder = embedder
        self.model = model
        self._lock = threading.Lock()
        self._last = _Held.of(index)

    @property
    def catalogue(self) -> UnitCatalogue:
        """The units of what is whole of the index."""
        return self._held().catalogue

    def _held(self) -> _Held:
        """The units as of now: damage that was found since takes them away, or brings those of a build that stands in."""
        with self._lock:
            if self._last.state != self._index.state:
                self._last = _Held.of(self._index)
            return self._last

    def reading(self, text: str, aspects: AspectOdds | None = None) -> Reading:
        """A question with all its words; ``aspects`` are read from the text where none are given."""
        own = tuple(self._analyzer.terms(text))
        terms = tuple(dict.fromkeys(own))
        vector = self._embedder.embed([AnalyzedText(text, subject_terms(own))])[0]
        odds = self.model.aspects.read(self._analyzer.morphemes(text)) if aspects is None else aspects
        return Reading(terms, (1.0,) * len(terms), vector, odds, text)

    def asked(self, text: str, aspects: AspectOdds | None = None) -> UnitQuestion:
        """A question that asks one thing and tells nothing else."""
        reading = self.reading(text, aspects)
        return UnitQuestion(reading, reading)

    def asked_part(self, part: AskedPart, story: Reading, clause_aspects: AspectOdds | None = None) -> UnitQuestion:
        """A thing asked, with the ``story`` it is told in; the aspects of its clause are read from it where none are given."""
        whole = replace(story, terms=part.terms, weights=part.story_weights)
        if part.clause == story.text:
            return UnitQuestion(whole, whole)
        clause = self.reading(part.clause, clause_aspects)
        return UnitQuestion(replace(clause, terms=part.terms, weights=part.clause_weights), whole)

    def find(self, question: UnitQuestion, context: Context, k: int) -> list[FoundUnit]:
        """At most ``k`` units, best first; none where no document has units, and none whose document cannot be read."""
        return self.ranked([question], context)[0].best(k) if self.catalogue.units else []

    def ranked(self, questions: Sequence[UnitQuestion], context: Context) -> list[RankedUnits]:
        """The units beside each thing that a question asks. Raises ValueError where no document has units."""
        held = self._held()

        def chunk_of(number: int) -> Chunk | None:
            placed = held.catalogue.units[number]
            try:
                return held.collections[placed.collection].chunks([placed.stored.ordinal])[0]
            except IndexDamaged:  # said by the searches of the collection
                return None

        return [
            RankedUnits.of(match, self.model, chunk_of) for match in match_units(held.catalogue, questions, context)
        ]

    def nearest(self, text: str) -> FoundUnit | None:
        """The best unit for a question of which nothing else is known; None where no document has units."""
        found = self.find(self.asked(text), Context((), ()), 1)
        return found[0] if found else None
