"""The rule evaluator: five criteria of an answer from the retrieval, the parts of the question and the grounding check."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from utils.documents import Chunk
from utils.grounding.answer_sentences import CITATION
from utils.grounding.check import GroundingReport, SentenceCheck, Verdict
from utils.grounding.subject_fit import Statement, SubjectFit
from utils.korean.coverage import QuestionReader, coverage
from utils.prompts import messages
from utils.prompts.messages import says_not_found

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

    chunk: Chunk
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

    One claim that its sources do not hold fails the answer and caps its total at 69; an answer without a word has
    nothing that could pass. Without ``feedback`` the sentence names the weakest criterion.

    Raises:
        KeyError: a criterion is missing.
    """
    kept = {criterion: round(min(_FULL, max(0.0, scores[criterion])), 1) for criterion in CRITERIA}
    if grounding.is_empty:
        return AnswerEvaluation(dict.fromkeys(CRITERIA, 0.0), 0.0, False, messages.EMPTY_FEEDBACK, grounding)
    total = round(sum(kept.values()), 1)
    if not grounding.is_grounded:
        total = min(total, _CAP)
        feedback = messages.unsupported_feedback(grounding.unsupported_claims)
    passed = grounding.is_grounded and total >= threshold
    weakest = min(CRITERIA, key=lambda criterion: kept[criterion])
    return AnswerEvaluation(kept, total, passed, feedback or messages.evaluation_feedback(passed, weakest), grounding)


