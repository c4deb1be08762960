"""All answer units of an index version side by side, and how each of them stands to a question.

A question is held against the phrasings of a unit, question against question, and against its text; terms by their rarity among
all phrasings, vectors by their cosine.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

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
        pairs = np.unique(np.concatenate(terms) * size + np.concatenate(texts)) if owners else np.zeros(0, np.int64)
        own_terms, own_texts = np.divmod(pairs, max(size, 1))
        self._sizes = np.bincount(self._owners, minlength=len(self.units))
        self._firsts = np.cumsum(self._sizes) - self._sizes
        self._grid = _grid(self._firsts, self._sizes)
        self._is_text = np.zeros(size, dtype=np.bool_)
        self._is_text[self._firsts] = True
        self._texts_with = _Postings.of(own_terms, own_texts, len(known))
        of_units, counts = np.unique(own_terms * len(self.units) + self._owners[own_texts], return_counts=True)
        unit_terms, having = np.divmod(of_units, max(len(self.units), 1))
        self._units_with = _Postings.of(unit_terms, having, len(known))
        usual = _SMOOTHED * np.bincount(own_terms, minlength=len(known)) / max(size, 1)
        self._gains = np.log1p(counts / usual[unit_terms])
        # log(c + u) - log(sizes + S) + log(S / u) is that of a unit that has the term nowhere, and its gain
        self._unlikelihood = np.log(_SMOOTHED / (self._sizes + _SMOOTHED))
        said = self._is_text[own_texts]
        self._said_by = _Postings.of(own_terms[said], self._owners[own_texts[said]], len(known))
        of_documents = np.unique(unit_terms * len(self._document_ids) + self.documents[having])
        self._documents_with = _Postings.of(*np.divmod(of_documents, max(len(self._document_ids), 1)), len(known))
        self._phrasings = size - len(self.units)
        self._rarity = self._rarity_of(np.bincount(own_terms[~said], minlength=len(known)))
        self._lengths = np.bincount(own_texts, weights=self._rarity[own_terms], minlength=size)

    def _rarity_of(self, frequency: NDArray[np.int64]) -> Floats:
        """Inverse document frequency as in BM25, in nats, of terms in so many phrasings."""
        result: Floats = np.log1p((self._phrasings - frequency + 0.5) / (frequency + 0.5))
        return result

    def match(self, questions: Sequence[UnitQuestion], context: Context) -> list[UnitMatch]:
        """Hold the things that a question asks against every unit."""
        readings = [reading for question in questions for reading in (question.clause, question.story)]
        # the story of a question is the same for all that it asks
        vectors = {id(reading.vector): reading.vector for reading in readings}
        cosines = {key: self._vectors @ vector for key, vector in vectors.items()}
        in_pairs = {text: self._pairs.overlaps(text) for text in {reading.text for reading in readings}}
        is_in_domain = np.asarray([placed.domain in context.domains for placed in self.units], dtype=np.float64)
        ranks = self._ranks(context)[self.documents]
        found = []
        for question in questions:
            clause = self._read(question.clause, cosines[id(question.clause.vector)], in_pairs[question.clause.text])
            is_alone = question.story is question.clause
            story = (
                clause
                if is_alone
                else self._read(question.story, cosines[id(question.story.vector)], in_pairs[question.story.text])
            )
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

    def _read(self, reading: Reading, cosines: FloatMatrix, in_pairs: tuple[Floats, Floats]) -> _ReadUnits:
        """A reading beside every unit; ``cosines`` and the overlaps ``in_pairs`` of letters are those with every text."""
        weighed = self._weighed(reading)
        dice, coverage = self._overlaps(weighed)
        presence, likelihood = self._presence(weighed)
        near = (cosines + dice) / 2
        by_unit = self._best_phrasing(near)
        by_document = np.full(len(self._document_ids), _NOWHERE)
        np.maximum.at(by_document, self.documents, by_unit)
        total = presence.total
        features = np.column_stack(
            [
                self._best_phrasing(dice),
                self._best_phrasing(coverage),
                coverage[self._firsts],
                self._nearest_phrasings(cosines),
                by_document[self.documents],
                reading.aspects[self._aspects],
                presence.weights @ presence.in_unit / total,
                (presence.weights @ presence.in_document / total)[self.documents],
                likelihood / total,
                *map(self._best_phrasing, in_pairs),
            ]
        )
        return _ReadUnits(features, near, presence)

    def _best_phrasing(self, scores: FloatMatrix | Floats) -> Floats:
        """The highest score of a phrasing of each unit, from those of every text."""
        result: Floats = np.maximum.reduceat(np.where(self._is_text, _NOWHERE, scores), self._firsts)
        return result

    def _nearest_phrasings(self, cosines: FloatMatrix) -> Floats:
        """The mean cosine of the nearest phrasings of each unit."""
        phrasings = np.append(cosines, np.float32(_NOWHERE))[self._grid]
        most = min(_NEAREST, phrasings.shape[1])
        nearest = np.partition(phrasings, -most, axis=1)[:, -most:]
        present = np.maximum((nearest > _NOWHERE).sum(axis=1), 1)
        result: Floats = np.where(nearest > _NOWHERE, nearest, 0.0).sum(axis=1) / present
        return result

    def agreement(self, number: int, best: Places) -> float:
        """The share of the units ``best`` that are of the document of a unit."""
        return float((self.documents[best] == self.documents[number]).mean())

    def of_document(self, document_id: str) -> Places:
        """The numbers of the units of a document; none where it has no units."""
        return np.flatnonzero(self.documents == self._document_ids.get(document_id, _NO_DOCUMENT))

    def phrasings_of(self, number: int) -> Places:
        """The places of a unit's phrasings among the texts."""
        first = int(self._firsts[number])
        return np.arange(first + 1, first + int(self._sizes[number]))

    def _overlaps(self, weighed: Sequence[_Weighed]) -> tuple[Floats, Floats]:
        """Dice overlap with every text, and the share of the question that it has."""
        held = np.zeros(len(self._owners))
        for number, weight in weighed:
            if number is not None:
                held[self._texts_with.of_term(number)] += weight
        total = sum(weight for _, weight in weighed) or 1.0
        return 2 * held / (total + self._lengths), held / total

    def _presence(self, weighed: Sequence[_Weighed]) -> tuple[Presence, Floats]:
        """Where each term of a reading stands, and how much likelier each unit makes the reading, in nats."""
        weights = np.array([weight for _, weight in weighed])
        in_unit, in_text = (np.zeros((len(weighed), len(self.units)), dtype=np.bool_) for _ in range(2))
        in_document = np.zeros((len(weighed), len(self._document_ids)), dtype=np.bool_)
        known = [(place, number, weight) for place, (number, weight) in enumerate(weighed) if number is not None]
        likelihood = self._unlikelihood * sum(weight for _, _, weight in known)
        for place, number, weight in known:
            units = self._units_with.of_term(number)
            in_unit[place, units] = True
            in_text[place, self._said_by.of_term(number)] = True
            in_document[place, self._documents_with.of_term(number)] = True
            likelihood[units] += weight * self._gains[self._units_with.span(number)]
        return Presence(weights, in_unit, in_text, in_document), likelihood

    def _weighed(self, reading: Reading) -> list[_Weighed]:
        """The number of each term, None for one that no unit has, and its rarity as far as it counts here."""
        numbers = [self._terms.get(term) for term in reading.terms]
        unknown = float(self._rarity_of(np.zeros(1, dtype=np.int64))[0])
        rarity = [unknown if number is None else float(self._rarity[number]) for number in numbers]
        return [(number, own * weight) for number, own, weight in zip(numbers, rarity, reading.weights, strict=True)]


@dataclass(frozen=True, slots=True)
class _Postings:
    """Of each term, by its number, the places that have it, in ascending order."""

    starts: Places
    places: Places

    @classmethod
    def of(cls, terms: Places, places: Places, size: int) -> Self:
        """Take pairs in the order of ``terms``; ``size`` is how many terms there are."""
        return cls(np.searchsorted(terms, np.arange(size + 1)), places)

    def span(self, term: int) -> slice:
        return slice(self.starts[term], self.starts[term + 1])

    def of_term(self, term: int) -> Places:
        return self.places[self.span(term)]


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


def _grid(firsts: Places, sizes: Places) -> Places:
    """The phrasings of each unit in a row, which is filled up with the number after the last text."""
    texts = int(sizes.sum())
    places = firsts[:, None] + np.arange(1, int(sizes.max(initial=2)))
    return np.where(places < (firsts + sizes)[:, None], places, texts)
