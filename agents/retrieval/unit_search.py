"""The answer units for each thing that a question asks, and their documents in front of what else was found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache, partial

from agents.retrieval.inquiry import RetrievalInquiry
from agents.state import AskedUnits
from utils.conclusions.conclusions import concluded, read_conclusion
from utils.documents import Hit
from utils.knowledge.case import PREFERENCE, Case, Standing, case_of, fit
from utils.knowledge.units import AnswerUnit
from utils.knowledge.verdicts import JudgedAsk, verdict_of
from utils.knowledge.yes_no_questions import read_question
from utils.korean.asks import AskReader
from utils.korean.beyond_documents import asks_beyond_documents, is_of_another_country
from utils.protocols import Analyzer
from vectorstores.search.hybrid import HybridSearcher
from vectorstores.units.catalogue import Context
from vectorstores.units.search import FoundUnit

_LOOKED_AT = 12  # units a thing asked, before the case is looked at
_FOR_EACH = 6
_KEPT_UNITS = 2_000
_NEVER = 2.0  # more than any probability
_FOUND_BY = frozenset({"units"})


class UnitSearch:
    """Looks for the units of every thing asked, in the light of the asker's case."""

    def __init__(self, analyzer: Analyzer) -> None:
        self._analyzer = analyzer
        self._asks = AskReader(analyzer)
        self._judged = lru_cache(_KEPT_UNITS)(self._read_judged)
        self._conclusion = lru_cache(_KEPT_UNITS)(partial(read_conclusion, morphemes_of=analyzer.morphemes))

    def run(
        self, searcher: HybridSearcher, inquiry: RetrievalInquiry, documents: Sequence[Hit]
    ) -> tuple[AskedUnits, ...]:
        """The units of each thing that the question asks; none where no document has units."""
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
        whole = units.asked(question) if len(parts) > 1 else None
        found = []
        for part in parts:
            asked = units.asked(part.text, part.terms, part.weights, None if whole is None else whole.vector)
            ranked = units.ranked(asked, context)
            fitting = _by_case(ranked.best(_LOOKED_AT), case)[:_FOR_EACH]
            least = _NEVER if _is_beyond(question, part.text, fitting[0], case) else units.model.answers_from
            one = AskedUnits(part.text, tuple(fitting), least, ranked=ranked, case=case)
            found.append(replace(one, verdict=self._verdict(part.text, fitting[0], case)) if one.is_answered else one)
        return tuple(found)

    def _verdict(self, ask: str, best: FoundUnit, case: Case) -> bool | None:
        """The yes or no to an ask, unless a fact that decides is not known."""
        standing = fit(best.unit.conditions, case)
        if standing in (Standing.OPEN, Standing.CONTRADICTED):
            return None
        morphemes = self._analyzer.morphemes(ask)
        reading = read_question(ask, morphemes)
        if reading.polarity is None:
            return None
        carried = verdict_of(reading, self._judged(best.unit), best.nearness, best.unit.conditions)
        if carried is not None:
            return carried
        return concluded(reading, morphemes, self._conclusion(best.unit), is_case_met=standing is Standing.MET)

    def _read_judged(self, unit: AnswerUnit) -> tuple[JudgedAsk, ...]:
        return tuple(
            JudgedAsk(read_question(ask.text, self._analyzer.morphemes(ask.text)), ask.verdict) for ask in unit.asks
        )


def _is_beyond(question: str, ask: str, best: FoundUnit, case: Case) -> bool:
    """No probability is enough: no document can tell what is asked, or the best unit is the rule of another case."""
    said = "\n".join([best.chunk.title, best.unit.name, *(sentence.text for sentence in best.unit.sentences)])
    return (
        asks_beyond_documents(ask)
        or is_of_another_country(question, said)
        or fit(best.unit.conditions, case) is Standing.CONTRADICTED
    )


def _by_case(units: Sequence[FoundUnit], case: Case) -> list[FoundUnit]:
    """The units in their order once those of the asker's case are preferred and those of another one put back."""
    shifted = [replace(one, score=one.score + PREFERENCE.get(fit(one.unit.conditions, case), 0.0)) for one in units]
    return sorted(shifted, key=lambda one: -one.score)


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
