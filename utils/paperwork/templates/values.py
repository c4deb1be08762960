"""Values as templates print and compare them: amounts with their unit, days in words, and blanks that stay blank."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from types import MappingProxyType, SimpleNamespace
from typing import Any

from utils.calculators.result import number
from utils.paperwork.templates.field_types import FieldsModel, FieldSpec, FieldType

BLANK = "____________"
_BLANKS: Mapping[FieldType, str] = MappingProxyType(
    {
        FieldType.DATE: "______년 ____월 ____일",
        FieldType.TIME: "____시 ____분",
        FieldType.WON: "____________원",
        FieldType.INTEGER: "______",
        FieldType.HOURS: "______",
        FieldType.PERCENT: "______",
    }
)


class Blank:
    """The absence of a value: false, unlike everything, and printed as a line to write on."""

    __slots__ = ("printed",)

    def __init__(self, printed: str = BLANK) -> None:
        self.printed = printed

    def __str__(self) -> str:
        return self.printed

    def __bool__(self) -> bool:
        return False

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Blank)

    def __hash__(self) -> int:
        return hash(Blank)

    def _never(self, _other: object) -> bool:
        return False

    __lt__ = __le__ = __gt__ = __ge__ = _never


class _Won(int):
    def __str__(self) -> str:
        return f"{int(self):,}원"


class _Count(int):
    def __str__(self) -> str:
        return f"{int(self):,}"


class _Decimal(float):
    def __str__(self) -> str:
        return number(float(self))


class _Choice(str):
    """The key of a choice, printed as its label."""

    label: str

    def __str__(self) -> str:
        return self.label


class _Date(date):
    def __str__(self) -> str:
        return f"{self.year}년 {self.month}월 {self.day}일"


def printed_day(day: date) -> str:
    """Return ``2026년 3월 2일``."""
    return str(_Date(day.year, day.month, day.day))


def printed_values(fields: tuple[FieldSpec, ...], values: FieldsModel) -> dict[str, Any]:
    """Return the values by name as templates see them."""
    return {field.name: _printed(field, getattr(values, field.name)) for field in fields}


def blank_values(fields: tuple[FieldSpec, ...]) -> dict[str, Any]:
    """Return the values of a document of which nothing is known yet."""
    return {field.name: _printed(field, _empty(field)) for field in fields}


def _empty(field: FieldSpec) -> object:
    if field.type is FieldType.ROWS:
        return []
    return bool(field.default) if field.type is FieldType.FLAG else field.default


def _printed(field: FieldSpec, value: Any) -> Any:
    if field.type is FieldType.ROWS:
        blank = {column.name: _printed(column, _empty(column)) for column in field.columns}
        rows = [printed_values(field.columns, row) for row in value] or [blank] * field.blank_rows
        return [SimpleNamespace(**row) for row in rows]
    if value is None:
        return Blank(_BLANKS.get(field.type, BLANK))
    match field.type:
        case FieldType.WON:
            return _Won(value)
        case FieldType.INTEGER:
            return _Count(value)
        case FieldType.HOURS | FieldType.PERCENT:
            return _Decimal(value)
        case FieldType.DATE:
            return _Date(value.year, value.month, value.day)
        case FieldType.CHOICE:
            chosen = _Choice(value)
            chosen.label = field.choices[value]
            return chosen
        case _:
            return value
