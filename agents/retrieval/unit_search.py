"""The answer units for each thing that a question asks; their documents go in front of the other hits."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import lru_cache, partial

from agents.retrieval.inquiry import RetrievalInquiry
from agents.state import NEVER, AskedUnits
from utils.conclusions.verdict_features import JudgedUnit, judged_unit
from utils.conclusions.verdict_model import VerdictModel
from utils.conclusions.yes_no_questions import read_question
from utils.documents import Hit
from utils.figures.wanted_amounts import names_another_price, tells, wanted_amount
from utils.knowledge.case import PREFERENCE, Case, Standing, case_of, fit
from utils.knowledge.units import AnswerUnit
from utils.korean.asks import AskedPart, AskReader
from utils.korean.beyond_documents import asks_beyond_documents, is_of_another_country
from utils.protocols import Analyzer
from vectorstores.search.hybrid import HybridSearcher
from vectorstores.units.match import Context
from vectorstores.units.search import FoundUnit, RankedUnits

_LOOKED_AT = 12  # units a thing asked, before the case is looked at
_FOR_EACH = 6
_NEAR = 1.0
_VERDICT_FROM = 0.4  # below it a yes or no was wrong as often as right
_PLAIN_VERDICT_FROM = 0.6  # below it only where the verdict itself is surer
_KEPT_UNITS = 8_000  # more than the base has
_OFFERED_FROM = 0.1  # below it hardly a unit of the owners' questions learned from tells what is asked
_FOUND_BY = frozenset({"units"})


class UnitSearch:
    """Finds the units that answer each thing asked, given the facts of the asker's case."""

    def __init__(self, analyzer: Analyzer, verdicts: VerdictModel) -> None:
        self._analyzer = analyzer
        self._verdicts = verdicts
        self._asks = AskReader(analyzer)
        self._judged = lru_cache(_KEPT_UNITS)(self._read_judged)

    def run(
        self, searcher: HybridSearcher, inquiry: RetrievalInquiry, documents: Sequence[Hit]
    ) -> tuple[AskedUnits, ...]:
        """Return the units for each thing that the question asks; nothing where no document has units."""
        units = searcher.units
        if not units.catalogue.units:
            return ()
        question = inquiry.question
        context = Context(
            tuple(dict.fromkeys(part.domain for part in inquiry.sub_queries)),
            tuple(dict.fromkeys(hit.chunk.doc_id for hit in documents)),
        )
        case = case_of((*inquiry.told, question), inquiry.context, before=inquiry.told_before)
        parts = self._asks.read(question)
        story = units.reading(question)
        asked = [units.asked_part(part, story) for part in parts]
        found = []
        for part, ranked in zip(parts, units.ranked(asked, context), strict=True):
            units_of = partial(self._units_of, part, question=question, context=context, case=case, documents=documents)
            answered = units_of(ranked)
            if not answered.is_answered and part.story != question:
                # what another part asks may have drowned it
                alone = units.ranked([units.asked_part(part, units.reading(part.story))], context)[0]
                answered = max(answered, units_of(alone), key=lambda each: each.is_answered)
            found.append(answered)
        return tuple(found)

    def _units_of(
        self,
        part: AskedPart,
        ranked: RankedUnits,
        *,
        question: str,
        context: Context,
        case: Case,
        documents: Sequence[Hit],
    ) -> AskedUnits:
        """Return the units for a part of the question, given the case."""
        fitting = _by_case(ranked.best(_LOOKED_AT), case, part.denied)[:_FOR_EACH]
        telling = _telling(part.text, fitting)
        fitting = telling or fitting
        if not fitting:  # the documents of none can be read
            return AskedUnits(part.text, (), NEVER, ranked=ranked, case=case)
        is_beyond = (
            asks_beyond_documents(part.text)
            or _is_of_another_case(question, fitting[0], case)
            or _is_foreign(fitting[0], context, documents)
            or names_another_price(
                part.text, " ".join([_said(fitting[0]), *(ask.text for ask in fitting[0].unit.asks)])
            )
        )
        answers_from = ranked.model.answers_from
        # what tells of the matter, but not the amount that is asked for, is offered
        offered_from = _OFFERED_FROM if telling else answers_from
        asked = AskedUnits(
            part.text,
            tuple(fitting),
            NEVER if is_beyond or not telling else answers_from,
            ranked=ranked,
            case=case,
            offered_from=NEVER if is_beyond else offered_from,
        )
        return replace(asked, verdict=self._verdict(part.text, fitting[0], case)) if asked.is_answered else asked

    def _verdict(self, ask: str, best: FoundUnit, case: Case) -> bool | None:
        """Return yes or no to an ask; None where a deciding fact is unknown or speaks against the unit, or it hardly is the right one.

        It takes more where the unit is not so likely the right one.
        """
        standing = fit(best.unit.conditions, case)
        if standing in (Standing.OPEN, Standing.CONTRADICTED) or best.answers < _VERDICT_FROM:
            return None
        question = read_question(ask, self._analyzer.morphemes(ask))
        if question.polarity is None:
            return None
        surely = best.answers < _PLAIN_VERDICT_FROM
        return self._verdicts.of_question(question, self._judged(best.unit), surely=surely)

    def _read_judged(self, unit: AnswerUnit) -> JudgedUnit:
        return judged_unit(unit, self._analyzer.morphemes)


