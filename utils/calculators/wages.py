"""Pay for hours: the paid weekly holiday, premiums for overtime, night and holidays, and the check of the minimum wage."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from pydantic import Field

from schemas.calculations import CalculatedValue, Calculation
from utils.calculators.hours import WEEKS_A_MONTH, WeekInput, paid_month, weekly_hours_of
from utils.calculators.rates import rates
from utils.calculators.result import (
    CalculationRefused,
    CalculatorInput,
    Days,
    Flag,
    Headcount,
    Hours,
    Number,
    SomeWon,
    exact,
    made_of,
    number,
    percent,
    rounded,
    won,
    won_value,
)

WEEKLY_HOLIDAY = ("weekly_holiday_pay", "주휴수당")
OVERTIME = ("overtime_pay", "연장·야간·휴일근로수당")
MINIMUM_WAGE = ("minimum_wage", "최저임금 확인")
WAGE_CUT = ("wage_cut_limit", "감봉 한도")
SHUTDOWN = ("shutdown_pay", "휴업수당")


class WeeklyHolidayInput(WeekInput):
    """A week, and whether its days were worked."""

    attended: Flag = Field(True, description="그 주의 소정근로일을 모두 출근했는지.")


class OvertimeInput(CalculatorInput):
    """Hours of a month or a week; overlapping hours (overtime at night) are given in each kind that they fall under."""

    hourly_wage: SomeWon = Field(description="시간급 통상임금.")
    headcount: Headcount = Field(description="상시근로자 수. 5명 미만이면 가산수당이 없습니다.")
    overtime_hours: Hours = Field(0, description="연장근로시간(1일 8시간 또는 1주 40시간을 넘는 시간).")
    night_hours: Hours = Field(0, description="야간근로시간(오후 10시부터 오전 6시). 연장·휴일과 겹쳐도 넣습니다.")
    holiday_hours: Hours = Field(0, description="휴일근로시간 가운데 하루 8시간 이내.")
    long_holiday_hours: Hours = Field(0, description="휴일근로시간 가운데 하루 8시간을 넘는 시간.")


class MinimumWageInput(CalculatorInput):
    """Give ``hourly_wage`` or ``monthly_pay`` to compare; without either the minimum itself is told."""

    hourly_wage: SomeWon | None = Field(None, description="시급.")
    monthly_pay: SomeWon | None = Field(None, description="월급 가운데 최저임금에 산입되는 임금.")
    weekly_hours: Number = Field(40, ge=0.1, le=40, description="1주 소정근로시간.")
    probation: Flag = Field(False, description="1년 이상 계약의 수습 3개월 이내인지(단순노무직은 제외).")


class ShutdownInput(CalculatorInput):
    """A worker who is kept from working by the employer."""

    daily_average_wage: SomeWon = Field(description="1일 평균임금(직전 3개월 임금 총액 ÷ 그 기간의 일수).")
    days: Days = Field(description="휴업한 일수(근무하기로 한 날).")
    daily_ordinary_wage: SomeWon | None = Field(
        None, description="1일 통상임금. 평균임금의 70%가 이보다 많으면 통상임금만 줄 수 있습니다."
    )
    headcount: Headcount = Field(5, description="상시근로자 수. 5명 미만이면 휴업수당 규정이 적용되지 않습니다.")


class WageCutInput(CalculatorInput):
    """A worker's monthly pay."""

    monthly_pay: SomeWon = Field(description="한 달 임금 총액(세전).")
    daily_average_wage: SomeWon | None = Field(
        None, description="1일 평균임금. 비우면 한 달 임금의 3배를 92일로 나누어 계산합니다."
    )


def weekly_holiday_pay(inputs: WeeklyHolidayInput, on: date) -> Calculation:
    """Pay of the weekly holiday: a day's share of the week's hours, at most 8 (근로기준법 제55조, 제18조; 시행령 제30조)."""
    law = rates("labour", on)
    hours, steps = weekly_hours_of(inputs)
    full, least = Decimal(law["full_week_hours"]), law["least_weekly_hours"]
    laws = ["근로기준법 제55조", "근로기준법 제18조", "근로기준법 시행령 제30조"]
    formula = "주휴수당 = 시급 × (1주 소정근로시간 ÷ 40시간 × 8시간), 주 15시간 이상일 때"
    if hours < least or not inputs.attended:
        reason = (
            f"1주 소정근로시간이 {number(hours)}시간으로 {least}시간에 못 미쳐"
            if hours < least
            else "그 주의 소정근로일을 모두 출근하지 않아"
        )
        return made_of(
            WEEKLY_HOLIDAY,
            on,
            [won_value("weekly", "1주 주휴수당", 0)],
            formula=formula,
            steps=steps,
            laws=laws,
            conclusion=f"{reason} 주휴수당은 발생하지 않습니다.",
        )
    paid = min(hours, full) / full * 8
    weekly = rounded(paid * inputs.hourly_wage)
    monthly = rounded(weekly * WEEKS_A_MONTH)
    if hours != full:
        capped = "40시간(상한)" if hours > full else f"{number(hours)}시간"
        steps.append(f"{capped} ÷ 40시간 × 8시간 = {number(paid)}시간")
    steps.append(f"{won(inputs.hourly_wage)} × {number(paid)}시간 = {won(weekly)}")
    return made_of(
        WEEKLY_HOLIDAY,
        on,
        [won_value("weekly", "1주 주휴수당", weekly), won_value("monthly", "한 달 평균(365일 ÷ 7 ÷ 12주)", monthly)],
        formula=formula,
        steps=steps,
        laws=laws,
        assumptions=["그 주의 소정근로일을 모두 출근한 것으로 계산했습니다."],
        conclusion=f"시급 {won(inputs.hourly_wage)}으로 주 {number(hours)}시간 일하면 1주 주휴수당은 {won(weekly)}입니다.",
    )


