"""A question held against the answer units.

A thing asked is held against the phrasings of a unit, question against question, and against its text: terms by their rarity among
all phrasings, pairs of letters, and vectors by their cosine. Words and letters are compared with every unit, for few have them; the
rest only with the units of the documents that words and letters leave in question.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Self

import numpy as np
from numpy.typing import NDArray

from utils.protocols import FloatMatrix
from vectorstores.units.aspects import AspectOdds
from vectorstores.units.catalogue import UnitCatalogue
from vectorstores.units.extent import NOWHERE, Extent
from vectorstores.units.model import COSINES, ORDER_FEATURES
from vectorstores.units.postings import Floats, Overlap, Places, TermPlaces

SHORTLIST = 60
"""So many documents are left in question by words and letters."""
_LIKELIHOOD_SHARE = (
    0.1  # chosen on the owners' questions that are learned from: the best unit is looked at for 543 of 545
)
_COSINES = [ORDER_FEATURES.index(name) for name in COSINES]
_RAREST = 10.0  # scale of the rarity of missing words, in nats

Flags = NDArray[np.bool_]


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
class TermStanding:
    """Where the terms of a question stand, whatever they count for a reading of it: in any text of a unit, in its own text, of shape
    ``(terms, units)``, and in any of a document, ``(terms, documents)``. ``rarities`` are in nats."""

    rarities: Floats
    is_known: Flags
    texts: TermPlaces
    units: TermPlaces
    documents: TermPlaces
    gains: Floats
    in_unit: Flags
    in_text: Flags
    in_document: Flags

    @classmethod
    def of(cls, terms: Sequence[str], catalogue: UnitCatalogue) -> Self:
        numbers, rarities = catalogue.numbered(terms)
        units, documents = catalogue.units_with.of_terms(numbers), catalogue.documents_with.of_terms(numbers)
        return cls(
            rarities=rarities,
            is_known=catalogue.knows(numbers),
            texts=catalogue.texts_with.of_terms(numbers),
            units=units,
            documents=documents,
            gains=catalogue.units_with.joined(catalogue.gains, numbers),
            in_unit=units.flags(),
            in_text=catalogue.said_by.of_terms(numbers).flags(),
            in_document=documents.flags(),
        )


@dataclass(frozen=True, slots=True)
class UnitMatch:
    """The standing of units to a thing asked.

    ``numbers`` are the units that were looked at, in ascending order, and ``order_features`` their `ORDER_FEATURES`, shape
    ``(len(numbers), features)``. ``near`` is the mean of overlap and cosine of every text, -1 for those of other units.
    ``standing`` says where the terms stand, and ``weights`` is their rarity as far as each counts for the clause; ``in_domain`` and
    ``ranks`` are of every unit.
    """

    catalogue: UnitCatalogue
    question: UnitQuestion
    numbers: Places
    order_features: Floats
    near: Floats
    standing: TermStanding
    weights: Floats
    in_domain: Floats
    ranks: Floats

    def answer_features(self, numbers: Places, scores: Floats, agreement: Floats) -> Floats:
        """`ANSWER_FEATURES` of units to which the learned order gives ``scores``, shape ``(len(numbers), features)``; ``agreement``
        is that of the best units with each."""
        weights, total = self.weights[:, None], self.weights.sum() or 1.0
        missing = np.where(self.standing.in_unit[:, numbers], 0.0, weights)
        in_document = self.standing.in_document[:, self.catalogue.documents[numbers]]
        return np.column_stack(
            [
                scores,
                self.in_domain[numbers],
                self.ranks[numbers],
                missing.max(axis=0, initial=0.0) / _RAREST,
                missing.sum(axis=0) / total,
                np.where(in_document, 0.0, weights).sum(axis=0) / total,
                np.full(len(numbers), np.log1p(len(weights))),
                agreement,
                self.order_features[np.searchsorted(self.numbers, numbers)][:, _COSINES],
            ]
        )

    def held(self, numbers: Sequence[int]) -> tuple[float, float]:
        """The shares of the clause, by rarity, that these units have in their texts, and in texts or phrasings."""
        weights = self.weights
        if not weights.sum():
            return 1.0, 1.0
        of_units = (self.standing.in_text[:, numbers], self.standing.in_unit[:, numbers])
        in_text, in_units = (float(weights[held.any(axis=1)].sum() / weights.sum()) for held in of_units)
        return in_text, in_units

    def nearness(self, number: int) -> tuple[float, ...]:
        """The nearness of the question to each phrasing of a unit that was looked at."""
        return tuple(self.near[self.catalogue.phrasings_of(number)].tolist())


def match_units(
    catalogue: UnitCatalogue, questions: Sequence[UnitQuestion], context: Context, most_documents: int = SHORTLIST
) -> list[UnitMatch]:
    """Hold the things that a question asks against the units of the ``most_documents`` likeliest documents."""
    readings = {id(each): each for question in questions for each in (question.clause, question.story)}
    # the story of a question is the same for all that it asks
    pairs = {text: _Pairs.of(text, catalogue) for text in {reading.text for reading in readings.values()}}
    standing = {terms: TermStanding.of(terms, catalogue) for terms in {reading.terms for reading in readings.values()}}
    words = {
        key: _Words.of(reading, catalogue, standing[reading.terms], pairs[reading.text])
        for key, reading in readings.items()
    }
    in_domain = catalogue.in_domains(context.domains)
    ranks = catalogue.ranks(context.documents)
    found = []
    for question in questions:
        clause, story = words[id(question.clause)], words[id(question.story)]
        extent = catalogue.everything
        if most_documents < len(catalogue.document_ids):
            likely = _likely_documents(catalogue, clause.likeness + story.likeness, ranks, most_documents)
            extent = catalogue.extent(np.flatnonzero(likely[catalogue.documents]))
        found.append(_matched(catalogue, question, extent, (clause, story), in_domain, ranks[catalogue.documents]))
    return found


def _likely_documents(catalogue: UnitCatalogue, likeness: Floats, ranks: Floats, most: int) -> Flags:
    """The documents with the units that are likest by words and letters, and those found by the search; by their numbers."""
    best = np.full(len(catalogue.document_ids), NOWHERE)
    np.maximum.at(best, catalogue.documents, likeness)
    least = np.partition(best, -most)[-most]
    likely: Flags = (best >= least) | (ranks > 0)
    return likely


def _matched(
    catalogue: UnitCatalogue,
    question: UnitQuestion,
    extent: Extent,
    words: tuple[_Words, _Words],
    in_domain: Floats,
    ranks: Floats,
) -> UnitMatch:
    readings = (question.clause, question.story)
    is_alone = question.story is question.clause
    vectors = np.stack([reading.vector for reading in readings[: 1 if is_alone else 2]])
    cosines = _cosines(catalogue.vectors, extent.texts, vectors)
    clause, near = _features(catalogue, question.clause, words[0], extent, cosines[0])
    story = clause
    if not is_alone:
        story, story_near = _features(catalogue, question.story, words[1], extent, cosines[1])
        near = (near + story_near) / 2
    spread = np.full(len(catalogue.lengths), NOWHERE)
    spread[extent.texts] = near
    numbers = extent.units
    features = np.column_stack([clause, story, in_domain[numbers], ranks[numbers]])
    of_clause = words[0]
    return UnitMatch(
        catalogue, question, numbers, features, spread, of_clause.standing, of_clause.weights, in_domain, ranks
    )


def _cosines(vectors: FloatMatrix, texts: Places, asked: FloatMatrix) -> FloatMatrix:
    """The cosines of some texts with each vector that is asked for, shape ``(asked, texts)``."""
    found = np.empty((len(asked), len(texts)), dtype=np.float32)
    ends = (np.flatnonzero(np.diff(texts) != 1) + 1).tolist()
    for first, last in pairwise([0, *ends, len(texts)]):  # those beside each other at once: nothing is copied
        begin = int(texts[first])
        beside = vectors[begin : begin + last - first]
        for vector, row in zip(asked, found, strict=True):  # a product for each: one for a few takes four times as long
            np.dot(beside, vector, out=row[first:last])
    return found


def _features(
    catalogue: UnitCatalogue, reading: Reading, words: _Words, extent: Extent, cosines: NDArray[np.float32]
) -> tuple[Floats, Floats]:
    """`READING_FEATURES` of the units of an extent, and the mean of overlap and cosine of each of its texts."""
    numbers = extent.units
    documents = catalogue.documents[numbers]
    near = (cosines + words.terms.dice[extent.texts]) / 2
    by_document = np.full(len(catalogue.document_ids), NOWHERE)
    np.maximum.at(by_document, documents, extent.best_phrasing(near))
    total, standing = words.total, words.standing
    features = np.column_stack(
        [
            words.phrasing[numbers],
            extent.best_phrasing(words.terms.share(extent.texts)),
            words.terms.share(catalogue.firsts[numbers]),
            extent.nearest_phrasings(cosines),
            by_document[documents],
            reading.aspects[catalogue.aspects[numbers]],
            standing.units.sums(words.weights)[numbers] / total,
            standing.documents.sums(words.weights)[documents] / total,
            words.likelihood[numbers] / total,
            words.pairs.phrasing[numbers],
            extent.best_phrasing(words.pairs.overlap.share(extent.texts)),
        ]
    )
    return features, near


@dataclass(frozen=True, slots=True)
class _Pairs:
    """A text beside all units by its pairs of letters; ``phrasing`` is the best overlap of each unit's phrasings."""

    overlap: Overlap
    phrasing: Floats

    @classmethod
    def of(cls, text: str, catalogue: UnitCatalogue) -> Self:
        overlap = catalogue.pairs.overlap(text)
        return cls(overlap, catalogue.everything.best_phrasing(overlap.dice))


