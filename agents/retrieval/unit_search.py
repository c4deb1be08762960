"""The answer units for each thing that a question asks, and their documents in front of what else was found."""

from __future__ import annotations

from collections.abc import Sequence

from agents.state import AskedUnits
from utils.documents import Hit
from utils.korean.asks import AskedPart
from vectorstores.search.hybrid import HybridSearcher
from vectorstores.units.catalogue import Context

_FOR_EACH = 6  # units a thing asked
_FOUND_BY = frozenset({"units"})


def find_units(
    searcher: HybridSearcher, question: str, parts: Sequence[AskedPart], context: Context
) -> tuple[AskedUnits, ...]:
    """Look for the units of every thing that a question asks, ``parts``; none where no document has units."""
    if not searcher.units.catalogue.units:
        return ()
    whole = searcher.units.asked(question) if len(parts) > 1 else None
    found = []
    for part in parts:
        asked = searcher.units.asked(part.text, part.terms, part.weights, None if whole is None else whole.vector)
        units = tuple(searcher.units.find(asked, context, _FOR_EACH))
        found.append(AskedUnits(part.text, units, searcher.units.model.answers_from))
    return tuple(found)


def with_documents_of(units: Sequence[AskedUnits], documents: Sequence[Hit]) -> list[Hit]:
    """The documents of the units that answer, then the others in their order."""
    known = {hit.chunk.doc_id: hit for hit in reversed(documents)}
    leading: dict[str, Hit] = {}
    for one in units:
        if one.is_answered:
            chunk, best = one.units[0].chunk, one.units[0]
            made = Hit(chunk, score=best.score, relevance=best.answers, found_by=_FOUND_BY)
            leading.setdefault(chunk.doc_id, known.get(chunk.doc_id, made))
    return [*leading.values(), *(hit for hit in documents if hit.chunk.doc_id not in leading)]
