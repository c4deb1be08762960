"""Whole answers: is there one, is every figure of it in its cited source, does it hold the facts it should."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean, median

from evaluation.questions import EvaluationQuestion
from schemas.chat import ChatResponse, Verdict
from utils.prompts.messages import says_not_found


@dataclass(frozen=True, slots=True)
class JudgedAnswer:
    """One answer with its verdicts. ``facts_found`` is the share of the key facts in it, None without any."""

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
            self.response.content[check.start : check.end] for check in checks if check.verdict is not Verdict.SUPPORTED
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


def score(answers: Sequence[JudgedAnswer]) -> dict[str, float]:
    """Shares over all answers, each in [0, 1], and milliseconds."""
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
    return {name: round(value, 4) for name, value in figures.items()}