def _is_of_another_case(question: str, best: FoundUnit, case: Case) -> bool:
    """Return whether the best unit holds for a case that is not the asker's, or for another country than the one asked about."""
    said = "\n".join([best.chunk.title, best.unit.name, *(sentence.text for sentence in best.unit.sentences)])
    return is_of_another_country(question, said) or fit(best.unit.conditions, case) is Standing.CONTRADICTED


def _is_foreign(best: FoundUnit, context: Context, documents: Sequence[Hit]) -> bool:
    """Return whether the unit is of a domain not asked for while documents of the right domain, without units, were found."""
    return best.chunk.domain not in context.domains and any(
        hit.chunk.domain in context.domains and not hit.chunk.has_units for hit in documents
    )


def _by_case(units: Sequence[FoundUnit], case: Case, denied: Collection[str]) -> list[FoundUnit]:
    """Return the units in a new order: those of the asker's case gain score, those of another case or of a denied topic lose it."""
    shifted = [
        replace(found, score=found.score + PREFERENCE.get(_standing(found, case, denied), 0.0)) for found in units
    ]
    return sorted(shifted, key=lambda found: -found.score)


def _standing(found: FoundUnit, case: Case, denied: Collection[str]) -> Standing:
    topic = str(found.chunk.metadata.get("topic", "")).split()
    if any(thing in topic or thing in found.unit.name for thing in denied):
        return Standing.CONTRADICTED
    return fit(found.unit.conditions, case)


def _telling(ask: str, units: Sequence[FoundUnit]) -> list[FoundUnit]:
    """Return the units from the first one near the best on that tells the amount wanted; none where none near it tells it."""
    wanted = wanted_amount(ask)
    if wanted is None or not units:
        return list(units)
    near = (place for place, found in enumerate(units) if found.score >= units[0].score - _NEAR)
    first = next((place for place in near if tells(_said(units[place]), wanted)), None)
    return [] if first is None else list(units[first:])


def _said(found: FoundUnit) -> str:
    return " ".join(sentence.text for sentence in found.unit.sentences)


def with_documents_of(units: Sequence[AskedUnits], documents: Sequence[Hit]) -> list[Hit]:
    """Return the documents of the units that answer or are offered, then the others in their order."""
    known = {hit.chunk.doc_id: hit for hit in reversed(documents)}
    leading: dict[str, Hit] = {}
    for asked in sorted(units, key=lambda each: not each.is_answered):
        if asked.is_answered or asked.is_offered:
            chunk, best = asked.units[0].chunk, asked.units[0]
            made = Hit(chunk, score=best.score, relevance=best.answers, found_by=_FOUND_BY)
            leading.setdefault(chunk.doc_id, known.get(chunk.doc_id, made))
    return [*leading.values(), *(hit for hit in documents if hit.chunk.doc_id not in leading)]
