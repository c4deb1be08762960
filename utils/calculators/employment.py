"""Leave, leaving and heads: annual leave, severance pay, pay instead of notice, and the number of regular workers."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from pydantic import Field

from schemas.calculations import CalculatedValue, Calculation
from utils.calculators.rates import rates
from utils.calculators.result import (
    CalculationRefused,
    CalculatorInput,
    Days,
    Flag,
    Headcount,
    MonthDays,
    Months,
    Number,
    SomeWon,
    Whole,
    Won,
    exact,
    made_of,
    number,
    rounded,
    won,
    won_value,
)

ANNUAL_LEAVE = ("annual_leave", "연차 유급휴가")
UNUSED_LEAVE = ("unused_leave_pay", "미사용 연차수당")
SEVERANCE = ("severance_pay", "퇴직금")
NOTICE = ("dismissal_notice_pay", "해고예고수당")
HEADCOUNT = ("headcount", "상시근로자 수")

_MONTHLY_HOURS = 209  # of 40 hours a week with the paid weekly holiday: 근로기준법 시행령 제6조
_DAYS_OF_3_MONTHS = 92  # the most there are, by which nobody is promised more than the law does


class AnnualLeaveInput(CalculatorInput):
    """A worker's service."""

    months_of_service: Months = Field(description="계속 근로한 개월 수.")
    headcount: Headcount = Field(5, description="상시근로자 수. 5명 미만이면 연차가 없습니다.")
    weekly_hours: Number = Field(40, ge=0.1, le=40, description="1주 소정근로시간. 15시간 미만이면 연차가 없습니다.")
    attended_80_percent: Flag = Field(True, description="직전 1년에 80% 이상 출근했는지.")
    full_months: Months | None = Field(
        None,
        description="개근한 달의 수(1년 미만이거나 80% 미만 출근일 때). 비우면 모두 개근한 것으로 봅니다.",
    )


class UnusedLeaveInput(CalculatorInput):
    """Days of leave that were not taken, and what a day is paid."""

    daily_wage: SomeWon = Field(description="1일 통상임금(시급 × 하루 소정근로시간).")
    days: Number = Field(ge=0.1, le=100, description="쓰지 않은 연차 일수.", json_schema_extra={"unit": "일"})


class SeveranceInput(CalculatorInput):
    """Three months' wages and their days; without days, those of a month's pay."""

    wages_of_3_months: SomeWon = Field(description="퇴직 전 3개월의 임금 총액(세전).")
    days_of_3_months: Whole = Field(_DAYS_OF_3_MONTHS, ge=89, le=92, description="그 3개월의 총일수(89~92일).")
    days_of_service: Days = Field(description="재직일수.")
    yearly_bonus: Won = Field(0, description="퇴직 전 1년의 상여금과 연차수당 총액. 12분의 3을 더합니다.")
    daily_ordinary_wage: Won = Field(0, description="1일 통상임금. 평균임금보다 많으면 이 금액으로 계산합니다.")
    monthly_ordinary_wage: Won = Field(
        0, description="월 통상임금(주 40시간, 월 209시간 기준). 1일 통상임금을 모를 때 씁니다."
    )
    weekly_hours: Number = Field(40, ge=0.1, le=52, description="1주 소정근로시간. 15시간 미만이면 퇴직금이 없습니다.")


class NoticeInput(CalculatorInput):
    """Give ``daily_ordinary_wage``, ``hourly_wage`` or ``monthly_ordinary_wage``."""

    daily_ordinary_wage: SomeWon | None = Field(None, description="1일 통상임금.")
    hourly_wage: SomeWon | None = Field(None, description="시간급 통상임금.")
    monthly_ordinary_wage: SomeWon | None = Field(None, description="월 통상임금(주 40시간, 월 209시간 기준).")
    hours_per_day: Number = Field(8, ge=0.1, le=8, description="1일 소정근로시간.")
    months_of_service: Months = Field(description="계속 근로한 개월 수. 3개월 미만이면 해고예고수당이 없습니다.")
    notice_days: Days = Field(0, description="해고일 며칠 전에 예고했는지.")


