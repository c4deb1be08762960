"""Latin words and identifiers of a question that are one key away from those of the documents: databases.gte is databases.get."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from weakref import WeakKeyDictionary

from utils.korean.keystrokes import KeyNeighbours
from vectorstores.index import CollectionIndex, KnowledgeIndex
from vectorstores.search.relevance import frequency

_TYPED = re.compile(r"(?<![A-Za-z0-9._-])[A-Za-z][A-Za-z0-9]*(?:[._][A-Za-z0-9]+)*(?![A-Za-z0-9])")
_IDENTIFIER = re.compile(r"[a-z][a-z0-9]*(?:[._][a-z0-9]+)+")
_WORD = re.compile(r"[a-z]{6,}")  # a shorter one is near too many
_PRINTED = 3  # chunks that have a word: what stands in fewer may itself be a misprint
_MADE: WeakKeyDictionary[KnowledgeIndex, IdentifierSpelling] = WeakKeyDictionary()


class IdentifierSpelling:
    """Puts Latin words right by those that documents have; ``known`` with the number of chunks that have them."""

    def __init__(self, known: Mapping[str, int]) -> None:
        self._known = known
        self._near = KeyNeighbours(known)

    def repaired(self, text: str) -> str:
        """Return ``text`` with each unknown identifier, or word of six letters and more, as the most frequent that is one key away."""
        unknown = [word for word in _TYPED.findall(text) if _may_be_wrong(word) and word.lower() not in self._known]
        for word, near in zip(unknown, self._near.near([word.lower() for word in unknown]), strict=True):
            if near:
                meant = max(near, key=lambda term: (self._known[term], term))
                text = re.sub(rf"(?<![A-Za-z0-9._-]){re.escape(word)}(?![A-Za-z0-9])", meant, text)
        return text


def identifier_spelling(index: KnowledgeIndex) -> IdentifierSpelling:
    """Return the spelling of what an index has; made when the first question comes, and kept with the index."""
    if (made := _MADE.get(index)) is None:
        made = _MADE[index] = IdentifierSpelling(_latin_terms(tuple(index.collections.values())))
    return made


def _latin_terms(collections: Sequence[CollectionIndex]) -> dict[str, int]:
    whole = [collection for collection in collections if collection.bm25_error is None]
    terms = {term for collection in whole for term in collection.ranking.frequent_terms(1) if _may_be_wrong(term)}
    found = {term: sum(frequency(collection, term) for collection in whole) for term in terms}
    return {term: count for term, count in found.items() if _IDENTIFIER.fullmatch(term) or count >= _PRINTED}


def _may_be_wrong(word: str) -> bool:
    lowered = word.lower()
    return bool(_IDENTIFIER.fullmatch(lowered) or _WORD.fullmatch(lowered))
