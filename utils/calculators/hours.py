"""Hours of a week and of a month, and the pay of a month for them."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from pydantic import Field

from schemas.calculations import CalculatedValue, Calculation
from utils.calculators.rates import rates
from utils.calculators.result import (
    CalculationRefused,
    CalculatorInput,
    DayHours,
    Hours,
    SomeWon,
    WeekDays,
    exact,
    made_of,
    needed,
    number,
    rounded,
    won,
    won_value,
)

MONTHLY_PAY = ("monthly_pay", "시급의 월급 환산")

WEEKS_A_MONTH = (
    Decimal(365) / 7 / 12
)  # 최저임금법 시행령 제5조, 근로기준법 시행령 제6조: the mean weeks of a year by twelve


class WeekInput(CalculatorInput):
    """An hourly wage and the hours of a week: ``weekly_hours``, or ``days_per_week`` with ``hours_per_day``."""

    hourly_wage: SomeWon = Field(description="시급.")
    weekly_hours: Hours | None = Field(None, description="1주 소정근로시간.")
    days_per_week: WeekDays | None = Field(None, description="1주에 일하는 날 수.")
    hours_per_day: DayHours | None = Field(None, description="하루 소정근로시간.")


def weekly_hours_of(inputs: WeekInput) -> tuple[Decimal, list[str]]:
    """The hours of a week, and the step that says where they come from.

    Raises:
        CalculationRefused: neither way of giving them is complete, or they are more than a week has.
    """
    if inputs.weekly_hours is not None:
        return exact(inputs.weekly_hours), []
    if inputs.days_per_week is None or inputs.hours_per_day is None:
        raise needed(inputs, "weekly_hours")
    hours = inputs.days_per_week * exact(inputs.hours_per_day)
    return hours, [f"하루 {number(inputs.hours_per_day)}시간 × 주 {inputs.days_per_week}일 = 주 {number(hours)}시간"]


def paid_month(weekly: Decimal, on: date) -> tuple[Decimal, Decimal, str]:
    """The hours of the paid holiday of a week of at most 40 hours, those paid for in a month, and the step that says so."""
    paid = weekly / 40 * 8 if weekly >= rates("labour", on)["least_weekly_hours"] else Decimal(0)
    hours = ((weekly + paid) * WEEKS_A_MONTH).to_integral_value(rounding="ROUND_HALF_UP")
    return (
        paid,
        hours,
        f"(주 {number(weekly)}시간 + 주휴 {number(paid)}시간) × 365일 ÷ 7 ÷ 12 = 월 {number(hours)}시간",
    )


def monthly_pay(inputs: WeekInput, on: date) -> Calculation:
    """Pay of a month for regular hours with the paid weekly holiday (근로기준법 제55조; 최저임금법 시행령 제5조), before tax.

    Raises:
        CalculationRefused: the hours are not told, or beyond 8 a day or 40 a week, which is overtime.
        YearUnknown: the minimum wage of the year is not known.
    """
    weekly, steps = weekly_hours_of(inputs)
    if weekly > 40 or (inputs.hours_per_day or 0) > 8:
        raise CalculationRefused(
            "weekly_hours", "하루 8시간, 주 40시간을 넘는 시간은 연장근로수당으로 따로 계산해야 합니다."
        )
    law = rates("minimum_wage", on)
    paid, hours, month = paid_month(weekly, on)
    monthly = rounded(inputs.hourly_wage * hours)
    holiday = "주휴수당을 포함한 " if paid else "주휴수당이 없는 "
    conclusion = (
        f"시급 {won(inputs.hourly_wage)}으로 주 {number(weekly)}시간 일하면 {holiday}월급은 세전 {won(monthly)}입니다."
    )
    if inputs.hourly_wage < law["hourly"]:
        conclusion += f" 이 시급은 {on.year}년 최저임금(시급 {won(law['hourly'])})보다 적습니다."
    return made_of(
        MONTHLY_PAY,
        on,
        [
            won_value("monthly", "월급(세전)", monthly),
            CalculatedValue(name="monthly_hours", label="월 유급 시간", amount=int(hours), unit="시간"),
        ],
        formula="월급 = 시급 × (1주 소정근로시간 + 주휴시간) × 365 ÷ 7 ÷ 12",
        steps=[*steps, month, f"{won(inputs.hourly_wage)} × {number(hours)}시간 = {won(monthly)}"],
        laws=["근로기준법 제55조", "근로기준법 제18조", "최저임금법 시행령 제5조", *law.laws],
        assumptions=["연장·야간·휴일근로가 없고 매주 소정근로일을 모두 출근한 것으로 계산했습니다."],
        conclusion=conclusion,
    )
