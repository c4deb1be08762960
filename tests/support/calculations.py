"""Calculations for tests: by key and figures, on a day."""

from __future__ import annotations

from datetime import date
from typing import Any

from schemas.calculations import Calculation
from utils.calculators.registry import CALCULATORS

TODAY = date(2026, 11, 22)


def computed(key: str, today: date = TODAY, /, **figures: Any) -> Calculation:
    """The calculation of a calculator; refusals pass through."""
    calculator = CALCULATORS[key]
    return calculator.calculate(calculator.inputs.model_validate(figures), today)


def amounts(calculation: Calculation) -> dict[str, int | float]:
    """The values by name."""
    return {value.name: value.amount for value in calculation.values}


def first(key: str, today: date = TODAY, /, **figures: Any) -> int | float:
    """The value that is asked for."""
    return computed(key, today, **figures).values[0].amount