class HeadcountInput(CalculatorInput):
    """Give the workers of each working day, or their sum with the days worked."""

    daily_workers: list[Headcount] | None = Field(
        None,
        min_length=1,
        max_length=31,
        description="가동일마다 사용한 근로자 수(사유 발생일 전 1개월, 파견근로자 제외).",
    )
    person_days: Headcount | None = Field(None, description="1개월 동안 사용한 근로자의 연인원.")
    working_days: MonthDays | None = Field(None, description="같은 기간의 가동일수.")
    days_below: MonthDays | None = Field(None, description="기준 인원에 못 미친 가동일의 수.")
    threshold: Whole = Field(5, ge=1, le=1_000, description="법 적용 기준 인원(취업규칙은 10명).")


def annual_leave(inputs: AnnualLeaveInput, on: date) -> Calculation:
    """Days of paid leave (근로기준법 제60조; 제18조 for short weeks, 제11조 and 시행령 제7조 for under five workers)."""
    law = rates("labour", on)
    years, months = divmod(inputs.months_of_service, 12)
    spent = f"{years}년 {months}개월" if years and months else f"{years}년" if years else f"{months}개월"
    steps: list[str] = []
    if inputs.headcount < law["scope_headcount"] or inputs.weekly_hours < law["least_weekly_hours"]:
        days = 0
        why = (
            f"상시근로자가 {inputs.headcount}명으로 5명 미만이라"
            if inputs.headcount < law["scope_headcount"]
            else f"1주 소정근로시간이 {number(inputs.weekly_hours)}시간으로 15시간 미만이라"
        )
        conclusion = f"{why} 연차 유급휴가를 주지 않아도 됩니다."
    elif years == 0 or not inputs.attended_80_percent:
        worked = min(inputs.months_of_service, law["leave_first_year_maximum"]) if years == 0 else 12
        days = min(worked, inputs.full_months if inputs.full_months is not None else worked)
        steps.append(f"개근한 {days}개월 × 1일 = {days}일")
        conclusion = f"{spent} 일한 직원의 연차 유급휴가는 개근한 달마다 1일씩 {days}일입니다."
    else:
        added = (years - 1) // 2 if years >= 3 else 0
        days = min(law["leave_days"] + added, law["leave_maximum"])
        steps.append(f"{law['leave_days']}일 + ({years}년 - 1년) ÷ 2 = {law['leave_days']}일 + {added}일 → {days}일")
        conclusion = f"{spent} 일한 직원의 연차 유급휴가는 {days}일입니다."
    return made_of(
        ANNUAL_LEAVE,
        on,
        [CalculatedValue(name="days", label="연차 유급휴가", amount=days, unit="일")],
        formula="1년 미만: 개근한 달마다 1일(최대 11일). 1년 이상: 15일 + (근속연수 - 1) ÷ 2(소수점 아래 버림), 최대 25일",
        steps=steps,
        laws=["근로기준법 제60조", "근로기준법 제18조", "근로기준법 제11조", "근로기준법 시행령 제7조"],
        assumptions=["회사가 회계연도 기준을 쓰면 날짜가 다를 수 있고, 입사일 기준보다 불리할 수 없습니다."]
        if days
        else [],
        conclusion=conclusion,
    )


def unused_leave_pay(inputs: UnusedLeaveInput, on: date) -> Calculation:
    """A day's ordinary wage for each day of leave not taken (근로기준법 제60조제5항; none after 사용촉진 of 제61조)."""
    amount = rounded(inputs.daily_wage * exact(inputs.days))
    return made_of(
        UNUSED_LEAVE,
        on,
        [won_value("total", "연차수당", amount)],
        formula="연차수당 = 1일 통상임금 × 쓰지 않은 연차 일수",
        steps=[f"{won(inputs.daily_wage)} × {number(inputs.days)}일 = {won(amount)}"],
        laws=["근로기준법 제60조", "근로기준법 제61조"],
        assumptions=[
            "통상임금으로 계산했습니다. 취업규칙에 평균임금으로 정했으면 그에 따릅니다.",
            "연차 사용촉진 절차를 모두 지켰으면 주지 않아도 되고, 5명 미만 사업장에는 연차가 없습니다.",
        ],
        conclusion=f"쓰지 않은 연차 {number(inputs.days)}일의 수당은 1일 통상임금 {won(inputs.daily_wage)}으로 {won(amount)}입니다.",
    )


