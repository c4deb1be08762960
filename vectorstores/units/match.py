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
from vectorstores.units.model import COSINES, ORDER_FEATURES, Floats
from vectorstores.units.postings import Places

SHORTLIST = 60
"""So many documents are left in question by words and letters."""
_LIKELIHOOD_SHARE = (
    0.1  # chosen on the owners' questions that are learned from: the best unit is looked at for 543 of 545
)
_COSINES = [ORDER_FEATURES.index(name) for name in COSINES]
_RAREST = 10.0  # scale of the rarity of missing words, in nats

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
class UnitMatch:
    """The standing of units to a thing asked.

    ``numbers`` are the units that were looked at, in ascending order, and ``order_features`` their `ORDER_FEATURES`, shape
    ``(len(numbers), features)``. ``near`` is the mean of overlap and cosine of every text, -1 for those of other units.
    ``presence`` says where the terms of the clause stand; ``in_domain`` and ``ranks`` are of every unit.
    """

    catalogue: UnitCatalogue
    question: UnitQuestion
    numbers: Places
    order_features: Floats
    near: Floats
    presence: Presence
    in_domain: Floats
    ranks: Floats

    def answer_features(self, number: int, score: float, agreement: float) -> Floats:
        """`ANSWER_FEATURES` of a unit that the learned order gives ``score``; ``agreement`` is that of the best units with it."""
        weights, total = self.presence.weights, self.presence.total
        missing = weights[~self.presence.in_unit[:, number]]
        in_document = self.presence.in_document[:, self.catalogue.documents[number]]
        return np.array(
            [
                score,
                self.in_domain[number],
                self.ranks[number],
                missing.max(initial=0.0) / _RAREST,
                missing.sum() / total,
                weights[~in_document].sum() / total,
                np.log1p(len(weights)),
                agreement,
                *self.order_features[np.searchsorted(self.numbers, number), _COSINES],
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
        """The nearness of the question to each phrasing of a unit that was looked at."""
        return tuple(self.near[self.catalogue.phrasings_of(number)].tolist())


def match_units(
    catalogue: UnitCatalogue, questions: Sequence[UnitQuestion], context: Context, most_documents: int = SHORTLIST
) -> list[UnitMatch]:
    """Hold the things that a question asks against the units of the ``most_documents`` likeliest documents."""
    readings = {id(each): each for question in questions for each in (question.clause, question.story)}
    # the story of a question is the same for all that it asks
    pairs = {text: catalogue.pairs.overlaps(text) for text in {reading.text for reading in readings.values()}}
    words = {key: _Words.of(reading, catalogue, pairs[reading.text]) for key, reading in readings.items()}
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
    clause, near = _features(catalogue, question.clause, words[0], extent, cosines[:, 0])
    story = clause
    if not is_alone:
        story, story_near = _features(catalogue, question.story, words[1], extent, cosines[:, 1])
        near = (near + story_near) / 2
    spread = np.full(len(catalogue.lengths), NOWHERE)
    spread[extent.texts] = near
    numbers = extent.units
    features = np.column_stack([clause, story, in_domain[numbers], ranks[numbers]])
    return UnitMatch(catalogue, question, numbers, features, spread, words[0].presence, in_domain, ranks)


def _cosines(vectors: FloatMatrix, texts: Places, asked: FloatMatrix) -> FloatMatrix:
    """The cosines of some texts with each vector that is asked for, shape ``(texts, asked)``."""
    found = np.empty((len(texts), len(asked)), dtype=np.float32)
    ends = (np.flatnonzero(np.diff(texts) != 1) + 1).tolist()
    for first, last in pairwise([0, *ends, len(texts)]):  # those beside each other at once: nothing is copied
        begin = int(texts[first])
        np.matmul(vectors[begin : begin + last - first], asked.T, out=found[first:last])
    return found


def _features(
    catalogue: UnitCatalogue, reading: Reading, words: _Words, extent: Extent, cosines: NDArray[np.float32]
) -> tuple[Floats, Floats]:
    """`READING_FEATURES` of the units of an extent, and the mean of overlap and cosine of each of its texts."""
    numbers = extent.units
    documents = catalogue.documents[numbers]
    near = (cosines + words.dice[extent.texts]) / 2
    by_document = np.full(len(catalogue.document_ids), NOWHERE)
    np.maximum.at(by_document, documents, extent.best_phrasing(near))
    presence, total = words.presence, words.presence.total
    features = np.column_stack(
        [
            words.phrasing[numbers],
            extent.best_phrasing(words.coverage[extent.texts]),
            words.coverage[catalogue.firsts[numbers]],
            extent.nearest_phrasings(cosines),
            by_document[documents],
            reading.aspects[catalogue.aspects[numbers]],
            presence.weights @ presence.in_unit[:, numbers] / total,
            (presence.weights @ presence.in_document / total)[documents],
            words.likelihood[numbers] / total,
            words.pairs[numbers],
            extent.best_phrasing(words.pairs_coverage[extent.texts]),
        ]
    )
    return features, near


@dataclass(frozen=True, slots=True)
class _Words:
    """A reading beside all units by its words and letters.

    ``dice``, ``coverage`` and ``pairs_coverage`` are of every text; ``phrasing`` and ``pairs`` the best of each unit's phrasings;
    ``likelihood`` how much likelier each unit makes the reading, in nats.
    """

    dice: Floats
    coverage: Floats
    pairs_coverage: Floats
    phrasing: Floats
    pairs: Floats
    presence: Presence
    likelihood: Floats

    @classmethod
    def of(cls, reading: Reading, catalogue: UnitCatalogue, in_pairs: tuple[Floats, Floats]) -> Self:
        rarities = catalogue.numbered(reading.terms)
        weighed = [(number, rarity * own) for (number, rarity), own in zip(rarities, reading.weights, strict=True)]
        dice, coverage = _overlaps(weighed, catalogue)
        best = catalogue.everything.best_phrasing
        presence, likelihood = _presence(weighed, catalogue)
        return cls(dice, coverage, in_pairs[1], best(dice), best(in_pairs[0]), presence, likelihood)

    @property
    def likeness(self) -> Floats:
        """The overlap of each unit's best phrasings in words and in letters, and a little of the likelihood."""
        return self.phrasing + self.pairs + _LIKELIHOOD_SHARE * self.likelihood / self.presence.total


def _overlaps(weighed: Sequence[_Weighed], catalogue: UnitCatalogue) -> tuple[Floats, Floats]:
    """Dice overlap with every text, and the share of the question that it has."""
    held = np.zeros(len(catalogue.lengths))
    for number, weight in weighed:
        if number is not None:
            held[catalogue.texts_with.of_term(number)] += weight
    total = sum(weight for _, weight in weighed) or 1.0
    return 2 * held / (total + catalogue.lengths), held / total


def _presence(weighed: Sequence[_Weighed], catalogue: UnitCatalogue) -> tuple[Presence, Floats]:
    """Where each term of a reading stands, and how much likelier each unit makes the reading, in nats."""
    weights = np.array([weight for _, weight in weighed])
    in_unit, in_text = (np.zeros((len(weighed), len(catalogue.units)), dtype=np.bool_) for _ in range(2))
    in_document = np.zeros((len(weighed), len(catalogue.document_ids)), dtype=np.bool_)
    known = [(place, number, weight) for place, (number, weight) in enumerate(weighed) if number is not None]
    likelihood = catalogue.unlikelihood * sum(weight for _, _, weight in known)
    for place, number, weight in known:
        units = catalogue.units_with.of_term(number)
        in_unit[place, units] = True
        in_text[place, catalogue.said_by.of_term(number)] = True
        in_document[place, catalogue.documents_with.of_term(number)] = True
        likelihood[units] += weight * catalogue.gains[catalogue.units_with.span(number)]
    return Presence(weights, in_unit, in_text, in_document), likelihood
