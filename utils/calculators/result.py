"""Shared by all calculators: their inputs' base, the refusals they raise, and the notation of their steps."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from decimal import ROUND_FLOOR, ROUND_HALF_UP, Decimal
from typing import Annotated, Final

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from pydantic_core import PydanticKnownError

from schemas.calculations import CalculatedValue, Calculation
from schemas.values import JsonNumber
from utils.figures.numerals import plain

MAX_WON: Final = 10**13
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


def _day(value: object) -> object:
    """Refuse what JSON Schema calls no date: numbers, and the compact form."""
    if isinstance(value, str) and not _DAY.fullmatch(value):
        raise PydanticKnownError("date_from_datetime_parsing", {"error": "YYYY-MM-DD"})
    if value is not None and not isinstance(value, str | date):
        raise PydanticKnownError("date_type")
    return value


Day = Annotated[date, BeforeValidator(_day)]
Won = Annotated[int, Field(ge=0, le=MAX_WON, json_schema_extra={"unit": "원"}), JsonNumber]
SomeWon = Annotated[int, Field(ge=1, le=MAX_WON, json_schema_extra={"unit": "원"}), JsonNumber]
"""An amount that cannot be nothing."""
Hours = Annotated[float, Field(ge=0, le=168, json_schema_extra={"unit": "시간"}), JsonNumber]
Percent = Annotated[float, Field(ge=0, le=100, json_schema_extra={"unit": "%"}), JsonNumber]
Months = Annotated[int, Field(ge=0, le=1_200, json_schema_extra={"unit": "개월"}), JsonNumber]
Days = Annotated[int, Field(ge=0, le=36_500, json_schema_extra={"unit": "일"}), JsonNumber]
Headcount = Annotated[int, Field(ge=0, le=1_000_000, json_schema_extra={"unit": "명"}), JsonNumber]
Whole = Annotated[int, JsonNumber]
Number = Annotated[float, JsonNumber]
"""Numbers with limits of their own."""
WeekDays = Annotated[int, Field(ge=1, le=7, json_schema_extra={"unit": "일"}), JsonNumber]
DayHours = Annotated[float, Field(ge=0.1, le=24, json_schema_extra={"unit": "시간"}), JsonNumber]
MonthDays = Annotated[int, Field(ge=0, le=31, json_schema_extra={"unit": "일"}), JsonNumber]
Flag = Annotated[bool, Field(strict=True)]


class CalculatorInput(BaseModel):
    """Base of all inputs: nothing beside the declared fields, and no text where a number belongs."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    on: Day | None = Field(None, description="요율과 기준을 적용할 날(YYYY-MM-DD). 비우면 오늘입니다.")


class CalculationRefused(ValueError):
    """A calculation that its figures do not allow; ``field`` is the one at fault, the message Korean and for people."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field
        self.message = message


class YearUnknown(CalculationRefused):
    """The data has no rates for a day. Old rates are never taken for new ones."""

    def __init__(self, table: str, on: date) -> None:
        super().__init__("on", f"{on.year}년 {on.month}월 {on.day}일에 적용할 {table} 기준이 없어 계산할 수 없습니다.")


def exact(number: float) -> Decimal:
    """The decimal that a number was written as."""
    return Decimal(str(number))


def rounded(amount: Decimal) -> int:
    """To the nearest won."""
    return int(amount.to_integral_value(ROUND_HALF_UP))


def floored(amount: Decimal, unit: int = 10) -> int:
    """Down to a multiple of ``unit`` won: the state and social insurers take no fraction of 10 won (국고금 관리법 제47조)."""
    return int((amount / unit).to_integral_value(ROUND_FLOOR)) * unit


def won(amount: Decimal | int) -> str:
    """``55,000원``."""
    return f"{number(amount)}원"


def number(value: Decimal | float) -> str:
    """``1,234.5``: separated thousands, no trailing zeros, at most four decimals."""
    text = f"{value if isinstance(value, Decimal) else exact(value):,.4f}"
    return text.rstrip("0").rstrip(".")


def percent(value: float | Decimal) -> str:
    """``4.75%`` of a percentage."""
    return f"{plain(value if isinstance(value, Decimal) else exact(value))}%"


def won_value(name: str, label: str, amount: int) -> CalculatedValue:
    """A value in won."""
    return CalculatedValue(name=name, label=label, amount=amount, unit="원")


def made_of(
    calculator: tuple[str, str],
    on: date,
    values: Sequence[CalculatedValue],
    *,
    formula: str,
    steps: Sequence[str],
    laws: Sequence[str],
    conclusion: str,
    assumptions: Sequence[str] = (),
    notices: Sequence[str] = (),
) -> Calculation:
    """The calculation of a calculator, given as its key and Korean name."""
    key, label = calculator
    return Calculation(
        calculator=key,
        label=label,
        values=list(values),
        formula=formula,
        steps=list(steps),
        laws=list(dict.fromkeys(laws)),
        notices=list(dict.fromkeys(notices)),
        on=on,
        assumptions=list(assumptions),
        conclusion=conclusion,
    )


def needed(inputs: CalculatorInput, field: str) -> CalculationRefused:
    """The refusal that names a figure which this case of a calculator needs."""
    label = (type(inputs).model_fields[field].description or field).rstrip(".")
    return CalculationRefused(field, f"이 계산에 필요한 값입니다: {label}.")