def severance_pay(inputs: SeveranceInput, on: date) -> Calculation:
    """30 days' average wage a year of service (근로자퇴직급여 보장법 제8조), the ordinary wage being its floor (근로기준법 제2조)."""
    laws = ["근로자퇴직급여 보장법 제8조", "근로자퇴직급여 보장법 제4조", "근로기준법 제2조"]
    formula = "퇴직금 = 1일 평균임금 × 30일 × 재직일수 ÷ 365일"
    if inputs.days_of_service < 365 or inputs.weekly_hours < rates("labour", on)["least_weekly_hours"]:
        why = (
            f"재직일수가 {inputs.days_of_service}일로 1년 미만이라"
            if inputs.days_of_service < 365
            else f"1주 소정근로시간이 {number(inputs.weekly_hours)}시간으로 15시간 미만이라"
        )
        return made_of(
            SEVERANCE,
            on,
            [won_value("severance", "퇴직금", 0)],
            formula=formula,
            steps=[],
            laws=laws,
            conclusion=f"{why} 법으로 정한 퇴직금은 발생하지 않습니다.",
        )
    bonus = Decimal(inputs.yearly_bonus) * 3 / 12
    average = (inputs.wages_of_3_months + bonus) / inputs.days_of_3_months
    ordinary = Decimal(inputs.daily_ordinary_wage) or Decimal(inputs.monthly_ordinary_wage) / _MONTHLY_HOURS * 8
    daily = max(average, ordinary)
    amount = rounded(daily * 30 * inputs.days_of_service / 365)
    by_average = rounded(average * 30 * inputs.days_of_service / 365)
    paid = won(inputs.wages_of_3_months) + (f" + 상여 등 {won(rounded(bonus))}" if bonus else "")
    steps = [f"1일 평균임금: ({paid}) ÷ {inputs.days_of_3_months}일 = {number(average.quantize(Decimal('0.01')))}원"]
    why = ""
    if daily > average:
        why = (
            f"1일 통상임금({won(rounded(ordinary))})이 평균임금({won(rounded(average))})보다 많아 통상임금으로 계산해 "
        )
        if not inputs.daily_ordinary_wage:
            shown = number(ordinary.quantize(Decimal("0.01")))
            steps.append(f"1일 통상임금: {won(inputs.monthly_ordinary_wage)} ÷ 209시간 × 8시간 = {shown}원")
        steps.append("1일 통상임금이 평균임금보다 많으므로 통상임금을 평균임금으로 합니다(근로기준법 제2조제2항).")
    steps.append(
        f"{number(daily.quantize(Decimal('0.01')))}원 × 30일 × {number(inputs.days_of_service)}일 ÷ 365일 = {won(amount)}"
    )
    return made_of(
        SEVERANCE,
        on,
        [
            won_value("severance", "퇴직금(세전)", amount),
            won_value("by_average_wage", "통상임금과 비교하기 전 금액", by_average),
            won_value("daily", "계산에 쓴 1일 임금", rounded(daily)),
        ],
        formula=formula,
        steps=steps,
        laws=laws,
        assumptions=["퇴직소득세를 빼기 전 금액이고, 퇴직연금 확정기여형(DC)은 계산이 다릅니다."],
        conclusion=f"{number(inputs.days_of_service)}일 일하고 퇴직하면 {why}세전 퇴직금은 약 {won(amount)}입니다.",
    )


