"""All answer units of an index version side by side, and how each of them stands to a question.

A question is held against the phrasings of a unit, question against question, and against its text; terms by their rarity among
all phrasings, vectors by their cosine.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from utils.protocols import FloatMatrix
from vectorstores.storage.unit_table import StoredUnit, UnitTable
from vectorstores.units.aspects import AspectOdds, place_of
from vectorstores.units.letter_pairs import LetterPairs
from vectorstores.units.model import ORDER_FEATURES, Floats

_NEAREST = 3
_NO_DOCUMENT = -1
_NOWHERE = -1.0  # below every overlap and cosine
_IN_DOMAIN, _DOCUMENT_RANK = map(ORDER_FEATURES.index, ("in_domain", "document_rank"))
_SMOOTHED = 4.0  # texts of the whole base that stand beside those of each unit
_RAREST = 10.0  # scale of the rarity of missing words, in nats

Places = NDArray[np.int64]
Flags = NDArray[np.bool_]
_Weighed = tuple[int | None, float]


@dataclass(frozen=True, slots=True)
class Reading:
    """A thing asked as it is read: its content terms with how much each counts, its vector, the odds of the aspects, and its text."""

    terms: tuple[str, ...]
    weights: tuple[float, ...]
    vector: NDArray[np.float32]
    aspects: AspectOdds
    text: str


@dataclass(frozen=True, slots=True)
class UnitQuestion:
    """A thing asked, read as the clause that asks it, and in the light of the whole ``story``; both are one where nothing else is told."""

    clause: Reading
    story: Reading


@dataclass(frozen=True, slots=True)
class Context:
    """Findings about the question as a whole: its domains, and the documents found, best first."""

    domains: Collection[str]
    documents: Sequence[str]


@dataclass(frozen=True, slots=True)
class PlacedUnit:
    """A unit, its collection and the domain of that."""

    stored: StoredUnit
    collection: str
    domain: str


class UnitCatalogue:
    """Reads only; numbers name units by their place in ``units``. ``documents`` numbers the document of each."""

    def __init__(self, tables: Mapping[tuple[str, str], UnitTable]) -> None:
        """``tables`` by collection and domain."""
        self.units = tuple(PlacedUnit(stored, *place) for place, table in tables.items() for stored in table.units)
        documents: dict[str, int] = {}
        self.documents = np.asarray(
            [documents.setdefault(placed.stored.document_id, len(documents)) for placed in self.units], dtype=np.int64
        )
        self._document_ids = documents
        self._aspects = np.asarray([place_of(placed.stored.unit.aspect) for placed in self.units], dtype=np.int64)
        self._read_texts(tables)
        # A place for the text of each unit too, so that these have the numbers of the texts; it is held against none.
        self._pairs = LetterPairs(
            [text for placed in self.units for text in ("", *(ask.text for ask in placed.stored.unit.asks))]
        )

    def _read_texts(self, tables: Mapping[tuple[str, str], UnitTable]) -> None:
        """The texts of all tables under one another, and of each term the texts that have it."""
        owners: list[NDArray[np.int64]] = []
        terms: list[NDArray[np.int64]] = []
        texts: list[NDArray[np.int64]] = []
        known: dict[str, int] = {}
        first_unit = first_text = 0
        for table in tables.values():
            numbers = np.asarray(
                [known.setdefault(term, len(known)) for term in table.vocabulary.terms()], dtype=np.int64
            )
            terms.append(numbers[table.terms.flat])
            texts.append(np.repeat(np.arange(len(table.terms)), table.terms.lengths) + first_text)
            owners.append(table.owners.astype(np.int64) + first_unit)
            first_unit += len(table.units)
            first_text += len(table.terms)
        self._terms = known
        self._owners = np.concatenate(owners) if owners else np.zeros(0, dtype=np.int64)
        self._vectors: FloatMatrix = (
            np.concatenate([table.vectors for table in tables.values()]) if owners else np.zeros((0, 0), np.float32)
        )
        size = len(self._owners)
        self._sizes = np.bincount(self._owners, minlength=len(self.units))
        pairs = np.unique(np.concatenate(terms) * size + np.concatenate(texts)) if owners else np.zeros(0, np.int64)
        own_terms, self._postings = np.divmod(pairs, max(size, 1))
        self._starts = np.searchsorted(own_terms, np.arange(len(known) + 1))
        self._grid = _grid(self._owners, len(self.units))
        self._is_text = np.zeros(size, dtype=np.bool_)
        self._is_text[self._grid[:, 0]] = True
        frequency = np.bincount(own_terms[~self._is_text[self._postings]], minlength=len(known))
        self._phrasings = size - int(self._is_text.sum())
        self._rarity = self._rarity_of(frequency)
        self._lengths = np.bincount(self._postings, weights=self._rarity[own_terms], minlength=size)

    def _rarity_of(self, frequency: NDArray[np.int64]) -> Floats:
        """Inverse document frequency as in BM25, in nats, of terms in so many phrasings."""
        result: Floats = np.log1p((self._phrasings - frequency + 0.5) / (frequency + 0.5))
        return result

    def match(self, questions: Sequence[UnitQuestion], context: Context) -> list[UnitMatch]:
        """Hold the things that a question asks against every unit."""
        readings = [reading for question in questions for reading in (question.clause, question.story)]
        vectors = {id(reading.vector): reading.vector for reading in readings}
        # one product for all of them: it is bound by reading the vectors of the texts
        products = self._vectors @ np.stack(list(vectors.values()), axis=1)
        cosines = {
            key: np.append(products[:, number], _NOWHERE).astype(np.float64) for number, key in enumerate(vectors)
        }
        is_in_domain = np.asarray([placed.domain in context.domains for placed in self.units], dtype=np.float64)
        ranks = self._ranks(context)[self.documents]
        found = []
        for question in questions:
            clause = self._read(question.clause, cosines[id(question.clause.vector)])
            is_alone = question.story is question.clause
            story = clause if is_alone else self._read(question.story, cosines[id(question.story.vector)])
            features = np.column_stack([clause.features, story.features, is_in_domain, ranks])
            found.append(UnitMatch(self, question, features, (clause.near + story.near) / 2, clause.presence))
        return found

    def _ranks(self, context: Context) -> Floats:
        """The reciprocal rank of each document among those found."""
        ranks = np.zeros(len(self._document_ids))
        for rank, document_id in reversed(list(enumerate(context.documents))):
            if document_id in self._document_ids:
                ranks[self._document_ids[document_id]] = 1 / (1 + rank)
        return ranks

    def _read(self, reading: Reading, cosines: Floats) -> _ReadUnits:
        """A reading beside every unit; ``cosines`` with every text, and a last entry for no text."""
        weighed = self._weighed(reading)
        dice, coverage = self._overlaps(weighed)
        presence, likelihood = self._presence(weighed)
        pairs_dice, pairs_coverage = (np.append(scores, 0.0) for scores in self._pairs.overlaps(reading.text))
        phrasings = self._grid[:, 1:]
        most = min(_NEAREST, phrasings.shape[1])
        nearest = np.partition(cosines[phrasings], -most, axis=1)[:, -most:]
        present = np.maximum((nearest > _NOWHERE).sum(axis=1), 1)
        near = (cosines + dice) / 2
        by_document = np.full(len(self._document_ids), _NOWHERE)
        np.maximum.at(by_document, self.documents, near[phrasings].max(axis=1))
        total = presence.total
        features = np.column_stack(
            [
                dice[phrasings].max(axis=1),
                coverage[phrasings].max(axis=1),
                coverage[self._grid[:, 0]],
                np.where(nearest > _NOWHERE, nearest, 0.0).sum(axis=1) / present,
                by_document[self.documents],
                reading.aspects[self._aspects],
                presence.weights @ presence.in_unit / total,
                (presence.weights @ presence.in_document / total)[self.documents],
                likelihood / total,
                pairs_dice[phrasings].max(axis=1),
                pairs_coverage[phrasings].max(axis=1),
            ]
        )
        return _ReadUnits(features, near, presence)

    def agreement(self, number: int, best: Places) -> float:
        """The share of the units ``best`` that are of the document of a unit."""
        return float((self.documents[best] == self.documents[number]).mean())

    def of_document(self, document_id: str) -> Places:
        """The numbers of the units of a document; none where it has no units."""
        return np.flatnonzero(self.documents == self._document_ids.get(document_id, _NO_DOCUMENT))

    def phrasings_of(self, number: int) -> Places:
        """The places of a unit's phrasings among the texts."""
        own = self._grid[number, 1:]
        return own[own < len(self._owners)]

    def _overlaps(self, weighed: Sequence[_Weighed]) -> tuple[Floats, Floats]:
        """Dice overlap and share of the question for every text, each with a last entry for no text."""
        held = np.zeros(len(self._owners) + 1)
        for number, weight in weighed:
            if number is not None:
                held[self._texts_with(number)] += weight
        total = sum(weight for _, weight in weighed) or 1.0
        dice, coverage = 2 * held / (total + np.append(self._lengths, 0.0)), held / total
        dice[-1] = coverage[-1] = _NOWHERE
        return dice, coverage

    def _presence(self, weighed: Sequence[_Weighed]) -> tuple[Presence, Floats]:
        """Where each term of a reading stands, and how much likelier each unit makes the reading, in nats."""
        weights = np.array([weight for _, weight in weighed])
        in_unit, in_text = (np.zeros((len(weighed), len(self.units)), dtype=np.bool_) for _ in range(2))
        in_document = np.zeros((len(weighed), len(self._document_ids)), dtype=np.bool_)
        likelihood = np.zeros(len(self.units))
        for place, (number, weight) in enumerate(weighed):
            if number is None:
                continue
            texts = self._texts_with(number)
            owners = self._owners[texts]
            in_unit[place, owners] = True
            in_text[place, owners[self._is_text[texts]]] = True
            in_document[place, self.documents[owners]] = True
            counts = np.bincount(owners, minlength=len(self.units))
            usual = _SMOOTHED * len(owners) / len(self._owners)
            likelihood += weight * np.log((counts + usual) / (self._sizes + _SMOOTHED) * (_SMOOTHED / usual))
        return Presence(weights, in_unit, in_text, in_document), likelihood

    def _texts_with(self, term: int) -> Places:
        return self._postings[self._starts[term] : self._starts[term + 1]]

    def _weighed(self, reading: Reading) -> list[_Weighed]:
        """The number of each term, None for one that no unit has, and its rarity as far as it counts here."""
        numbers = [self._terms.get(term) for term in reading.terms]
        unknown = float(self._rarity_of(np.zeros(1, dtype=np.int64))[0])
        rarity = [unknown if number is None else float(self._rarity[number]) for number in numbers]
        return [(number, own * weight) for number, own, weight in zip(numbers, rarity, reading.weights, strict=True)]


