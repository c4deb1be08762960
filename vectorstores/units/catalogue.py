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


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read a thing asked: its content terms with how much each counts, its vector, the odds of the aspects, and its text."""

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
        is_phrasing = np.ones(size, dtype=np.bool_)
        is_phrasing[self._grid[:, 0]] = False
        frequency = np.bincount(own_terms[is_phrasing[self._postings]], minlength=len(known))
        self._phrasings = int(is_phrasing.sum())
        self._rarity = self._rarity_of(frequency)
        self._lengths = np.bincount(self._postings, weights=self._rarity[own_terms], minlength=size)

    def _rarity_of(self, frequency: NDArray[np.int64]) -> Floats:
        """Inverse document frequency as in BM25, in nats, of terms in so many phrasings."""
        result: Floats = np.log1p((self._phrasings - frequency + 0.5) / (frequency + 0.5))
        return result

    def match(self, question: UnitQuestion, context: Context) -> UnitMatch:
        """Hold a thing asked against every unit."""
        readings = (question.clause, question.story) if question.story is not question.clause else (question.clause,)
        # one product for all readings, which is bound by reading the vectors
        cosines = self._vectors @ np.stack([reading.vector for reading in readings], axis=1)
        read = [self._read(reading, cosines[:, number]) for number, reading in enumerate(readings)]
        ranks = np.zeros(len(self._document_ids))
        for rank, document_id in reversed(list(enumerate(context.documents))):
            if document_id in self._document_ids:
                ranks[self._document_ids[document_id]] = 1 / (1 + rank)
        is_in_domain = np.asarray([placed.domain in context.domains for placed in self.units], dtype=np.float64)
        features = np.column_stack([read[0][0], read[-1][0], is_in_domain, ranks[self.documents]])
        return UnitMatch(self, question, features, (read[0][1] + read[-1][1]) / 2)

    def _read(self, reading: Reading, text_cosines: FloatMatrix) -> tuple[Floats, Floats]:
        """`READING_FEATURES` of every unit, shape ``(units, features)``, and the mean of overlap and cosine of every text."""
        cosines = np.append(text_cosines, _NOWHERE).astype(np.float64)
        dice, coverage = self._overlaps(reading)
        in_unit, in_document, likelihood = self._unit_scores(reading)
        pairs_dice, pairs_coverage = (np.append(scores, 0.0) for scores in self._pairs.overlaps(reading.text))
        phrasings = self._grid[:, 1:]
        nearest = np.sort(cosines[phrasings], axis=1)[:, ::-1][:, :_NEAREST]
        present = np.maximum((nearest > _NOWHERE).sum(axis=1), 1)
        near = (cosines + dice) / 2
        by_document = np.full(len(self._document_ids), _NOWHERE)
        np.maximum.at(by_document, self.documents, near[phrasings].max(axis=1))
        features = np.column_stack(
            [
                dice[phrasings].max(axis=1),
                coverage[phrasings].max(axis=1),
                coverage[self._grid[:, 0]],
                np.where(nearest > _NOWHERE, nearest, 0.0).sum(axis=1) / present,
                by_document[self.documents],
                reading.aspects[self._aspects],
                in_unit,
                in_document,
                likelihood,
                pairs_dice[phrasings].max(axis=1),
                pairs_coverage[phrasings].max(axis=1),
            ]
        )
        return features, near

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

    def _overlaps(self, reading: Reading) -> tuple[Floats, Floats]:
        """Dice overlap and share of the question for every text, each with a last entry for no text."""
        held = np.zeros(len(self._owners) + 1)
        for number, weight in self._weighed(reading):
            if number is not None:
                held[self._postings[self._starts[number] : self._starts[number + 1]]] += weight
        total = sum(weight for _, weight in self._weighed(reading)) or 1.0
        dice, coverage = 2 * held / (total + np.append(self._lengths, 0.0)), held / total
        dice[-1] = coverage[-1] = _NOWHERE
        return dice, coverage

    def _unit_scores(self, reading: Reading) -> tuple[Floats, Floats, Floats]:
        """Share of the question in any text of each unit, in any of its document, and how much likelier the unit makes it."""
        in_unit, in_document, likelihood = (np.zeros(len(self.units)) for _ in range(3))
        for number, weight in self._weighed(reading):
            if number is None:
                continue
            owners = self._owners[self._postings[self._starts[number] : self._starts[number + 1]]]
            counts = np.bincount(owners, minlength=len(self.units))
            usual = _SMOOTHED * len(owners) / len(self._owners)
            likelihood += weight * np.log((counts + usual) / (self._sizes + _SMOOTHED) * (_SMOOTHED / usual))
            in_unit += weight * (counts > 0)
            by_document = np.bincount(self.documents, counts, minlength=len(self._document_ids))
            in_document += weight * (by_document > 0)[self.documents]
        total = sum(weight for _, weight in self._weighed(reading)) or 1.0
        return in_unit / total, in_document / total, likelihood / total

    def _weighed(self, reading: Reading) -> list[tuple[int | None, float]]:
        """The number of each term, None for one that no unit has, and its rarity as far as it counts here."""
        numbers = [self._terms.get(term) for term in reading.terms]
        unknown = float(self._rarity_of(np.zeros(1, dtype=np.int64))[0])
        rarity = [unknown if number is None else float(self._rarity[number]) for number in numbers]
        return [(number, own * weight) for number, own, weight in zip(numbers, rarity, reading.weights, strict=True)]

    def presence(self, reading: Reading, number: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_], Floats]:
        """Which terms of the question a unit has, and its document; and what each counts."""
        weighed = self._weighed(reading)
        document = self.documents[number]
        in_unit, in_document = np.zeros(len(weighed), dtype=np.bool_), np.zeros(len(weighed), dtype=np.bool_)
        for place, (term, _) in enumerate(weighed):
            if term is not None:
                owners = self._owners[self._postings[self._starts[term] : self._starts[term + 1]]]
                in_unit[place] = bool((owners == number).any())
                in_document[place] = bool((self.documents[owners] == document).any())
        return in_unit, in_document, np.asarray([weight for _, weight in weighed])

    def held(self, reading: Reading, numbers: Sequence[int]) -> tuple[float, float]:
        """The shares of a question, by rarity, that these units have in their texts, and in texts or phrasings."""
        in_text = in_units = total = 0.0
        for term, weight in self._weighed(reading):
            total += weight
            if term is None:
                continue
            texts = self._postings[self._starts[term] : self._starts[term + 1]]
            own = texts[np.isin(self._owners[texts], numbers)]
            in_units += weight * bool(len(own))
            in_text += weight * bool(np.isin(own, self._grid[numbers, 0]).any())
        return (in_text / total, in_units / total) if total else (1.0, 1.0)


@dataclass(frozen=True, slots=True)
class UnitMatch:
    """The standing of all units to a thing asked: `ORDER_FEATURES`, shape ``(units, features)``; the mean of overlap and
    cosine of every text."""

    catalogue: UnitCatalogue
    question: UnitQuestion
    order_features: Floats
    near: Floats

    def answer_features(self, number: int, score: float, agreement: float) -> Floats:
        """`ANSWER_FEATURES` of a unit that the learned order gives ``score``; ``agreement`` is that of the best units with it."""
        in_unit, in_document, rarity = self.catalogue.presence(self.question.clause, number)
        total = rarity.sum() or 1.0
        return np.array(
            [
                score,
                *self.order_features[number, [_IN_DOMAIN, _DOCUMENT_RANK]],
                rarity[~in_unit].max(initial=0.0) / _RAREST,
                rarity[~in_unit].sum() / total,
                rarity[~in_document].sum() / total,
                np.log1p(len(rarity)),
                agreement,
            ]
        )

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
