"""The rule evaluator: five criteria of an answer from the retrieval, the parts of the question and the grounding check."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from utils.documents import Chunk
from utils.grounding.answer_judge import ENOUGH, AnswerJudge, AskFinding
from utils.grounding.answer_sentences import CITATION
from utils.grounding.ask_fit import AskFit, CitedDocument
from utils.grounding.check import GroundingReport, SentenceCheck, Verdict
from utils.korean.coverage import QuestionReader, coverage
from utils.prompts import messages
from utils.prompts.messages import says_not_found

CRITERIA = ("retrieval_quality", "accuracy", "completeness", "relevance", "citation")

_FULL = 20.0
_CAP = 69.0  # of an answer with a claim that no source holds, or with a thing asked that it does not answer
_GOOD_RELEVANCE = 0.5  # of the best document; more is not better
_HELD = 0.6  # share of the question's terms in one document from which that document holds the answer
_ON_SUBJECT = 0.12  # share of the question's terms below which a sentence is beside the point


@dataclass(frozen=True, slots=True)
class AnswerEvaluation:
    """Scores of 0 to 20 by criterion, their sum, and whether the answer may stand.

    ``unanswered`` are the places of the things asked that it does not answer.
    """

    scores: Mapping[str, float]
    total_score: float
    passed: bool
    feedback: str
    grounding: GroundingReport
    unanswered: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class EvaluatedDocument:
    """A source as the evaluator sees it; ``relevance`` is calibrated to [0, 1].

    ``is_cited``: it is a statute article that the question cites, so that whatever it says was asked for.
    """

    chunk: Chunk
    relevance: float
    is_cited: bool = False


@dataclass(frozen=True, slots=True)
class AskedPart:
    """A thing asked, and ``findings`` of what answer units, or the lack of them, say to it.

    ``is_settled``: it is answered by a computed sum, or nothing could answer it and the answer says so. ``is_admitted``: the answer
    says that the documents do not tell.
    """

    text: str
    findings: tuple[AskFinding, ...] = ()
    is_settled: bool = False
    is_admitted: bool = False


@dataclass(frozen=True, slots=True)
class EvaluationInquiry:
    """An answer to be scored: ``parts`` are the things asked, ``documents`` stand in the order of their numbers."""

    parts: Sequence[AskedPart]
    answer: str
    documents: Sequence[EvaluatedDocument]
    retrieval_passed: bool
    grounding: GroundingReport


def judge(
    scores: Mapping[str, float],
    grounding: GroundingReport,
    threshold: float,
    feedback: str = "",
    *,
    least: float = 1.0,
) -> AnswerEvaluation:
    """The evaluation with these scores, of the rules or of a model.

    One claim that its sources do not hold fails the answer and caps its total at 69; an answer without a word has
    nothing that could pass. ``least`` is the grade of the thing asked that is answered worst: below `ENOUGH` the answer
    fails, and its total lies the lower the worse it is. Without ``feedback`` the sentence names the weakest criterion.

    Raises:
        KeyError: a criterion is missing.
    """
    kept = {criterion: round(min(_FULL, max(0.0, scores[criterion])), 1) for criterion in CRITERIA}
    if grounding.is_empty:
        return AnswerEvaluation(dict.fromkeys(CRITERIA, 0.0), 0.0, False, messages.EMPTY_FEEDBACK, grounding)
    total = round(sum(kept.values()), 1)
    if least < ENOUGH:
        total = round(min(total, _CAP * least / ENOUGH), 1)
    if not grounding.is_grounded:
        total = min(total, _CAP)
        feedback = messages.unsupported_feedback(grounding.unsupported_claims)
    passed = grounding.is_grounded and least >= ENOUGH and total >= threshold
    weakest = min(CRITERIA, key=lambda criterion: kept[criterion])
    return AnswerEvaluation(kept, total, passed, feedback or messages.evaluation_feedback(passed, weakest), grounding)


class RuleEvaluator:
    """Scores answers without a model."""

    def __init__(self, reader: QuestionReader, judge: AnswerJudge, words: AskFit, threshold: float = 70) -> None:
        self._reader = reader
        self._judge = judge
        self.words = words
        self._threshold = threshold

    def evaluate(self, inquiry: EvaluationInquiry) -> AnswerEvaluation:
        """Score one answer; an honest "the documents do not say" passes unless the documents do say."""
        facts = [check for check in inquiry.grounding.sentences if _states_something(check, inquiry.answer)]
        if says_not_found(inquiry.answer) and not any(check.sources for check in facts):
            return self._refusal(inquiry)
        grades = [self._grade(part, inquiry, facts) for part in inquiry.parts]
        scores = {
            "retrieval_quality": _retrieval_quality(inquiry),
            "accuracy": _FULL
            * _mean(
                [_ACCURACY[check.verdict] for check in facts if check.claims or check.verdict is not Verdict.SUPPORTED]
            ),
            "completeness": _FULL * _mean(grades),
            "relevance": _FULL * max(grades, default=1.0) * self._on_subject(inquiry, facts),
            "citation": _FULL * _mean([float(bool(check.sources)) for check in facts]),
        }
        return self._judged(inquiry, scores, grades, "")

    def _refusal(self, inquiry: EvaluationInquiry) -> AnswerEvaluation:
        grades = [1.0 if part.is_settled else self._silence(part, inquiry) for part in inquiry.parts]
        least = min(grades, default=1.0)
        held = least < ENOUGH
        scores = dict.fromkeys(CRITERIA, _FULL) | {
            "retrieval_quality": _retrieval_quality(inquiry),
            "completeness": _FULL * least,
        }
        if held:
            scores |= {"completeness": 0.0, "relevance": _FULL / 2, "citation": 0.0}
        return self._judged(inquiry, scores, grades, messages.refusal_feedback(held))

    def _judged(
        self, inquiry: EvaluationInquiry, scores: Mapping[str, float], grades: Sequence[float], feedback: str
    ) -> AnswerEvaluation:
        unanswered = tuple(number for number, grade in enumerate(grades) if grade < ENOUGH)
        if unanswered and not feedback:
            feedback = messages.unanswered_feedback(inquiry.parts[unanswered[0]].text)
        judged = judge(scores, inquiry.grounding, self._threshold, feedback, least=min(grades, default=1.0))
        return replace(judged, unanswered=unanswered)

    def _silence(self, part: AskedPart, inquiry: EvaluationInquiry) -> float:
        """Return the grade of saying that the documents do not tell: 0 where one does that has no answer units."""
        texts = [each.chunk for each in inquiry.documents if not each.chunk.has_units]
        if inquiry.retrieval_passed and any(
            self._covered(part.text, self._terms_of(chunk)) >= _HELD for chunk in texts
        ):
            return 0.0
        return min((self._judge.grade(finding) for finding in part.findings), default=1.0)

    def _grade(self, part: AskedPart, inquiry: EvaluationInquiry, facts: Sequence[SentenceCheck]) -> float:
        """Return how well ``part`` is answered, in [0, 1]: by its units, or by the documents without units that are cited.

        What only asks back is enough; articles that the question cites answer it whatever they say.
        """
        cited = {number: inquiry.documents[number - 1] for check in facts for number in check.sources}
        if part.is_settled or any(document.is_cited for document in cited.values()):
            return 1.0
        if part.is_admitted:
            return self._silence(part, inquiry)
        if not facts:
            return ENOUGH
        found = [self._judge.grade(finding) for finding in part.findings]
        by_text = {number for number, document in cited.items() if not (part.findings and document.chunk.has_units)}
        if by_text or not found:
            found.append(self._judge.grade(self.text_finding(part.text, inquiry, facts, by_text)))
        return max(found)

    def text_finding(
        self, ask: str, inquiry: EvaluationInquiry, facts: Sequence[SentenceCheck], numbers: AbstractSet[int]
    ) -> AskFinding:
        """Return what the sentences that cite these documents say to a thing asked; all sentences where none is cited."""
        own = [check for check in facts if not numbers or not numbers.isdisjoint(check.sources)]
        cited = [inquiry.documents[number - 1] for check in own for number in check.sources if number in numbers]
        return self.words.of_documents(
            ask,
            self._reader.read(ask),
            [CitedDocument(each.relevance, self._title_of(each.chunk)) for each in cited],
            [_words(check, inquiry) for check in own],
        )

    def _covered(self, question: str, terms: AbstractSet[str]) -> float:
        asked = self._reader.read(question)
        return coverage(asked, terms) if asked else 1.0

    def _said(self, check: SentenceCheck, inquiry: EvaluationInquiry) -> AbstractSet[str]:
        """The terms of a sentence of the answer; those of a quotation are stored with its source."""
        words = _words(check, inquiry)
        for number in check.sources:
            chunk = inquiry.documents[number - 1].chunk
            start = chunk.text.find(words)
            if start >= 0 and (stored := chunk.load_terms()) is not None:
                return frozenset(stored.text.within(start, start + len(words)).terms)
        return self._reader.terms(inquiry.answer[check.start : check.end])

    def _terms_of(self, chunk: Chunk) -> frozenset[str]:
        stored = chunk.load_terms()
        return self._reader.terms(chunk.text) if stored is None else frozenset(stored.text.terms)

    def _title_of(self, chunk: Chunk) -> frozenset[str]:
        stored = chunk.load_terms()
        return self._reader.terms(chunk.title) if stored is None else frozenset(stored.title)

    def _on_subject(self, inquiry: EvaluationInquiry, facts: Sequence[SentenceCheck]) -> float:
        """Return the share of the sentences from documents without units that have enough of the question."""
        checks = [check for check in facts if not all(inquiry.documents[n - 1].chunk.has_units for n in check.sources)]
        if not checks:
            return 1.0
        asked = list({term.term: term for part in inquiry.parts for term in self._reader.read(part.text)}.values())
        cited = {number for number, document in enumerate(inquiry.documents, start=1) if document.is_cited}
        return _mean(
            [
                float(
                    not cited.isdisjoint(check.sources)
                    or not asked
                    or coverage(asked, self._said(check, inquiry)) >= _ON_SUBJECT
                )
                for check in checks
            ]
        )


# A claim of the user that an answer only takes up is not wrong; one that it asserts fails the whole answer.
_ACCURACY = {Verdict.SUPPORTED: 1.0, Verdict.USER_STATED: 1.0, Verdict.UNCITED: 0.25, Verdict.UNSUPPORTED: 0.0}


def _retrieval_quality(inquiry: EvaluationInquiry) -> float:
    best = max((document.relevance for document in inquiry.documents), default=0.0)
    return _FULL * (0.5 * inquiry.retrieval_passed + 0.5 * min(1.0, best / _GOOD_RELEVANCE))


def _states_something(check: SentenceCheck, answer: str) -> bool:
    """Return True if a sentence informs: it is no heading, no question back, no "the documents do not say"."""
    text = answer[check.start : check.end]
    return not check.is_framing and (bool(check.sources) or not says_not_found(text))


def _words(check: SentenceCheck, inquiry: EvaluationInquiry) -> str:
    """A sentence of the answer without its citations."""
    return CITATION.sub("", inquiry.answer[check.start : check.end]).strip()


def _mean(values: Sequence[float]) -> float:
    """The mean; 1 of nothing, which has nothing wrong with it."""
    return sum(values) / len(values) if values else 1.0
