"""The facts of an asker's case and the conditions of answer units, in Korean words: 상시근로자 5명 미만, 과세유형 간이."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from utils.figures.numerals import plain
from utils.knowledge.case import Case, Known, Standing, fit
from utils.knowledge.ranges import Range
from utils.knowledge.units import Condition, Operator, Slot
from utils.prompts import asks as wording

_UNITS = {
    Slot.HEADCOUNT: "명",
    Slot.SALES: "원",
    Slot.DEPOSIT: "원",
    Slot.BUSINESS_AGE: "년",
    Slot.AGE: "세",
    Slot.WEEKLY_HOURS: "시간",
    Slot.MONTHS_OF_SERVICE: "개월",
}
_COMPARED = {Operator.LESS: " 미만", Operator.AT_MOST: " 이하", Operator.MORE: " 초과", Operator.AT_LEAST: " 이상"}


def fact_words(case: Case) -> tuple[str, ...]:
    """Return the known facts of the case in words, a text for each fact."""
    return tuple(f"{slot.label} {_known_words(slot, known)}" for slot, known in case.facts.items())


def condition_words(conditions: Sequence[Condition], case: Case) -> str:
    """The conditions under which a unit holds and whether the case meets them; empty for a unit without conditions."""
    if not conditions:
        return ""
    holds = wording.IS_MET if fit(conditions, case) is Standing.MET else wording.IS_OPEN
    return f"{', '.join(map(_condition_words, conditions))}: {holds}"


def _condition_words(condition: Condition) -> str:
    values = " 또는 ".join(_value_words(condition.slot, value) for value in condition.values)
    denied = " 아님" if condition.operator is Operator.UNEQUAL else ""
    return f"{condition.slot.label} {values}{_COMPARED.get(condition.operator, denied)}"


def _known_words(slot: Slot, known: Known) -> str:
    if not isinstance(known, Range):
        return ", ".join(sorted(known))
    if known.exact is not None:
        return _value_words(slot, known.exact)
    ends = (
        (known.low, Operator.MORE if known.open_low else Operator.AT_LEAST),
        (known.high, Operator.LESS if known.open_high else Operator.AT_MOST),
    )
    return " ".join(f"{_value_words(slot, end)}{_COMPARED[operator]}" for end, operator in ends if end is not None)


def _value_words(slot: Slot, value: Decimal | str) -> str:
    if isinstance(value, str):
        return value
    whole, dot, rest = plain(value).partition(".")
    return f"{int(whole):,}{dot}{rest}{_UNITS.get(slot, '')}"
