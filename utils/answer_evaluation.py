"""The rule evaluator: five criteria of an answer from the retrieval, the parts of the question and the grounding check."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from utils.coverage import Expander, QuestionReader, coverage
from utils.grounding import GroundingReport, SentenceCheck, Verdict
from utils.prompts import messages
from utils.prompts.messages import says_not_found
from utils.protocols import Analyzer

CRITERIA = ("retrieval_quality", "accuracy", "completeness", "relevance", "citation")

_FULL = 20.0
_CAP = 69.0  # of an answer with a claim that no source holds
_GOOD_RELEVANCE = 0.5  # of the best document; more is not better
_ANSWERED = 0.5  # share of a part's terms from which the part counts as answered in full
_HELD = 0.6  # share of the question's terms in one document from which that document holds the answer
_ON_SUBJECT = 0.12  # share of the question's terms below which a sentence is beside the point


@dataclass(frozen=True, slots=True)
class AnswerEvaluation:
    """Scores of 0 to 20 by criterion, their sum, and whether the answer may stand."""

    scores: Mapping[str, float]
    total_score: float
    passed: bool
    feedback: str
    grounding: GroundingReport


@dataclass(frozen=True, slots=True)
class EvaluatedDocument:
    """A source as the evaluator sees it; ``relevance`` is calibrated to [0, 1].

    ``is_cited``: it is a statute article that the question cites, so that whatever it says was asked for.
    """

    text: str
    relevance: float
    is_cited: bool = False


@dataclass(frozen=True, slots=True)
class EvaluationInquiry:
    """An answer to be scored: ``parts`` are the sub-questions, ``documents`` stand in the order of their numbers."""

    parts: Sequence[str]
    answer: str
    documents: Sequence[EvaluatedDocument]
    retrieval_passed: bool
    grounding: GroundingReport


def judge(
    scores: Mapping[str, float], grounding: GroundingReport, threshold: float, feedback: str = ""
) -> AnswerEvaluation:
    """The evaluation with these scores, of the rules or of a model.

    One claim that its sources do not hold fails the answer and caps its total at 69. Without ``feedback`` the sentence
    names the weakest criterion.

    Raises:
        KeyError: a criterion is missing.
    """
    kept = {criterion: round(min(_FULL, max(0.0, scores[criterion])), 1) for criterion in CRITERIA}
    total = round(sum(kept.values()), 1)
    if not grounding.is_grounded:
        total = min(total, _CAP)
        feedback = messages.unsupported_feedback(grounding.unsupported_claims)
    passed = grounding.is_grounded and total >= threshold
    weakest = min(CRITERIA, key=lambda criterion: kept[criterion])
    return AnswerEvaluation(kept, total, passed, feedback or messages.evaluation_feedback(passed, weakest), grounding)


class RuleEvaluator:
    """Scores answers without a model."""

    def __init__(self, analyzer: Analyzer, threshold: float = 70, expand: Expander | None = None) -> None:
        self._reader = QuestionReader(analyzer, expand)
        self._threshold = threshold

    def evaluate(self, inquiry: EvaluationInquiry) -> AnswerEvaluation:
        """Score one answer; an honest "the documents do not say" passes unless the documents do say."""
        facts = [check for check in inquiry.grounding.sentences if _states_something(check, inquiry.answer)]
        if says_not_found(inquiry.answer) and not any(check.sources for check in facts):
            return self._refusal(inquiry)
        scores = {
            "retrieval_quality": _retrieval_quality(inquiry),
            "accuracy": _FULL * _mean([_ACCURACY[check.verdict] for check in facts if check.claims]),
            "completeness": _FULL * _mean([self._answered(part, _told(inquiry)) for part in inquiry.parts]),
            "relevance": _FULL * self._on_subject(inquiry, facts),
            "citation": _FULL * _mean([float(bool(check.sources)) for check in facts]),
        }
        return judge(scores, inquiry.grounding, self._threshold)

    def _refusal(self, inquiry: EvaluationInquiry) -> AnswerEvaluation:
        held = inquiry.retrieval_passed and any(
            self._covered(part, document.text) >= _HELD for part in inquiry.parts for document in inquiry.documents
        )
        scores = dict.fromkeys(CRITERIA, _FULL) | {"retrieval_quality": _retrieval_quality(inquiry)}
        if held:
            scores |= {"completeness": 0.0, "relevance": _FULL / 2, "citation": 0.0}
        feedback = messages.refusal_feedback(held)
        return judge(scores, inquiry.grounding, self._threshold, feedback)

    def _answered(self, part: str, answer: str) -> float:
        return min(1.0, self._covered(part, answer) / _ANSWERED)

    def _covered(self, question: str, text: str) -> float:
        terms = self._reader.read(question)
        return coverage(terms, frozenset(self._reader.terms(text))) if terms else 1.0

    def _on_subject(self, inquiry: EvaluationInquiry, facts: Sequence[SentenceCheck]) -> float:
        question = " ".join(inquiry.parts)
        cited = {number for number, document in enumerate(inquiry.documents, start=1) if document.is_cited}
        return _mean(
            [
                float(
                    not cited.isdisjoint(check.sources)
                    or self._covered(question, inquiry.answer[check.start : check.end]) >= _ON_SUBJECT
                )
                for check in facts
            ]
        )


_ACCURACY = {Verdict.SUPPORTED: 1.0, Verdict.UNCITED: 0.25, Verdict.UNSUPPORTED: 0.0}


def _retrieval_quality(inquiry: EvaluationInquiry) -> float:
    best = max((document.relevance for document in inquiry.documents), default=0.0)
    return _FULL * (0.5 * inquiry.retrieval_passed + 0.5 * min(1.0, best / _GOOD_RELEVANCE))


def _told(inquiry: EvaluationInquiry) -> str:
    """The answer without the admissions that the documents are silent: they name what they do not answer."""
    told = inquiry.answer
    for check in reversed(inquiry.grounding.sentences):
        if not check.sources and says_not_found(inquiry.answer[check.start : check.end]):
            told = told[: check.start] + told[check.end :]
    return told


def _states_something(check: SentenceCheck, answer: str) -> bool:
    """Whether a sentence is there to inform: no heading, no question back, no admission that the documents are silent."""
    text = answer[check.start : check.end]
    return not check.is_framing and (bool(check.sources) or not says_not_found(text))


def _mean(values: Sequence[float]) -> float:
    """The mean; 1 of nothing, which has nothing wrong with it."""
    return sum(values) / len(values) if values else 1.0
