"""Whole answers: is there one, does it quote the right documents and the facts it should, does its evaluation tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from statistics import mean, median

from evaluation.questions import EvaluationQuestion
from schemas.chat import ChatResponse, Verdict
from utils.prompts.messages import says_not_found


@dataclass(frozen=True, slots=True)
class JudgedAnswer:
    """An answer with its verdicts. ``facts_found`` is the share of the key facts in it, None without any."""

    question: EvaluationQuestion
    response: ChatResponse
    ms: float

    @property
    def answered(self) -> bool:
        """There is an answer from documents, and it does not open by saying that there is none."""
        first_line = self.response.content.split("\n", 1)[0]
        return bool(self.response.sources) and not says_not_found(first_line)

    @property
    def unsupported(self) -> tuple[str, ...]:
        """Sentences that their cited sources do not hold, or that state figures and cite nothing."""
        evaluation = self.response.evaluation
        checks = evaluation.grounding.sentences if evaluation else []
        return tuple(
            self.response.content[check.start : check.end]
            for check in checks
            if check.unsupported_claims or check.verdict in (Verdict.UNSUPPORTED, Verdict.UNCITED)
        )

    @property
    def facts_found(self) -> float | None:
        if not self.question.key_facts:
            return None
        content = self.response.content.replace(" ", "")
        found = [
            any(choice.strip().replace(" ", "") in content for choice in fact.split("|"))
            for fact in self.question.key_facts
        ]
        return mean(found)

    @property
    def quotes_gold(self) -> tuple[bool, ...]:
        """For each sentence with a citation in its order whether it rests on a document that answers."""
        evaluation = self.response.evaluation
        documents = {source.index: _document(source.metadata) for source in self.response.sources}
        return tuple(
            any(documents.get(number) in self.question.gold for number in check.sources)
            for check in (evaluation.grounding.sentences if evaluation else ())
            if check.sources
        )

    @property
    def is_right(self) -> bool:
        """It opens with a document that answers and states a key fact; or it is silent where the documents are."""
        if not self.question.answerable:
            return not self.answered
        return self.answered and self.quotes_gold[:1] == (True,) and bool(self.facts_found)


def score(answers: Sequence[JudgedAnswer]) -> dict[str, float]:
    """Shares over all answers, each in [0, 1], and milliseconds.

    Where the questions name the documents that answer: ``gold_retrieved``, ``gold_first`` (the first sentence is from
    one), ``gold_quoted`` (share of all quoted sentences), ``refusal_recall`` and ``refusal_precision`` over those that
    nothing answers, ``right`` (`JudgedAnswer.is_right`), and over answers that say something how well the total of the
    evaluation tells right from wrong.
    """
    facts = [found for answer in answers if (found := answer.facts_found) is not None]
    routed = [answer for answer in answers if answer.question.domain]
    times = sorted(answer.ms for answer in answers)
    figures = {
        "questions": float(len(answers)),
        "answered": mean(answer.answered for answer in answers),
        "grounded": mean(not answer.unsupported for answer in answers),
        "passed": mean(bool(answer.response.evaluation and answer.response.evaluation.passed) for answer in answers),
        "characters": mean(len(answer.response.content) for answer in answers),
        "ms_p50": median(times),
        "ms_p95": times[min(len(times) - 1, int(0.95 * len(times)))],
    }
    if facts:
        figures["all_key_facts"] = mean(found == 1.0 for found in facts)
        figures["some_key_fact"] = mean(found > 0.0 for found in facts)
    if routed:
        figures["domain_hit"] = mean(answer.question.domain in answer.response.domains for answer in routed)
    if any(answer.question.gold for answer in answers):
        figures |= _document_figures(answers)
    return {name: round(value, 4) for name, value in figures.items()}


def area_under_curve(right: Sequence[float], wrong: Sequence[float]) -> float:
    """The chance that a right one scores above a wrong one, ties half; 0.5 where one side is empty."""
    wins = [1.0 if score > other else 0.5 if score == other else 0.0 for score, other in product(right, wrong)]
    return mean(wins) if wins else 0.5


def _document_figures(answers: Sequence[JudgedAnswer]) -> dict[str, float]:
    answerable = [answer for answer in answers if answer.question.gold]
    silent = [answer for answer in answers if not answer.question.answerable]
    refused = [answer for answer in answers if not answer.answered]
    quotes = [quote for answer in answerable for quote in answer.quotes_gold]
    stated = [answer for answer in answers if answer.answered]
    right = [_total(answer.response) for answer in stated if answer.is_right]
    wrong = [_total(answer.response) for answer in stated if not answer.is_right]
    return {
        "gold_retrieved": mean(
            any(_document(source.metadata) in answer.question.gold for source in answer.response.read)
            for answer in answerable
        ),
        "gold_first": mean(answer.quotes_gold[:1] == (True,) for answer in answerable),
        "gold_quoted": mean(quotes) if quotes else 0.0,
        "answerable_answered": mean(answer.answered for answer in answerable),
        "refusal_recall": mean(not answer.answered for answer in silent) if silent else 1.0,
        "refusal_precision": mean(not answer.question.answerable for answer in refused) if refused else 1.0,
        "right": mean(answer.is_right for answer in answers),
        "evaluation_auc": area_under_curve(right, wrong),
    }


def _total(response: ChatResponse) -> float:
    return response.evaluation.total_score if response.evaluation else 0.0


def _document(metadata: dict[str, str | int | float | bool]) -> str:
    return str(metadata.get("id", "")).partition("#")[0]
