"""The vectors by which questions are held against answer units.

Those of the embedded encoder, taught further on the phrasings of the starter base for the terms that it has: there the words that tell
the units of one document from each other count, which law texts do not teach. Units are compared by these whatever
``EMBEDDING_PROVIDER`` says, so none of their phrasings is sent to a server. How they were taught: `evaluation.training.phrasings`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from utils.config.settings import PROJECT_ROOT
from utils.protocols import BulkAnalyzer, FloatMatrix
from vectorstores.embedders.ids import unit_embedder_id
from vectorstores.embedders.kiwi import KiwiEmbedder
from vectorstores.embedders.static_encoder import StaticEncoder, shipped_encoder

UNIT_ENCODER_DIR = PROJECT_ROOT / "data" / "units" / "encoder"


class UnitEncoder:
    """The vector of every term there can be: as ``taught``, and of a term that was not, as any ``other`` text has it."""

    def __init__(self, taught: StaticEncoder, other: StaticEncoder) -> None:
        self._taught = taught
        self._other = other

    def vectors(self, terms: Sequence[str]) -> FloatMatrix:
        """Return the vector that each term adds to a text, shape ``(len(terms), DIMENSION)``; zeros for a figure."""
        result = self._other.vectors(terms)
        own = [place for place, term in enumerate(terms) if term in self._taught]
        result[own] = self._taught.vectors([terms[place] for place in own])
        return result


@cache
def _shipped() -> UnitEncoder:
    return UnitEncoder(StaticEncoder.open(UNIT_ENCODER_DIR), shipped_encoder())


def unit_embedder(analyzer: BulkAnalyzer) -> KiwiEmbedder:
    """Return the embedder of units and of the questions held against them; raises as `StaticEncoder.open`."""
    return KiwiEmbedder(analyzer, _shipped(), unit_embedder_id(analyzer.id))
