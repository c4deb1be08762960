"""The answer units for each thing that a question asks, and their documents in front of what else was found."""

from __future__ import annotations

from collections.abc import Sequence

from agents.state import AskedUnits
from utils.documents import Hit
from utils.question_decomposer import SubQuery
from vectorstores.search.hybrid import HybridSearcher
from vectorstores.units.catalogue import Context

_FOR_EACH = 6  # units a thing asked
_FOUND_BY = frozenset({"units"})


def find_units(
    searcher: HybridSearcher, sub_queries: Sequence[SubQuery], documents: Sequence[Hit]
) -> tuple[AskedUnits, ...]:
    """Look for the units of every thing asked; those of parts that ask the same question are looked for once."""
    if not searcher.units.catalogue.units:
        return ()
    ids = tuple(dict.fromkeys(hit.chunk.doc_id for hit in documents))
    domains: dict[str, list[str]] = {}
    for part in sub_queries:
        domains.setdefault(part.query, []).append(part.domain)
    found = []
    for question, own in domains.items():
        asked = searcher.units.asked(question)
        units = searcher.units.find(asked, Context(own, ids), _FOR_EACH)
        found.append(AskedUnits(question, question, tuple(units), searcher.units.model.answers_from))
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
