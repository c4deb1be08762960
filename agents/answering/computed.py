"""Computed conclusions: the sum that a question asks for, as a source that an answer can cite."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date

from agents.answering.actions import COMPUTED_COLLECTION
from agents.state import AskedUnits, ComputedConclusion, ComputedSums
from schemas.calculations import Calculation
from utils.calculators.reading.from_text import MissingInputs, calculate_from_text
from utils.calculators.registry import CALCULATORS
from utils.documents import Chunk, Hit
from utils.korean.sentence_spans import split_sentences

_SOURCE = "국가법령정보센터"
_ADDRESS = "https://www.law.go.kr/법령/"


def compute_sums(question: str, asked: Sequence[AskedUnits], domain: str, today: date) -> ComputedSums:
    """Compute what ``question`` asks for with the figures that it tells, a calculator once.

    The calculators of the units found are tried for each thing asked, then all others for the question as a whole; of those a
    figure is asked for only where it is the last one.
    """
    conclusions: dict[str, ComputedConclusion] = {}
    requests: list[str] = []
    for part in asked:
        for found in _calculated(part, question, today):
            if isinstance(found, MissingInputs):
                requests.append(found.sentence)
            elif found.calculator not in conclusions:
                own = part.units[0].chunk.domain if part.units else domain
                conclusions[found.calculator] = ComputedConclusion(part.ask, _source(found, own), found.conclusion)
            break
    if not conclusions:
        # a thing asked beside others may be a sum although the whole speaks of another matter
        asks = (question, *(part.ask for part in asked if part.ask != question))
        whole = [(ask, calculate_from_text(key, ask, today)) for ask in asks for key in CALCULATORS]
        ask, found_whole = next(((ask, found) for ask, found in whole if isinstance(found, Calculation)), ("", None))
        if found_whole is not None:
            if ask == question and asked:
                ask = asked[0].ask
            source = _source(found_whole, domain)
            conclusions[found_whole.calculator] = ComputedConclusion(ask, source, found_whole.conclusion)
        elif not requests:
            requests += [
                found.sentence
                for ask, found in whole
                if ask == question and isinstance(found, MissingInputs) and found.is_all_but_told
            ][:1]
    return ComputedSums(tuple(conclusions.values()), () if conclusions else tuple(dict.fromkeys(requests)))


def _calculated(part: AskedUnits, question: str, today: date) -> Iterator[Calculation | MissingInputs]:
    """Yield the results of the units' calculators for the ask, then for the whole question; sums before requests."""
    if not part.is_answered:
        return
    keys = dict.fromkeys(found.unit.calculator for found in part.units if found.unit.calculator)
    results = [calculate_from_text(key, text, today) for text in dict.fromkeys((part.ask, question)) for key in keys]
    yield from (found for found in results if isinstance(found, Calculation))
    if part.units[0].unit.calculator:
        yield from (found for found in results if isinstance(found, MissingInputs))


def _source(found: Calculation, domain: str) -> Hit:
    basis = [f"근거: {', '.join(found.laws)}"] if found.laws else []
    lines = [found.conclusion, f"계산식: {found.formula}", *found.steps, *found.assumptions, *found.notices, *basis]
    text = "\n".join(lines)
    law = found.laws[0].rsplit(" ", 1)[0] if found.laws else ""
    chunk = Chunk(
        id=f"CALCULATION_{found.calculator}",
        doc_id=f"CALCULATION_{found.calculator}",
        collection=COMPUTED_COLLECTION,
        domain=domain,
        doc_type="guide",
        title=f"{found.label} 계산",
        text=text,
        source_name=_SOURCE,
        source_url=f"{_ADDRESS}{law.replace(' ', '')}" if law else "",
        effective_date=found.on.isoformat(),
        related_laws=tuple(found.laws),
        metadata={"computed": True, "calculator": found.calculator},
        sentences=split_sentences(text),
    )
    return Hit(chunk, score=1.0, similarity=1.0, relevance=1.0, found_by=frozenset({"computed"}))
