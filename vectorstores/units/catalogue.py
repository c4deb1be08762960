"""All answer units of an index version side by side: which terms, pairs of letters and vectors their phrasings and texts have.

`vectorstores.units.match` holds a question against them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from utils.protocols import FloatMatrix
from vectorstores.storage.unit_table import StoredUnit, UnitTable
from vectorstores.units.aspects import place_of
from vectorstores.units.extent import Extent
from vectorstores.units.letter_pairs import LetterPairs
from vectorstores.units.postings import Floats, Places, Postings, distinct

_NO_DOCUMENT = -1
_SMOOTHED = 4.0  # texts of the whole base that stand beside those of each unit


@dataclass(frozen=True, slots=True)
class PlacedUnit:
    """A unit, its collection and the domain of that."""

    stored: StoredUnit
    collection: str
    domain: str


class UnitCatalogue:
    """Reads only; numbers name units by their place in ``units``, and texts by their place among all of them.

    The texts of a unit stand one after the other, its own text before its phrasings: ``sizes[n]`` of them from ``firsts[n]`` on.
    ``documents`` numbers the document of each unit, ``aspects`` its aspect. ``vectors`` has shape ``(texts, dimension)``.
    ``lengths`` is the sum of the rarities of a text's terms, in nats. ``everything`` is the extent of all units.
    """

    def __init__(self, tables: Mapping[tuple[str, str], UnitTable]) -> None:
        """``tables`` by collection and domain."""
        self.units = tuple(PlacedUnit(stored, *place) for place, table in tables.items() for stored in table.units)
        documents: dict[str, int] = {}
        self.documents = np.asarray(
            [documents.setdefault(placed.stored.document_id, len(documents)) for placed in self.units], dtype=np.int64
        )
        self.document_ids: Mapping[str, int] = documents
        self.aspects = np.asarray([place_of(placed.stored.unit.aspect) for placed in self.units], dtype=np.int64)
        names = sorted({placed.domain for placed in self.units})
        self._domain_names = names
        self._domains = np.asarray([names.index(placed.domain) for placed in self.units], dtype=np.int64)
        self._read_texts(tables)
        self.everything = self.extent(np.arange(len(self.units)))
        # A place for the text of each unit too, so that these have the numbers of the texts; it is held against none.
        self.pairs = LetterPairs(
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
        text_owners = np.concatenate(owners) if owners else np.zeros(0, dtype=np.int64)
        self.vectors: FloatMatrix = (
            np.concatenate([table.vectors for table in tables.values()], dtype=np.float32)
            if owners
            else np.zeros((0, 0), np.float32)
        )
        size = len(text_owners)
        pairs = distinct(np.concatenate(terms) * size + np.concatenate(texts)) if owners else np.zeros(0, np.int64)
        own_terms, own_texts = np.divmod(pairs, max(size, 1))
        self.sizes = np.bincount(text_owners, minlength=len(self.units))
        self.firsts = np.cumsum(self.sizes) - self.sizes
        is_text = np.zeros(size, dtype=np.bool_)
        is_text[self.firsts] = True
        self.texts_with = Postings.of(own_terms, own_texts, len(known), size)
        of_units, counts = np.unique(own_terms * len(self.units) + text_owners[own_texts], return_counts=True)
        unit_terms, having = np.divmod(of_units, max(len(self.units), 1))
        self.units_with = Postings.of(unit_terms, having, len(known), len(self.units))
        usual = _SMOOTHED * np.bincount(own_terms, minlength=len(known)) / max(size, 1)
        # log(c + u) - log(sizes + S) + log(S / u) is that of a unit that has the term nowhere, and its gain
        self.gains = np.log1p(counts / usual[unit_terms])
        self.unlikelihood = np.log(_SMOOTHED / (self.sizes + _SMOOTHED))
        said = is_text[own_texts]
        self.said_by = Postings.of(own_terms[said], text_owners[own_texts[said]], len(known), len(self.units))
        of_documents = distinct(unit_terms * len(self.document_ids) + self.documents[having])
        of_documents, holding = np.divmod(of_documents, max(len(self.document_ids), 1))
        self.documents_with = Postings.of(of_documents, holding, len(known), len(self.document_ids))
        self._phrasings = size - len(self.units)
        # the last one is that of a term that no unit has
        self._rarity = self._rarity_of(np.bincount(own_terms[~said], minlength=len(known) + 1))
        self.lengths = np.bincount(own_texts, weights=self._rarity[own_terms], minlength=size).astype(
            np.float64, copy=False
        )

    def _rarity_of(self, frequency: NDArray[np.int64]) -> Floats:
        """Inverse document frequency as in BM25, in nats, of terms in so many phrasings."""
        result: Floats = np.log1p((self._phrasings - frequency + 0.5) / (frequency + 0.5))
        return result

    def numbered(self, terms: Sequence[str]) -> tuple[Places, Floats]:
        """The number of each term in the postings, and its rarity in nats."""
        unknown = len(self._terms)
        numbers = np.fromiter((self._terms.get(term, unknown) for term in terms), dtype=np.int64, count=len(terms))
        return numbers, self._rarity[numbers]

    def knows(self, numbers: Places) -> NDArray[np.bool_]:
        """Which of the numbered terms a unit has."""
        known: NDArray[np.bool_] = numbers < len(self._terms)
        return known

    def extent(self, units: Places) -> Extent:
        """Some units, in ascending order, with their texts."""
        return Extent.of(units, self.sizes[units], self.firsts[units])

    def in_domains(self, domains: Collection[str]) -> Floats:
        """1 for each unit of one of these domains, else 0."""
        is_asked = np.asarray([name in domains for name in self._domain_names], dtype=np.float64)
        result: Floats = is_asked[self._domains]
        return result

    def ranks(self, documents: Sequence[str]) -> Floats:
        """The reciprocal rank of each document, by its number, in a list of ids, best first; 0 for one that is not in it."""
        ranks = np.zeros(len(self.document_ids))
        for rank, document_id in reversed(list(enumerate(documents))):
            if document_id in self.document_ids:
                ranks[self.document_ids[document_id]] = 1 / (1 + rank)
        return ranks

    def agreement(self, numbers: Places, best: Places) -> Floats:
        """The share of the units ``best`` that are of the document of each unit."""
        result: Floats = (self.documents[best] == self.documents[numbers, None]).mean(axis=1)
        return result

    def of_document(self, document_id: str) -> Places:
        """The numbers of the units of a document; none where it has no units."""
        return np.flatnonzero(self.documents == self.document_ids.get(document_id, _NO_DOCUMENT))

    def phrasings_of(self, number: int) -> slice:
        """The places of a unit's phrasings among the texts."""
        first = int(self.firsts[number])
        return slice(first + 1, first + int(self.sizes[number]))