def overtime_pay(inputs: OvertimeInput, on: date) -> Calculation:
    """Pay with premiums (근로기준법 제56조); under five workers the hours alone are paid (제11조, 시행령 제7조).

    Raises:
        CalculationRefused: no hours of any kind are given.
    """
    law = rates("labour", on)
    small = inputs.headcount < law["scope_headcount"]
    # Hours that are paid as such, and their premium. Night hours are paid by their own kind already: only the premium is added.
    parts = (
        ("연장근로", inputs.overtime_hours, 100, law["extension_percent"]),
        ("야간근로", inputs.night_hours, 0, law["night_percent"]),
        ("휴일근로 8시간 이내", inputs.holiday_hours, 100, law["holiday_percent"]),
        ("휴일근로 8시간 초과", inputs.long_holiday_hours, 100, law["long_holiday_percent"]),
    )
    if not any(hours for _, hours, _, _ in parts):
        raise CalculationRefused("overtime_hours", "연장·야간·휴일근로시간 가운데 하나는 있어야 합니다.")
    steps, total, premium = [], Decimal(0), Decimal(0)
    for label, hours, base, added in parts:
        factor = Decimal(base + (0 if small else added)) / 100
        if not hours or not factor:
            continue
        amount = inputs.hourly_wage * exact(hours) * factor
        total += amount
        premium += 0 if small else inputs.hourly_wage * exact(hours) * added / 100
        steps.append(
            f"{label}: {won(inputs.hourly_wage)} × {number(hours)}시간 × {number(factor)} = {won(rounded(amount))}"
        )
    values = [
        won_value("total", "지급할 수당", rounded(total)),
        won_value("premium", "그중 가산임금", rounded(premium)),
    ]
    conclusion = f"연장·야간·휴일근로에 지급할 수당은 {won(rounded(total))}입니다."
    if small:
        conclusion = (
            f"상시근로자가 {inputs.headcount}명으로 5명 미만이라 가산수당은 없고, "
            f"일한 시간의 임금 {won(rounded(total))}만 지급하면 됩니다."
        )
    return made_of(
        OVERTIME,
        on,
        values,
        formula="수당 = 시간급 통상임금 × 시간 × 배수(연장 1.5, 휴일 8시간 이내 1.5·초과 2, 야간은 0.5를 더함)",
        steps=steps,
        laws=["근로기준법 제56조", "근로기준법 제11조", "근로기준법 시행령 제7조"],
        assumptions=["야간근로시간의 기본임금은 연장·휴일근로나 소정근로의 임금에 들어 있는 것으로 계산했습니다."]
        if inputs.night_hours
        else [],
        conclusion=conclusion,
    )


