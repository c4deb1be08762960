"""The yes or no that the judged phrasings of a unit give to a new question.

Neighbours in wording are no neighbours in answer: phrasings of a unit are written as pairs (네 명인데 … → 아니요, 여섯 명인데 … →
네). So a verdict carries over in two cases only: to the same question in another form, and from a rule that the unit's phrasings
state with one voice, to a question that adds no condition to it. `Polarity.stance` says what such a rule is: strict where
something must be done or left, lenient where it need not or may be. 줘야 하나요 → 네, 안 줘도 되나요 → 아니요 and 안 주면 처벌받나요 → 네 are
all strict. Lenient rules are not carried over: what need not be done in some cases must be done in others.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from utils.knowledge.units import Condition, Operator, Slot
from utils.knowledge.yes_no_questions import (
    DENIED,
    STANCES,
    Kind,
    Polarity,
    Quantity,
    QuestionReading,
    asks_yes_or_no,
    read_question,
)
from utils.prompts.messages import NO, YES

__all__ = ["JudgedAsk", "Kind", "Polarity", "QuestionReading", "asks_yes_or_no", "led", "read_question", "verdict_of"]

NEAR_ENOUGH = 0.2
"""Similarity that some phrasing must have: below it the question is not one of the unit's."""

_FEWEST_VOTES = 2
_FEWEST_OF_A_KIND = 3
_FLIPPED = frozenset({*STANCES, Kind.ABILITY, Kind.EXISTENCE})  # of 줘야 하나요 and 안 줘도 되나요 exactly one is true
_RIGHTS = frozenset({Kind.ABILITY, Kind.EXISTENCE})
_CLAIMED = frozenset({*_RIGHTS, Kind.OCCURRENCE})
# They make the case that is asked about larger, as a denial (동의 없이) does: what is not allowed is not allowed so either.
_WIDENING = frozenset("무조건 전부 전체 모두 바로 곧바로 즉시 아무 마음대로 아예 계속 다 혼자".split())

_NUMBER = re.compile(r"(\d{1,20}(?:\.\d{1,9})?)([^\d.]{1,9})")
_YEAR, _MONTHS = "년", 12
_SLOTS = {
    "명": Slot.HEADCOUNT,
    "살": Slot.AGE,
    "세": Slot.AGE,
    "시간": Slot.WEEKLY_HOURS,
    "개월": Slot.MONTHS_OF_SERVICE,
    _YEAR: Slot.MONTHS_OF_SERVICE,
    "원": Slot.SALES,
}
_SHIFTS = {"<": Decimal("-0.001"), ">": Decimal("0.001")}  # 5인 미만 is not on the side of 5명
_COMPARISONS = {
    Operator.EQUAL: operator.eq,
    Operator.UNEQUAL: operator.ne,
    Operator.LESS: operator.lt,
    Operator.AT_MOST: operator.le,
    Operator.MORE: operator.gt,
    Operator.AT_LEAST: operator.ge,
}


@dataclass(frozen=True, slots=True)
class JudgedAsk:
    """A phrasing of a unit with its verdict; None where nobody gave one."""

    reading: QuestionReading
    verdict: bool | None

    @property
    def kind(self) -> Kind | None:
        return None if self.reading.polarity is None else self.reading.polarity.kind

    @property
    def stance(self) -> int:
        """As of its polarity; 0 without a verdict."""
        polarity = self.reading.polarity
        return 0 if polarity is None or self.verdict is None else polarity.stance(self.verdict)

    @property
    def affirms(self) -> bool:
        """The predicate without its denial is said to be true."""
        polarity = self.reading.polarity
        return polarity is not None and self.verdict is (not polarity.is_negated)


