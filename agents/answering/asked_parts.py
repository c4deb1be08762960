"""The things asked with what an answer says to each, as the rule evaluator reads them."""

from __future__ import annotations

from collections.abc import Sequence

from agents.answering.said_units import said_sentences
from agents.answering.unit_evidence import said_of, silence_to
from agents.state import Answer, AskedUnits, RouterState
from schemas.chat import AskOutcome, NearestDocument
from utils.documents import Hit
from utils.grounding.ask_fit import AskFit
from utils.grounding.check import GroundingReport
from utils.grounding.rule_evaluator import AskedPart
from utils.korean.word_rarity import squeezed, syllable_pairs
from utils.prompts.messages import NEAREST, says_not_found


def asked_parts(state: RouterState, answer: Answer, report: GroundingReport, words: AskFit) -> list[AskedPart]:
    """The things asked with their findings; the sub-questions without any where no document has answer units."""
    asked = state.get("units", ())
    if not asked:
        texts = [part.query for part in state["sub_queries"]]
        admitted = admitted_asks(texts, answer.content, report)
        return [AskedPart(text, is_admitted=number in admitted) for number, text in enumerate(texts)]
    catalogue = asked[0].ranked.match.catalogue
    ranked = [each.ranked for each in asked]
    sentences = said_sentences(answer.content, report, answer.documents, catalogue, ranked)
    admitted = admitted_asks([each.ask for each in asked], answer.content, report)
    computed = _computed(state, answer, report)
    parts = []
    for number, each in enumerate(asked):
        if number in admitted:
            parts.append(AskedPart(each.ask, (silence_to(each),), is_settled=each.is_beyond, is_admitted=True))
            continue
        finding = said_of(each, sentences, words, (*asked[:number], *asked[number + 1 :]))
        parts.append(AskedPart(each.ask, (finding,) if finding else (), is_settled=each.ask in computed))
    return parts


def ask_outcomes(state: RouterState) -> list[AskOutcome]:
    """The things that a question asks, and whether its final answer tells them; none where nothing was searched for.

    What the answer admits not to know is not answered, nor anything where no source is cited.
    """
    answer = state["answer"]
    evaluation = answer.evaluation
    if evaluation is None:
        return []
    asked, hits = state.get("units", ()), state["documents"]
    texts = [each.ask for each in asked] or [part.query for part in state["sub_queries"]]
    silent = admitted_asks(texts, answer.content, evaluation.grounding)
    failed = frozenset(evaluation.unanswered or (() if evaluation.passed else range(len(texts))))
    tells = bool(evaluation.grounding.cited_sources)
    return [
        AskOutcome(
            text=text,
            answered=tells and number not in silent and number not in failed,
            nearest=_nearest(asked[number] if asked else None, hits),
        )
        for number, text in enumerate(texts)
    ]


def _nearest(asked: AskedUnits | None, hits: Sequence[Hit]) -> NearestDocument | None:
    """The document of the best unit, or of the best hit where no document has units."""
    if asked is not None and asked.units:
        best = asked.units[0]
        return NearestDocument(
            id=best.chunk.doc_id, title=best.chunk.title, section=best.unit.name, likelihood=_share(best.answers)
        )
    if not hits:
        return None
    hit = max(hits, key=lambda hit: hit.relevance)
    return NearestDocument(id=hit.chunk.doc_id, title=hit.chunk.title, likelihood=_share(hit.relevance))


def _share(value: float) -> float:
    return round(min(max(value, 0.0), 1.0), 3)


def admitted_asks(asked: Sequence[str], content: str, report: GroundingReport) -> frozenset[int]:
    """The numbers of the things asked of which the answer says that the documents do not tell.

    All of them where nothing else is said; of several each admission is of the one whose words it shares most.
    """
    uncited = [content[check.start : check.end] for check in report.sentences if not check.sources]
    admissions = [text for text in uncited if says_not_found(text)]
    if not report.cited_sources:
        return frozenset(range(len(asked)) if admissions else ())
    if len(asked) == 1:
        return frozenset({0} if any(NEAREST in text for text in uncited) else ())
    of_asks = [syllable_pairs(squeezed(text)) for text in asked]
    found = set()
    for admission in admissions:
        said = syllable_pairs(squeezed(admission))
        shared = [len(said & pairs) / max(len(pairs), 1) for pairs in of_asks]
        found.add(shared.index(max(shared)))
    return frozenset(found)


def _computed(state: RouterState, answer: Answer, report: GroundingReport) -> frozenset[str]:
    """The things asked whose computed sum the answer says."""
    if "sums" not in state:
        return frozenset()
    cited = {answer.documents[number - 1].chunk.id for number in report.cited_sources}
    return frozenset(each.ask for each in state["sums"].conclusions if each.hit.chunk.id in cited)
