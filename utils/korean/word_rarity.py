"""Rarity of words and of pairs of syllables among the sentences of the index.

Every sentence in the few documents of one question has the words of the subject; rare words tell the sentences apart.
Pairs of syllables match words that the analyser splits differently (상여도, 상여금).
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from pydantic import BaseModel

from utils.config.settings import PROJECT_ROOT

RARITY_FILE = PROJECT_ROOT / "data" / "extractive" / "rarity.json"
_NO_WORD = re.compile(r"[^가-힣0-9a-zA-Z]")
_KEPT_FROM = 3  # sentences; what stands in fewer is as rare as what stands in none


class _Counts(BaseModel):
    sentences: int
    terms: dict[str, int]
    pairs: dict[str, int]


@dataclass(frozen=True)
class WordRarity:
    """Inverse document frequencies over ``sentences`` sentences, from those in which each term and each pair stands."""

    sentences: int
    terms: Mapping[str, int]
    pairs: Mapping[str, int]

    @classmethod
    def load(cls, path: Path = RARITY_FILE) -> Self:
        """Read the counts.

        Raises:
            OSError: the file cannot be read.
            ValueError: it is not of the expected form.
        """
        counts = _Counts.model_validate_json(path.read_bytes())
        return cls(counts.sentences, counts.terms, counts.pairs)

    @classmethod
    def count(cls, sentences: Sequence[tuple[Iterable[str], str]]) -> Self:
        """Of sentences given as their terms and their `squeezed` text."""
        terms = Counter(term for own, _ in sentences for term in set(own))
        pairs = Counter(pair for _, plain in sentences for pair in syllable_pairs(plain))
        return cls(len(sentences), _common(terms), _common(pairs))

    def as_json(self) -> str:
        return _Counts(sentences=self.sentences, terms=dict(self.terms), pairs=dict(self.pairs)).model_dump_json()

    def of_term(self, term: str) -> float:
        """The weight of a term, above 0."""
        return self._weight(self.terms.get(term, 0))

    def of_pair(self, pair: str) -> float:
        """The weight of two syllables in a row, above 0."""
        return self._weight(self.pairs.get(pair, 0))

    def _weight(self, count: int) -> float:
        return math.log(1 + self.sentences / (1 + count))


def squeezed(text: str) -> str:
    """``text`` without spaces and punctuation."""
    return _NO_WORD.sub("", text)


def syllable_pairs(plain: str) -> frozenset[str]:
    """The pairs of neighbours in a squeezed text."""
    return frozenset(plain[at : at + 2] for at in range(len(plain) - 1))


def _common(counts: Counter[str]) -> dict[str, int]:
    return {word: count for word, count in sorted(counts.items()) if count >= _KEPT_FROM}
