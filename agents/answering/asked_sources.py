"""The things asked with the answer units and sums among the numbered documents, and how these lead the blocks of a prompt."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agents.answering.case_words import condition_words
from agents.state import AskedUnits, ComputedSums
from chains.context import Lead
from chains.extractive.unit_selection import answering_units
from chains.extractive_task import ExtractiveAsk, ExtractiveUnit
from utils.documents import Hit
from utils.knowledge.units import Role, UnitSentence
from utils.prompts import asks as wording


def numbered_asks(
    units: Sequence[AskedUnits], sums: ComputedSums, documents: Sequence[Hit]
) -> tuple[ExtractiveAsk, ...]:
    """The things asked, each with those of its units and sums whose document is one of ``documents``, by its number."""
    return tuple(_numbered(asked, sums, documents) for asked in units)


def _numbered(asked: AskedUnits, sums: ComputedSums, documents: Sequence[Hit]) -> ExtractiveAsk:
    numbers = {hit.chunk.doc_id: number for number, hit in reversed(list(enumerate(documents, start=1)))}
    units = tuple(
        ExtractiveUnit(
            document=numbers[found.chunk.doc_id],
            name=found.unit.name,
            sentences=found.unit.sentences,
            score=found.score,
            condition=condition_words(found.unit.conditions, asked.case),
            note=found.note,
            verdict=None if place else asked.verdict,
        )
        for place, found in enumerate(asked.units)
        if found.chunk.doc_id in numbers
    )
    own = [
        conclusion
        for conclusion in sums.conclusions
        if conclusion.ask == asked.ask and conclusion.hit.chunk.doc_id in numbers
    ]
    return ExtractiveAsk(
        ask=asked.ask,
        domain=asked.units[0].chunk.domain if asked.units else "",
        units=units,
        sums=tuple(
            ExtractiveUnit(
                document=numbers[conclusion.hit.chunk.doc_id],
                name=conclusion.hit.chunk.title,
                sentences=(UnitSentence(Role.CONCLUSION, conclusion.sentence),),
                score=0.0,
            )
            for conclusion in own
        ),
        is_answered=asked.is_answered and asked.units[0].chunk.doc_id in numbers,
        is_offered=asked.is_offered and asked.units[0].chunk.doc_id in numbers,
    )


def leads_of(asks: Sequence[ExtractiveAsk], documents: Sequence[Hit]) -> dict[str, Lead]:
    """Return the leads of the documents that answer, by the id of the chunk: their sums or units, and which asks these answer."""
    answered: dict[tuple[int, str], list[int]] = {}
    found: dict[tuple[int, str], ExtractiveUnit] = {}
    for number, ask in enumerate(asks, start=1):
        for unit, _ in answering_units(ask):
            answered.setdefault((unit.document, unit.name), []).append(number)
            found[unit.document, unit.name] = unit
    leads: dict[str, Lead] = {}
    for key, numbers in answered.items():
        hit = documents[key[0] - 1]
        if "computed" in hit.found_by:
            lead = Lead(
                (wording.sum_heading(numbers), *hit.chunk.text.splitlines()), frozenset(hit.chunk.sentence_texts())
            )
        else:
            lead = _unit_lead(found[key], numbers)
        before = leads.get(hit.chunk.id, Lead())
        leads[hit.chunk.id] = Lead((*before.lines, *lead.lines), before.sentences | lead.sentences)
    return leads


def _unit_lead(unit: ExtractiveUnit, asks: Sequence[int]) -> Lead:
    said = (f"- {sentence.role.label}: {sentence.text}" for sentence in unit.sentences)
    heading = wording.unit_heading(asks, unit.name, unit.condition)
    noted = (wording.NOTE.format(note=unit.note),) if unit.note else ()
    return Lead((heading, *noted, *said), frozenset(sentence.text for sentence in unit.sentences))


def sources_of(ask: ExtractiveAsk) -> Iterator[int]:
    """The numbers of the documents that answer an ask, each once."""
    yield from dict.fromkeys(unit.document for unit, _ in answering_units(ask))


def verdicts_of(asks: Sequence[ExtractiveAsk]) -> dict[int, frozenset[bool]]:
    """By the number of a document the answers to the questions of yes or no that it settles."""
    settled: dict[int, frozenset[bool]] = {}
    for ask in asks:
        if ask.is_answered and (verdict := ask.units[0].verdict) is not None:
            document = ask.units[0].document
            settled[document] = settled.get(document, frozenset()) | {verdict}
    return settled
