"""Answer units on the day asked: one whose days are over or lie ahead says so, and stands behind one that holds."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from agents.state import AskedUnits
from utils.documents import Hit
from utils.knowledge.units import AnswerUnit
from utils.knowledge.validity import validity_note
from vectorstores.units.search import FoundUnit

_NEAR = 1.3  # in log odds behind: as near, of whatever document
_YEAR = re.compile(r"(?<!\d)(20\d\d)년")


def in_force(asked: AskedUnits, today: date) -> AskedUnits:
    """The units with their notes, each that does not hold at the time asked about behind the best of its matter that does.

    That time is the years that the question names, else ``today``. The yes or no was that of the unit which led.
    """
    spans = [(date(int(year), 1, 1), date(int(year), 12, 31)) for year in _YEAR.findall(asked.ask)] or [(today, today)]
    noted = [replace(found, note=validity_note(found.unit, today)) for found in asked.units]
    held = [found for found in noted if _holds(found.unit, spans) and found.answers >= asked.answers_from]
    put_back = [found if _holds(found.unit, spans) else _behind(found, held) for found in noted]
    units = tuple(sorted(put_back, key=lambda found: (-found.score, not _holds(found.unit, spans))))
    leads_still = bool(units) and units[0].unit is asked.units[0].unit
    return replace(asked, units=units, verdict=asked.verdict if leads_still else None)


def _holds(unit: AnswerUnit, spans: Sequence[tuple[date, date]]) -> bool:
    return any(not unit.has_expired(first) and not unit.is_ahead(last) for first, last in spans)


def _behind(found: FoundUnit, held: Sequence[FoundUnit]) -> FoundUnit:
    """A unit with at most the score of the best one of its matter that holds: of its aspect, and of its document or as near."""
    scores = [
        other.score
        for other in held
        if other.unit.aspect is found.unit.aspect
        and (other.chunk.doc_id == found.chunk.doc_id or other.score >= found.score - _NEAR)
    ]
    return replace(found, score=min(found.score, max(scores, default=found.score)))


def with_validity(documents: Sequence[Hit], units: Sequence[AskedUnits], today: date) -> list[Hit]:
    """The documents with what is to be said of those of their units that do not hold today, as ``validity`` of their metadata."""
    if not units:
        return list(documents)
    catalogue = units[0].ranked.match.catalogue
    found = []
    for hit in documents:
        own = (catalogue.units[number].stored.unit for number in catalogue.of_document(hit.chunk.doc_id).tolist())
        notes = " ".join(f"‘{unit.name}’: {note}" for unit in own if (note := validity_note(unit, today)))
        chunk = replace(hit.chunk, metadata={**hit.chunk.metadata, "validity": notes}) if notes else hit.chunk
        found.append(replace(hit, chunk=chunk))
    return found
