"""The notation of steps, and rounding."""

from __future__ import annotations

from decimal import Decimal

import pytest
from pydantic import ValidationError

from utils.calculators.result import CalculatorInput, floored, number, percent, rounded, won


def test_notation() -> None:
    assert won(55_000) == "55,000원"
    assert number(Decimal("4.3450")) == "4.345"
    assert number(12.5) == "12.5"
    assert number(Decimal(1_000)) == "1,000"
    assert percent(Decimal("4.7500")) == "4.75%"


@pytest.mark.parametrize(("amount", "expected"), [("2.5", 3), ("2.4", 2), ("-2.5", -3)])
def test_rounding_is_to_the_nearest_won(amount: str, expected: int) -> None:
    assert rounded(Decimal(amount)) == expected


def test_the_state_takes_no_fraction_of_ten_won() -> None:
    assert floored(Decimal("82685.9")) == 82_680


@pytest.mark.parametrize("wrong", ["20260101", "2026-13-01", 0, True, "어제"])
def test_a_day_is_written_as_a_date(wrong: object) -> None:
    with pytest.raises(ValidationError):
        CalculatorInput.model_validate({"on": wrong})
