"""Findings about what an answer says to a thing asked, by the answer units that its sentences are of."""

from __future__ import annotations

import math
from collections.abc import Sequence

from agents.answering.said_units import SaidSentence
from agents.state import AskedUnits
from utils.grounding.answer_judge import AskFinding, Treatment
from utils.grounding.ask_fit import AskFit
from utils.knowledge.case import PREFERENCE, fit
from vectorstores.units.aspects import place_of

_FARTHEST = 8.0  # log odds: what is farther behind is of another subject
_SURE = 0.999


def said_of(
    asked: AskedUnits, sentences: Sequence[SaidSentence], words: AskFit, others: Sequence[AskedUnits] = ()
) -> AskFinding | None:
    """Return the finding on the units of ``sentences`` for a thing asked, or None where no sentence is of a unit.

    Where there are ``others`` that are asked, the part of the answer counts that has the best unit; else all of it.
    """
    said = dict.fromkeys(sentence.unit for sentence in sentences if sentence.unit is not None)
    if not said:
        return None
    best = max(said, key=lambda number: _score(asked, number))
    part = next(sentence.part for sentence in sentences if sentence.unit == best)
    own = [sentence for sentence in sentences if not others or sentence.part == part]
    numbers = list(dict.fromkeys(sentence.unit for sentence in own if sentence.unit is not None))
    match = asked.ranked.match
    in_text, in_units = match.held(numbers)
    aspect = match.catalogue.units[best].stored.unit.aspect
    return AskFinding(
        Treatment.UNITS,
        (
            *_margins(asked, best),
            _behind(asked, numbers[0]),
            max(min(_behind(each, number) for each in (asked, *others)) for number in said),
            float(match.question.clause.aspects[place_of(aspect)]),
            in_units - in_text,
            *words.by_words(asked.ask, [sentence.text for sentence in own]),
            *_verdict(asked, own),
        ),
    )


def silence_to(asked: AskedUnits) -> AskFinding:
    """Return the finding that speaks against saying that the documents do not tell."""
    best = asked.units[0]
    sure = min(max(best.answers, 1 - _SURE), _SURE)
    return AskFinding(Treatment.SILENCE, (math.log(sure / (1 - sure)), max(best.nearness, default=0.0)))


def _score(asked: AskedUnits, number: int) -> float:
    """The score of a unit in the light of the asker's case, as the search orders them."""
    conditions = asked.ranked.match.catalogue.units[number].stored.unit.conditions
    return float(asked.ranked.scores[number]) + PREFERENCE.get(fit(conditions, asked.case), 0.0)


def _behind(asked: AskedUnits, number: int) -> float:
    """Return the score that a unit lacks to the best one found, at most `_FARTHEST`."""
    return min(asked.units[0].score - _score(asked, number), _FARTHEST)


def _margins(asked: AskedUnits, best: int) -> tuple[float, float]:
    """Return the leads in score of a unit over the best one found of another document, and the best other one of its own."""
    stored, own = asked.ranked.match.catalogue.units[best].stored, _score(asked, best)
    least = asked.units[-1].score
    others = [found.score for found in asked.units if found.chunk.doc_id != stored.document_id]
    siblings = [
        found.score
        for found in asked.units
        if found.chunk.doc_id == stored.document_id and found.unit is not stored.unit
    ]
    leads = (own - max(scores, default=least) for scores in (others, siblings))
    outside, inside = (max(-_FARTHEST, min(_FARTHEST, lead)) for lead in leads)
    return outside, inside


def _verdict(asked: AskedUnits, sentences: Sequence[SaidSentence]) -> tuple[float, float]:
    """The yes or no of the best unit is contradicted; it is not given."""
    if asked.verdict is None:
        return 0.0, 0.0
    led = next((sentence.verdict for sentence in sentences if sentence.verdict is not None), None)
    return float(led is not None and led is not asked.verdict), float(led is None)