def dismissal_notice_pay(inputs: NoticeInput, on: date) -> Calculation:
    """30 days' ordinary wage where no notice of 30 days was given (근로기준법 제26조); not under three months of service.

    Raises:
        CalculationRefused: no wage is given.
    """
    law = rates("labour", on)
    days = law["notice_days"]
    formula = "해고예고수당 = 1일 통상임금 × 30일"
    laws = ["근로기준법 제26조", "근로기준법 시행령 제6조"]
    if inputs.months_of_service < law["notice_months_of_service"] or inputs.notice_days >= days:
        why = (
            f"계속 근로한 기간이 {inputs.months_of_service}개월로 3개월 미만이라"
            if inputs.months_of_service < law["notice_months_of_service"]
            else f"해고일 {inputs.notice_days}일 전에 예고했으므로"
        )
        none, conclusion = [won_value("notice_pay", "해고예고수당", 0)], f"{why} 해고예고수당을 주지 않아도 됩니다."
        return made_of(NOTICE, on, none, formula=formula, steps=[], laws=laws, conclusion=conclusion)
    steps: list[str] = []
    hours = exact(inputs.hours_per_day)
    if inputs.daily_ordinary_wage is not None:
        daily = Decimal(inputs.daily_ordinary_wage)
    elif inputs.hourly_wage is not None:
        daily = inputs.hourly_wage * hours
        steps.append(f"{won(inputs.hourly_wage)} × {number(hours)}시간 = 1일 {number(daily)}원")
    elif inputs.monthly_ordinary_wage is not None:
        daily = Decimal(inputs.monthly_ordinary_wage) / _MONTHLY_HOURS * hours
        shown = number(daily.quantize(Decimal("0.01")))
        steps.append(f"{won(inputs.monthly_ordinary_wage)} ÷ 209시간 × {number(hours)}시간 = 1일 {shown}원")
    else:
        raise CalculationRefused("daily_ordinary_wage", "1일 통상임금, 시급, 월 통상임금 가운데 하나가 필요합니다.")
    amount = rounded(daily * days)
    steps.append(f"{number(daily.quantize(Decimal('0.01')))}원 × {days}일 = {won(amount)}")
    given = f"{inputs.notice_days}일 전에만" if inputs.notice_days else "예고 없이"
    return made_of(
        NOTICE,
        on,
        [won_value("notice_pay", "해고예고수당", amount), won_value("daily", "1일 통상임금", rounded(daily))],
        formula=formula,
        steps=steps,
        laws=laws,
        assumptions=["천재지변이나 직원이 고의로 큰 손해를 끼친 경우에는 주지 않아도 됩니다."],
        conclusion=f"{given} 해고하면 해고예고수당으로 30일분 통상임금 {won(amount)}을 지급해야 합니다.",
    )


def headcount(inputs: HeadcountInput, on: date) -> Calculation:
    """Person-days by days worked, corrected by the half of the days (근로기준법 시행령 제7조의2).

    Raises:
        CalculationRefused: person-days or days worked are missing, or more days fell short than were worked.
    """
    if inputs.daily_workers is not None:
        total, days = sum(inputs.daily_workers), len(inputs.daily_workers)
        below: int | None = sum(count < inputs.threshold for count in inputs.daily_workers)
    elif inputs.person_days is not None and inputs.working_days:
        total, days, below = inputs.person_days, inputs.working_days, inputs.days_below
    else:
        missing = "person_days" if inputs.person_days is None else "working_days"
        raise CalculationRefused(missing, "연인원과 가동일수, 또는 날마다의 근로자 수가 필요합니다.")
    if below is not None and below > days:
        raise CalculationRefused("days_below", "기준에 못 미친 날이 가동일수보다 많습니다.")
    mean = Decimal(total) / days
    steps = [f"연인원 {number(total)}명 ÷ 가동일수 {days}일 = {number(mean)}명"]
    reached = mean >= inputs.threshold
    if below is not None:
        reached = below * 2 < days
        steps.append(
            f"{inputs.threshold}명에 못 미친 날: {days}일 가운데 {below}일({'2분의 1 미만' if reached else '2분의 1 이상'})"
        )
    verdict = (
        f"{inputs.threshold}인 이상 사업장으로 봅니다" if reached else f"{inputs.threshold}인 미만 사업장으로 봅니다"
    )
    return made_of(
        HEADCOUNT,
        on,
        [
            CalculatedValue(name="headcount", label="상시근로자 수", amount=float(round(mean, 2)), unit="명"),
            CalculatedValue(
                name="applies",
                label=f"{inputs.threshold}명 이상으로 보는지(1: 예, 0: 아니요)",
                amount=int(reached),
                unit="",
            ),
        ],
        formula="상시근로자 수 = 1개월의 연인원 ÷ 가동일수. 기준에 못 미친 날이 2분의 1 미만이면 기준 이상, 2분의 1 이상이면 미만으로 봄",
        steps=steps,
        laws=["근로기준법 제11조", "근로기준법 시행령 제7조의2"],
        assumptions=[]
        if below is not None
        else [
            "기준에 못 미친 날의 수를 모르므로 평균만으로 판단했습니다. 그런 날이 2분의 1 이상이면 결론이 달라질 수 있습니다."
        ],
        conclusion=f"상시근로자 수는 평균 {number(round(mean, 2))}명이고 {verdict}.",
    )