def minimum_wage(inputs: MinimumWageInput, on: date) -> Calculation:
    """Compare an hourly or monthly wage with the minimum (최저임금법 제6조, 시행령 제5조; 수습 제5조제2항, 시행령 제3조).

    Raises:
        YearUnknown: the minimum wage of the year is not known.
    """
    law = rates("minimum_wage", on)
    least = Decimal(law["hourly"]) * (9 if inputs.probation else 10) / 10
    weekly = exact(inputs.weekly_hours)
    paid, hours, month = paid_month(weekly, on)
    least_monthly = rounded(least * hours)
    steps = [
        month,
        f"{won(least)} × {number(hours)}시간 = {won(least_monthly)}",
    ]
    if inputs.probation:
        steps.insert(0, f"수습 3개월 이내: {won(law['hourly'])} × {percent(90)} = {won(least)}")
    compared = f"시급 {won(least)}" if inputs.hourly_wage is not None else f"월 {won(least_monthly)}"
    hourly = None
    conclusion = (
        f"{on.year}년 최저임금은 시급 {won(least)}이고, 주 {number(weekly)}시간 일하면 "
        f"{'주휴를 포함해 ' if paid else ''}월 {won(least_monthly)}입니다."
    )
    if inputs.hourly_wage is not None:
        hourly, what = Decimal(inputs.hourly_wage), f"시급 {won(inputs.hourly_wage)}"
    elif inputs.monthly_pay is not None:
        hourly, what = Decimal(inputs.monthly_pay) / hours, f"월급 {won(inputs.monthly_pay)}"
        steps.append(f"{won(inputs.monthly_pay)} ÷ {number(hours)}시간 = 시간당 {won(Decimal(int(hourly)))}")
    short = max(least - hourly, Decimal(0)) if hourly is not None else Decimal(0)
    if hourly is not None:
        verdict = "보다 적어 최저임금법 위반입니다" if short else " 이상입니다"
        conclusion = f"{what}은 {on.year}년 최저임금({compared}){verdict}."
    asked = [
        won_value("least_hourly", "최저 시급", int(least)),
        won_value("least_monthly", "최저 월급", least_monthly),
    ]
    return made_of(
        MINIMUM_WAGE,
        on,
        [
            *(asked if hourly is not None else reversed(asked)),
            won_value("shortfall_hourly", "시간당 부족액", rounded(short)),
            CalculatedValue(name="monthly_hours", label="월 기준시간", amount=int(hours), unit="시간"),
        ],
        formula="최저 월급 = 최저임금(시급) × (1주 소정근로시간 + 주휴시간) × 365 ÷ 7 ÷ 12",
        steps=steps,
        laws=[*law.laws, "최저임금법 제6조", "최저임금법 시행령 제5조"],
        notices=law.notices,
        assumptions=["최저임금에 산입되지 않는 연장·야간·휴일수당 등은 뺀 금액으로 비교해야 합니다."],
        conclusion=conclusion,
    )


def shutdown_pay(inputs: ShutdownInput, on: date) -> Calculation:
    """70 % of the average wage, the ordinary wage being enough where that is less (근로기준법 제46조); not under five workers (제11조)."""
    law = rates("labour", on)
    share = law["shutdown_percent"]
    daily = Decimal(inputs.daily_average_wage) * share / 100
    steps = [f"{won(inputs.daily_average_wage)} × {percent(share)} = 하루 {won(rounded(daily))}"]
    ordinary = inputs.daily_ordinary_wage
    if ordinary is not None and daily > ordinary:
        daily = Decimal(ordinary)
        steps.append(f"1일 통상임금 {won(ordinary)}보다 많으므로 통상임금으로 줄 수 있음")
    small = inputs.headcount < law["scope_headcount"]
    amount = 0 if small else rounded(daily * inputs.days)
    if not small:
        steps.append(f"{won(rounded(daily))} × {number(inputs.days)}일 = {won(amount)}")
    conclusion = (
        f"상시근로자가 {inputs.headcount}명으로 5명 미만이라 근로기준법의 휴업수당을 주지 않아도 됩니다."
        if small
        else f"회사 사정으로 {number(inputs.days)}일 휴업하면 휴업수당은 {won(amount)} 이상이어야 합니다."
    )
    return made_of(
        SHUTDOWN,
        on,
        [won_value("total", "휴업수당", amount), won_value("daily", "하루 휴업수당", 0 if small else rounded(daily))],
        formula="휴업수당 = 1일 평균임금 × 70%(통상임금보다 많으면 통상임금) × 휴업일수",
        steps=steps,
        laws=["근로기준법 제46조", "근로기준법 제11조", "근로기준법 시행령 제7조"],
        assumptions=[
            "사용자에게 책임이 있는 휴업이고, 부득이하게 사업을 계속할 수 없어 노동위원회 승인을 받으면 더 적을 수 있습니다."
        ],
        conclusion=conclusion,
    )


def wage_cut_limit(inputs: WageCutInput, on: date) -> Calculation:
    """At once half a day's average wage, in all a tenth of a pay period's wages (근로기준법 제95조)."""
    law = rates("labour", on)
    daily = Decimal(inputs.daily_average_wage or 0) or Decimal(inputs.monthly_pay) * 3 / 92
    once = int(daily * law["cut_of_day_percent"] / 100)
    in_all = int(Decimal(inputs.monthly_pay) * law["cut_of_month_percent"] / 100)
    return made_of(
        WAGE_CUT,
        on,
        [won_value("once", "1회 한도", once), won_value("in_all", "한 달 총액 한도", in_all)],
        formula="1회 한도 = 1일 평균임금 ÷ 2, 한 달 총액 한도 = 한 달 임금 총액 ÷ 10",
        steps=[
            f"1일 평균임금: {won(rounded(daily))}",
            f"1회: {won(rounded(daily))} ÷ 2 = {won(once)}",
            f"한 달 총액: {won(inputs.monthly_pay)} ÷ 10 = {won(in_all)}",
        ],
        laws=["근로기준법 제95조"],
        assumptions=["취업규칙에 감급(감봉) 징계가 정해져 있어야 하고, 지각한 시간의 임금을 빼는 것과는 다릅니다."],
        conclusion=(
            f"한 달 임금이 {won(inputs.monthly_pay)}이면 감봉은 1회에 {won(once)}, "
            f"한 달에 모두 {won(in_all)}을 넘을 수 없습니다."
        ),
    )
