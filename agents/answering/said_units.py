"""The answer units that the sentences of an answer are of, quoted or in other words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from utils.documents import Hit
from utils.grounding.answer_sentences import CITATION
from utils.grounding.check import GroundingReport
from utils.grounding.framing import is_heading
from utils.knowledge.units import AnswerUnit
from utils.knowledge.validity import is_validity_note
from utils.korean.word_rarity import squeezed, syllable_pairs
from vectorstores.units.catalogue import UnitCatalogue
from vectorstores.units.search import RankedUnits

_SAME = 0.35  # share of a sentence's pairs of syllables in a unit from which it is of that unit
_ALIKE = 0.75  # share of the most pairs that a unit has in common from which it says much the same
_KEPT_UNITS = 8_000  # more than the base has
_VERDICT = re.compile(r"(?:[-*•·] ?)?(?:\*\*)?(?:(?P<yes>네|예)|아니요|아니오|아닙니다)(?:\*\*)?(?:[,.!]+\s*|$)")


@dataclass(frozen=True, slots=True)
class SaidSentence:
    """A sentence of an answer that is no heading and no note on the days a unit holds, without its source marks and the yes or no that leads it.

    ``part`` counts the headings before it; ``unit`` is the number of the unit it is of, None where its sources have none.
    ``verdict`` is the yes or no.
    """

    text: str
    part: int
    sources: tuple[int, ...]
    unit: int | None
    verdict: bool | None


def said_sentences(
    content: str,
    report: GroundingReport,
    documents: Sequence[Hit],
    catalogue: UnitCatalogue,
    asked: Sequence[RankedUnits] = (),
) -> tuple[SaidSentence, ...]:
    """The sentences of an answer with the units that they are of; ``documents`` stand in the order of their numbers.

    Of units that say much the same a sentence in other words is of the one that answers best what is ``asked``.
    """
    part, found = 0, []
    for check in report.sentences:
        text = content[check.start : check.end]
        if is_heading(text):
            part += 1
            continue
        bare = CITATION.sub("", text).strip()
        if is_validity_note(bare):
            continue
        lead = _VERDICT.match(bare)
        words = bare[lead.end() :] if lead else bare
        doc_ids = dict.fromkeys(documents[number - 1].chunk.doc_id for number in check.sources)
        numbers = [number for doc_id in doc_ids for number in catalogue.of_document(doc_id).tolist()]
        unit = _unit_of(words, numbers, catalogue, asked)
        verdict = bool(lead["yes"]) if lead else None
        found.append(SaidSentence(words, part, check.sources, unit, verdict))
    return tuple(found)


def _unit_of(words: str, numbers: Sequence[int], catalogue: UnitCatalogue, asked: Sequence[RankedUnits]) -> int | None:
    """The number of the unit that has this sentence, else of one with a sentence which shares most of its syllables."""
    units = [(number, catalogue.units[number].stored.unit) for number in numbers]
    for number, unit in units:
        if any(sentence.text == words for sentence in unit.sentences):
            return number
    pairs = syllable_pairs(squeezed(words))
    shared = {number: max(len(pairs & own) for own in _pairs_of(unit)) for number, unit in units}
    most = max(shared.values(), default=0)
    if most <= _SAME * max(len(pairs), 1):
        return None
    alike = [number for number, count in shared.items() if count == most or (asked and count >= _ALIKE * most)]
    return max(alike, key=lambda number: max((float(each.scores[number]) for each in asked), default=0.0))


@lru_cache(_KEPT_UNITS)
def _pairs_of(unit: AnswerUnit) -> tuple[frozenset[str], ...]:
    return tuple(syllable_pairs(squeezed(sentence.text)) for sentence in unit.sentences)
