"""Rules of pay: the minimum wage of the day, probation, and the day of payment."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Any

from schemas.calculations import Calculation
from utils.calculators.result import YearUnknown, won
from utils.calculators.wages import MinimumWageInput, minimum_wage
from utils.paperwork.rules.findings import Finding, error, warning, years_later

_FULL_WEEK, _HOLIDAY_HOURS = 40.0, 8.0
_PROBATION_MONTHS = 3
_MINIMUM_WAGE_LAW = "최저임금법 제6조제3항"


def pay(values: Any, today: date) -> Iterator[Finding]:
    """Yield what is wrong with amount, probation and payment of a wage."""
    yield from _minimum(values, today)
    if values.pay_cycle == "other":
        yield error("pay_cycle", "임금은 매월 1회 이상 일정한 날짜를 정하여 지급해야 합니다.", "근로기준법 제43조제2항")
    if values.pay_day is not None and values.pay_day > 28:
        yield warning(
            "pay_day", "없는 달이 있는 날짜입니다. 없는 달에는 말일에 지급한다고 정하십시오.", "근로기준법 제43조제2항"
        )


def _minimum(values: Any, today: date) -> Iterator[Finding]:
    if values.wage is None or values.wage_type is None:
        return
    if values.wage_type == "monthly" and values.weekly_hours is None:
        yield warning(
            "weekly_hours", "1주 소정근로시간을 적으면 월급이 최저임금 이상인지 확인합니다.", _MINIMUM_WAGE_LAW
        )
        return
    if values.wage_type == "daily" and not values.daily_hours:
        yield warning(
            "daily_hours", "1일 소정근로시간을 적으면 일급이 최저임금 이상인지 확인합니다.", _MINIMUM_WAGE_LAW
        )
        return
    if values.weekly_hours == 0 or values.daily_hours == 0:
        yield error(
            "weekly_hours" if values.weekly_hours == 0 else "daily_hours",
            "소정근로시간은 0보다 커야 합니다.",
            "근로기준법 제17조",
        )
        return
    on = values.start_date or today
    try:
        found = _compared(values, on, 1.0)
    except YearUnknown:
        on = today
        found = _compared(values, on, 1.0)
        yield warning(
            "start_date",
            f"일을 시작하는 해의 최저임금이 아직 자료에 없어 {today.year}년 기준으로 확인했습니다. 고시되면 다시 확인하십시오.",
            "최저임금법 제10조",
        )
    if shortfall := _value(found, "shortfall_hourly"):
        yield error("wage", _too_low(values, found, shortfall), _MINIMUM_WAGE_LAW)
    else:
        yield from _probation(values, on)


def _too_low(values: Any, found: Calculation, shortfall: int) -> str:
    hourly = won(_value(found, "least_hourly"))
    if values.wage_type == "monthly":
        monthly = won(_value(found, "least_monthly"))
        return f"{found.on.year}년 최저임금(시급 {hourly}, 월 {monthly})보다 적습니다. 시간당 {won(shortfall)}이 모자랍니다."
    return f"{found.on.year}년 최저임금(시급 {hourly})보다 시간당 {won(shortfall)} 적습니다."


def _probation(values: Any, on: date) -> Iterator[Finding]:
    """Yield what is wrong with pay in probation (최저임금법 제5조제2항, 시행령 제3조): 90 % of the minimum, three months, a year's contract."""
    if not values.probation_months or values.probation_percent is None or values.probation_percent >= 100:
        return
    share = values.probation_percent / 100
    short_term = (
        values.end_date is not None
        and values.start_date is not None
        and (values.end_date.toordinal() + 1 < years_later(values.start_date, 1).toordinal())
    )
    if not _value(_compared(values, on, share), "shortfall_hourly"):
        return  # also the reduced pay is the minimum at least
    article = "최저임금법 제5조제2항, 시행령 제3조"
    if values.simple_labour:
        yield error("probation_percent", "단순노무업무는 수습기간에도 최저임금 전액 이상을 지급해야 합니다.", article)
    elif short_term:
        yield error(
            "probation_percent", "계약기간이 1년 미만이면 수습기간에도 최저임금 전액 이상을 지급해야 합니다.", article
        )
    elif values.probation_months > _PROBATION_MONTHS:
        yield error(
            "probation_months", "최저임금을 10% 깎을 수 있는 수습기간은 시작한 날부터 3개월까지입니다.", article
        )
    elif shortfall := _value(_compared(values, on, share, probation=True), "shortfall_hourly"):
        yield error(
            "probation_percent", f"수습기간의 임금이 최저임금의 90%보다 시간당 {won(shortfall)} 적습니다.", article
        )


def _compared(values: Any, on: date, share: float, *, probation: bool = False) -> Calculation:
    """Compare the wage, or a share of it, with the minimum by the calculator.

    Raises:
        YearUnknown: the minimum wage of that year is not known.
    """
    weekly = min(values.weekly_hours or _FULL_WEEK, _FULL_WEEK)
    if values.wage_type == "monthly":
        counted = sum(row.amount or 0 for row in values.allowances if row.monthly)
        # The calculator ends at a full week; beyond it, as small workplaces may agree, the hours of the week and its holiday count.
        beyond = (_FULL_WEEK + _HOLIDAY_HOURS) / (max(values.weekly_hours, _FULL_WEEK) + _HOLIDAY_HOURS)
        pay = {"monthly_pay": max(int((values.wage + counted) * share * beyond), 1)}
    else:
        hours = values.daily_hours if values.wage_type == "daily" else 1
        pay = {"hourly_wage": max(int(values.wage * share / hours), 1)}
    return minimum_wage(
        MinimumWageInput.model_validate({**pay, "weekly_hours": max(weekly, 0.1), "probation": probation}), on
    )


def _value(found: Calculation, name: str) -> int:
    return int(next(value.amount for value in found.values if value.name == name))
