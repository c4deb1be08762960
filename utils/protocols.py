"""Protocols of objects that come from ``vectorstores``: analysers, embedders, vectors.

``utils`` sits below ``vectorstores`` in the import order, so its parts take an analyser or an embedder through
their constructors and name only these protocols.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from utils.documents import LocatedTerms

FloatMatrix = NDArray[np.float32]


class Morpheme(NamedTuple):
    """A morpheme of an analysed text; ``start`` and ``end`` are character offsets into that text.

    ``log_probability`` of the morpheme in its context, by the analyser's language model, in nats (0 or less). A tuple, for a question
    is some hundreds of them, and these are made in a third of the time.
    """

    form: str
    tag: str
    start: int
    end: int
    log_probability: float = 0.0


class BulkAnalyzer(Protocol):
    """Korean morphological analysis of many texts, as a build of the index needs it."""

    @property
    def id(self) -> str:
        """Name and version; an index built with another id is refused."""
        ...

    def located_many(self, texts: Iterable[str]) -> Iterator[LocatedTerms]:
        """The content terms of each text with their places, which rise; in order, on all cores."""
        ...


class Analyzer(BulkAnalyzer, Protocol):
    """Korean morphological analysis."""

    def terms(self, text: str) -> list[str]:
        """Content terms of ``text`` in order, as indexed."""
        ...

    def located(self, text: str) -> LocatedTerms:
        """``terms`` with their places, which rise."""
        ...

    def morphemes(self, text: str) -> list[Morpheme]:
        """All morphemes of ``text`` with tags and offsets (particles and endings included)."""
        ...


@dataclass(frozen=True, slots=True)
class AnalyzedText:
    """A text with its content terms, so that each embedder takes what it needs and nothing is analysed twice."""

    text: str
    terms: tuple[str, ...]


class Embedder(Protocol):
    """Text to unit vectors."""

    @property
    def id(self) -> str:
        """Name and version; an index built with another id is refused."""
        ...

    @property
    def dimension(self) -> int: ...

    def embed(self, items: Sequence[AnalyzedText]) -> FloatMatrix:
        """Unit vectors of questions, shape ``(len(items), dimension)``."""
        ...

    def embed_passages(self, items: Sequence[AnalyzedText]) -> FloatMatrix:
        """The same of passages to be found; some models read them another way."""
        ...