class RuleEvaluator:
    """Scores answers without a model."""

    def __init__(self, reader: QuestionReader, subject_fit: SubjectFit, threshold: float = 70) -> None:
        self._reader = reader
        self._threshold = threshold
        self._subject_fit = subject_fit

    def evaluate(self, inquiry: EvaluationInquiry) -> AnswerEvaluation:
        """Score one answer; an honest "the documents do not say" passes unless the documents do say."""
        facts = [check for check in inquiry.grounding.sentences if _states_something(check, inquiry.answer)]
        if says_not_found(inquiry.answer) and not any(check.sources for check in facts):
            return self._refusal(inquiry)
        fits = [self._fit(part, inquiry, facts) for part in inquiry.parts]
        scores = {
            "retrieval_quality": _retrieval_quality(inquiry),
            "accuracy": _FULL
            * _mean(
                [_ACCURACY[check.verdict] for check in facts if check.claims or check.verdict is not Verdict.SUPPORTED]
            ),
            "completeness": _FULL * self._answered(inquiry, fits),
            "relevance": _FULL * max(fits, default=1.0) * self._on_subject(inquiry, facts),
            "citation": _FULL * _mean([float(bool(check.sources)) for check in facts]),
        }
        return judge(scores, inquiry.grounding, self._threshold)

    def _refusal(self, inquiry: EvaluationInquiry) -> AnswerEvaluation:
        held = inquiry.retrieval_passed and self._is_held(inquiry)
        scores = dict.fromkeys(CRITERIA, _FULL) | {"retrieval_quality": _retrieval_quality(inquiry)}
        if held:
            scores |= {"completeness": 0.0, "relevance": _FULL / 2, "citation": 0.0}
        feedback = messages.refusal_feedback(held)
        return judge(scores, inquiry.grounding, self._threshold, feedback)

    def _is_held(self, inquiry: EvaluationInquiry) -> bool:
        """Return True if some document answers a part."""
        held = [self._terms_of(document.chunk) for document in inquiry.documents]
        return any(self._covered(part, terms) >= _HELD for part in inquiry.parts for terms in held)

    def _answered(self, inquiry: EvaluationInquiry, fits: Sequence[float]) -> float:
        """Return the mean over the parts of (fit of the best cited document) x (covered share of the part's term weight).

        Both factors lie in [0, 1]; a coverage of `_ANSWERED` counts as full. Uncited "the documents do not say" sentences
        are left out: they repeat the terms of a part without answering it.
        """
        answered: frozenset[str] = frozenset().union(
            *(
                self._said(check, inquiry).terms
                for check in inquiry.grounding.sentences
                if check.sources or not says_not_found(inquiry.answer[check.start : check.end])
            )
        )
        covered = [min(1.0, self._covered(part, answered) / _ANSWERED) for part in inquiry.parts]
        return _mean([fit * share for fit, share in zip(fits, covered, strict=True)])

    def _fit(self, part: str, inquiry: EvaluationInquiry, facts: Sequence[SentenceCheck]) -> float:
        """Return how well the best cited document fits ``part``, in [0, 1]; 1 if nothing is cited."""
        if any(inquiry.documents[number - 1].is_cited for check in facts for number in check.sources):
            return 1.0
        cited = self.cited_features(part, inquiry, facts)
        return max((self._subject_fit.grade(features) for _, features in cited), default=1.0)

    def cited_features(
        self, part: str, inquiry: EvaluationInquiry, facts: Sequence[SentenceCheck]
    ) -> list[tuple[int, tuple[float, ...]]]:
        """The number of the source and the features of its fit to ``part``, for each sentence that cites one."""
        asked = self._reader.read(part)
        found = []
        for check in facts:
            said = self._said(check, inquiry)
            for number in check.sources:
                document = inquiry.documents[number - 1]
                title = Statement(document.chunk.title, self._title_of(document.chunk))
                found.append((number, self._subject_fit.features(asked, part, document.relevance, title, said)))
        return found

    def _covered(self, question: str, terms: AbstractSet[str]) -> float:
        asked = self._reader.read(question)
        return coverage(asked, terms) if asked else 1.0

    def _said(self, check: SentenceCheck, inquiry: EvaluationInquiry) -> Statement:
        """A sentence of the answer; the terms of a quotation are those that are stored with its source."""
        sentence = inquiry.answer[check.start : check.end]
        words = CITATION.sub("", sentence).strip()
        for number in check.sources:
            chunk = inquiry.documents[number - 1].chunk
            start = chunk.text.find(words)
            if start >= 0 and (stored := chunk.load_terms()) is not None:
                return Statement(words, frozenset(stored.text.within(start, start + len(words)).terms))
        return Statement(words, self._reader.terms(sentence))

    def _terms_of(self, chunk: Chunk) -> frozenset[str]:
        stored = chunk.load_terms()
        return self._reader.terms(chunk.text) if stored is None else frozenset(stored.text.terms)

    def _title_of(self, chunk: Chunk) -> frozenset[str]:
        stored = chunk.load_terms()
        return self._reader.terms(chunk.title) if stored is None else frozenset(stored.title)

    def _on_subject(self, inquiry: EvaluationInquiry, facts: Sequence[SentenceCheck]) -> float:
        asked = list({term.term: term for part in inquiry.parts for term in self._reader.read(part)}.values())
        cited = {number for number, document in enumerate(inquiry.documents, start=1) if document.is_cited}
        return _mean(
            [
                float(
                    not cited.isdisjoint(check.sources)
                    or not asked
                    or coverage(asked, self._said(check, inquiry).terms) >= _ON_SUBJECT
                )
                for check in facts
            ]
        )


# What the user said and an answer only takes up is not wrong; what it asserts fails the whole answer.
_ACCURACY = {Verdict.SUPPORTED: 1.0, Verdict.USER_STATED: 1.0, Verdict.UNCITED: 0.25, Verdict.UNSUPPORTED: 0.0}


def _retrieval_quality(inquiry: EvaluationInquiry) -> float:
    best = max((document.relevance for document in inquiry.documents), default=0.0)
    return _FULL * (0.5 * inquiry.retrieval_passed + 0.5 * min(1.0, best / _GOOD_RELEVANCE))


def _states_something(check: SentenceCheck, answer: str) -> bool:
    """Return True if a sentence informs: it is no heading, no question back, no "the documents do not say"."""
    text = answer[check.start : check.end]
    return not check.is_framing and (bool(check.sources) or not says_not_found(text))


def _mean(values: Sequence[float]) -> float:
    """The mean; 1 of nothing, which has nothing wrong with it."""
    return sum(values) / len(values) if values else 1.0
