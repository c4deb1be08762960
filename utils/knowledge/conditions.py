"""Conditions as documents write them: ``상시근로자 < 5``, ``계약형태 = 정규직 | 기간제``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal

from utils.figures.numerals import parse_amount
from utils.knowledge.units import Condition, Operator, Slot, SlotKind

_CONDITION = re.compile(r"(\S+?)\s*(!=|<=|>=|=|<|>)\s*(.+)")
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
_WON = re.compile(r"\d[\d,.십백천만억조 ]*원?")


class ConditionFault(ValueError):
    """A condition that cannot be read; the message says what is expected, in Korean."""


def parse_condition(text: str) -> Condition:
    """Read ``<slot> <operator> <value>``; several values of ``=`` and ``!=`` are joined by ``|``. Raises `ConditionFault`."""
    match = _CONDITION.fullmatch(text.strip())
    if match is None:
        raise ConditionFault(f"'항목 연산자 값'이어야 합니다 (연산자는 {' '.join(Operator)}): {text}")
    try:
        slot = Slot.of_label(match[1])
    except ValueError:
        raise ConditionFault(f"알 수 없는 항목입니다: {match[1]} (가능한 값: {', '.join(Slot.labels())})") from None
    operator, written = Operator(match[2]), [part.strip() for part in match[3].split("|")]
    if len(written) > 1 and operator not in (Operator.EQUAL, Operator.UNEQUAL):
        raise ConditionFault(f"값을 | 로 잇는 것은 = 와 != 에서만 됩니다: {text}")
    if not all(written):
        raise ConditionFault(f"값이 비어 있습니다: {text}")
    if slot.kind in (SlotKind.NUMBER, SlotKind.WON):
        return Condition(slot, operator, tuple(_number(slot, value) for value in written))
    if operator not in (Operator.EQUAL, Operator.UNEQUAL):
        raise ConditionFault(f"{slot.label}의 연산자는 = 또는 != 입니다: {text}")
    _require_choices(slot, written)
    return Condition(slot, operator, tuple(written))


def _number(slot: Slot, written: str) -> Decimal:
    if slot.kind is SlotKind.WON and _WON.fullmatch(written):
        return parse_amount(written)
    if not _NUMBER.fullmatch(written):
        raise ConditionFault(f"{slot.label}의 값은 단위 없는 숫자여야 합니다: {written}")
    return Decimal(written.replace(",", ""))


def _require_choices(slot: Slot, written: Sequence[str]) -> None:
    for value in written:
        if slot.choices and value not in slot.choices:
            raise ConditionFault(f"{slot.label}의 값은 {', '.join(slot.choices)} 가운데 하나입니다: {value}")