@dataclass(frozen=True, slots=True)
class Presence:
    """Where the terms of a reading stand: in any text of a unit, in its own text, of shape ``(terms, units)``, and in any of a
    document, ``(terms, documents)``. ``weights`` is their rarity, in nats, as far as each counts."""

    weights: Floats
    in_unit: Flags
    in_text: Flags
    in_document: Flags

    @property
    def total(self) -> float:
        """The weight of all terms; 1 where none counts."""
        return float(self.weights.sum()) or 1.0


@dataclass(frozen=True, slots=True)
class _ReadUnits:
    """All units beside a reading: `READING_FEATURES`, the mean of overlap and cosine of every text, and where terms stand."""

    features: Floats
    near: Floats
    presence: Presence


@dataclass(frozen=True, slots=True)
class UnitMatch:
    """The standing of all units to a thing asked: `ORDER_FEATURES`, shape ``(units, features)``; the mean of overlap and
    cosine of every text; where the terms of the clause stand."""

    catalogue: UnitCatalogue
    question: UnitQuestion
    order_features: Floats
    near: Floats
    presence: Presence

    def answer_features(self, number: int, score: float, agreement: float) -> Floats:
        """`ANSWER_FEATURES` of a unit that the learned order gives ``score``; ``agreement`` is that of the best units with it."""
        weights, total = self.presence.weights, self.presence.total
        missing = weights[~self.presence.in_unit[:, number]]
        in_document = self.presence.in_document[:, self.catalogue.documents[number]]
        return np.array(
            [
                score,
                *self.order_features[number, [_IN_DOMAIN, _DOCUMENT_RANK]],
                missing.max(initial=0.0) / _RAREST,
                missing.sum() / total,
                weights[~in_document].sum() / total,
                np.log1p(len(weights)),
                agreement,
            ]
        )

    def held(self, numbers: Sequence[int]) -> tuple[float, float]:
        """The shares of the clause, by rarity, that these units have in their texts, and in texts or phrasings."""
        weights = self.presence.weights
        if not weights.sum():
            return 1.0, 1.0
        of_units = (self.presence.in_text[:, numbers], self.presence.in_unit[:, numbers])
        in_text, in_units = (float(weights[held.any(axis=1)].sum() / weights.sum()) for held in of_units)
        return in_text, in_units

    def nearness(self, number: int) -> tuple[float, ...]:
        """The nearness of the question to each phrasing of a unit."""
        return tuple(self.near[self.catalogue.phrasings_of(number)].tolist())


def _grid(owners: NDArray[np.int64], units: int) -> Places:
    """The texts of each unit in a row, its own text first; a row is filled up with the number after the last text."""
    counts = np.bincount(owners, minlength=units) if units else np.zeros(0, dtype=np.int64)
    grid = np.full((units, int(counts.max(initial=1))), len(owners), dtype=np.int64)
    starts = np.cumsum(counts) - counts
    grid[owners, np.arange(len(owners)) - np.repeat(starts, counts)] = np.arange(len(owners))
    return grid