def verdict_of(
    question: QuestionReading,
    unit_asks: Sequence[JudgedAsk],
    similarity: Sequence[float],
    conditions: Sequence[Condition] = (),
) -> bool | None:
    """The answer of a unit to ``question``: True for yes, False for no, None where its phrasings do not tell.

    ``similarity`` has the likeness of the question to each of the phrasings, at most 1; ``conditions`` are the unit's.
    """
    polarity = question.polarity
    if polarity is None or len(unit_asks) != len(similarity):
        return None
    same = {_carried(ask, polarity) for ask in unit_asks if ask.verdict is not None and _is_same(question, ask.reading)}
    if same:
        return same.pop() if len(same) == 1 else None
    if max(similarity, default=0.0) < NEAR_ENOUGH:
        return None
    if polarity.kind in STANCES:
        votes = [ask for ask in unit_asks if ask.stance]
        is_carried, verdict = _is_strict(votes), polarity.stance(True) == 1
    else:
        votes = [ask for ask in unit_asks if ask.verdict is not None and ask.kind in _CLAIMED]
        is_carried, verdict = polarity.kind in _RIGHTS and _is_granted(votes), not polarity.is_negated
    return verdict if is_carried and not _adds_conditions(question, votes, conditions) else None


def led(sentence: str, verdict: bool) -> str:
    """``sentence``, the conclusion of a unit, led by the answer: 네, … or 아니요, …."""
    return f"{YES if verdict else NO}{sentence}"


def _is_same(question: QuestionReading, other: QuestionReading) -> bool:
    """Return True if both ask the same of the same, whether affirmed or denied."""
    if question.polarity is None or other.polarity is None or question.polarity.kind is not other.polarity.kind:
        return False
    is_flipped = question.polarity.is_negated != other.polarity.is_negated
    return (
        bool(question.words)
        and question.words == other.words
        and question.scope == other.scope
        and question.quantities == other.quantities
        and (not is_flipped or question.polarity.kind in _FLIPPED)
    )


def _carried(ask: JudgedAsk, polarity: Polarity) -> bool:
    """The verdict of the same question, turned round where its predicate is denied in only one of the two."""
    other = ask.reading.polarity
    return bool(ask.verdict) == (other is None or other.is_negated == polarity.is_negated)


def _is_strict(votes: Sequence[JudgedAsk]) -> bool:
    """Return True if phrasings enough say that the rule binds, and none that it leaves free.

    Two suffice where both verdicts are among them: then it is the rule that they share, not the habit of a writer.
    """
    if any(ask.stance < 0 for ask in votes):
        return False
    return len(votes) >= (_FEWEST_VOTES if len({ask.verdict for ask in votes}) > 1 else _FEWEST_OF_A_KIND)


def _is_granted(votes: Sequence[JudgedAsk]) -> bool:
    """Return True if phrasings affirm what is claimed, asked for and doubted (받을 수 있나요 → 네, 못 받나요 → 아니요).

    What all of them deny is not carried over: a claim fails in the cases asked about, not in all.
    """
    return len({ask.verdict for ask in votes}) > 1 and all(ask.affirms for ask in votes)


def _adds_conditions(question: QuestionReading, votes: Sequence[JudgedAsk], conditions: Sequence[Condition]) -> bool:
    """Return True if ``question`` has a number, a limit or a denial that none of the phrasings has.

    A number may be new where it lies on the same side of the unit's conditions as that of a phrasing.
    """
    new = question.scope - {word for ask in votes for word in ask.reading.scope}
    if question.polarity is not None and question.polarity.stance(True) < 0:
        new = frozenset(word for word in new if word not in _WIDENING and not word.startswith(DENIED))
    known = {quantity for ask in votes for quantity in ask.reading.quantities}
    sides = {side for quantity in known if (side := _side(quantity, conditions))}
    return bool(new) or any(_side(quantity, conditions) not in sides for quantity in question.quantities - known)


def _side(quantity: Quantity, conditions: Sequence[Condition]) -> tuple[Slot, tuple[bool, ...]] | None:
    """On which side of each condition of its slot a number lies; None where no condition is about it."""
    number = _NUMBER.fullmatch(quantity.figure)
    slot = _SLOTS.get(number[2]) if number else None
    if number is None or slot is None:
        return None
    value = Decimal(number[1]) * (_MONTHS if number[2] == _YEAR else 1) + _SHIFTS.get(quantity.bound, 0)
    told = tuple(
        _COMPARISONS[condition.operator](value, limit)
        for condition in conditions
        if condition.slot is slot
        for limit in condition.values
        if isinstance(limit, Decimal)
    )
    return (slot, told) if told else None
