"""Attempts at an answer, and which of several is to stand."""

from __future__ import annotations

from dataclasses import dataclass

from agents.state import Answer
from schemas.chat import Degradation
from utils.prompts.messages import says_not_found, without_english_lead


@dataclass(frozen=True, slots=True)
class Attempt:
    """The answer of one alternative search (the first one, where it could not search), and what was unavailable meanwhile."""

    answer: Answer
    degraded: tuple[Degradation, ...]


def rank_of(answer: Answer) -> tuple[bool, bool, float]:
    """Return a key that orders answers: those that may stand come after others, those that say something after an honest silence, then by score."""
    evaluation = answer.evaluation
    if evaluation is None:
        return False, False, 0.0
    says_something = not says_not_found(without_english_lead(answer.content).split("\n", 1)[0])
    return evaluation.passed, says_something, evaluation.total_score