@dataclass(frozen=True, slots=True)
class _Words:
    """A reading beside all units by its words and letters.

    ``weights`` is the rarity of each term as far as it counts; ``phrasing`` is the best overlap in terms of each unit's phrasings;
    ``likelihood`` is how much likelier each unit makes the reading, in nats.
    """

    standing: TermStanding
    weights: Floats
    terms: Overlap
    pairs: _Pairs
    phrasing: Floats
    likelihood: Floats

    @classmethod
    def of(cls, reading: Reading, catalogue: UnitCatalogue, standing: TermStanding, pairs: _Pairs) -> Self:
        weights = standing.rarities * np.array(reading.weights)
        terms = Overlap.of(standing.texts.sums(weights), float(weights.sum()), catalogue.lengths)
        gained = standing.units.added(np.repeat(weights, standing.units.counts) * standing.gains)
        likelihood = catalogue.unlikelihood * weights[standing.is_known].sum() + gained
        return cls(standing, weights, terms, pairs, catalogue.everything.best_phrasing(terms.dice), likelihood)

    @property
    def total(self) -> float:
        """The weight of all terms; 1 where none counts."""
        return self.terms.total

    @property
    def likeness(self) -> Floats:
        """The overlap of each unit's best phrasings in words and in letters, and a little of the likelihood."""
        return self.phrasing + self.pairs.phrasing + _LIKELIHOOD_SHARE * self.likelihood / self.total
