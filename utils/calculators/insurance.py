"""Premiums of the four social insurances, the employer's share and the worker's."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from typing import Literal

from pydantic import Field

from schemas.calculations import CalculatedValue, Calculation
from utils.calculators.rates import Period, rates
from utils.calculators.result import (
    CalculatorInput,
    Flag,
    Percent,
    Whole,
    exact,
    floored,
    made_of,
    percent,
    won,
    won_value,
)

SOCIAL_INSURANCE = ("social_insurance", "4대보험료")

_EACH = "(회사와 직원 각각)"
_EMPLOYER_SIZES = {
    "under_150": "150명 미만",
    "priority": "150명 이상 우선지원대상",
    "under_1000": "150명 이상 1천명 미만",
    "others": "1천명 이상",
}


class SocialInsuranceInput(CalculatorInput):
    """A worker's monthly pay."""

    monthly_pay: Whole = Field(
        ge=1, le=100_000_000, description="비과세를 뺀 월 보수.", json_schema_extra={"unit": "원"}
    )
    size: Literal["under_150", "priority", "under_1000", "others"] = Field(
        "under_150",
        description="회사 규모: 150명 미만, 150명 이상 우선지원대상기업, 150명 이상 1천명 미만, 1천명 이상.",
    )
    pension: Flag = Field(True, description="국민연금 대상인지(18세 이상 60세 미만).")
    unemployment: Flag = Field(True, description="실업급여 보험료 대상인지(65세 이후 새로 고용되면 아님).")
    asked: Literal["all", "pension", "health", "unemployment"] = Field(
        "all",
        description="결론에서 말할 보험: all 전체, pension 국민연금, health 건강보험, unemployment 고용보험(실업급여).",
    )
    accident_percent: Percent | None = Field(None, description="산재보험료율(%). 업종마다 다르고 회사가 모두 냅니다.")


def social_insurance(inputs: SocialInsuranceInput, on: date) -> Calculation:
    """Monthly premiums by share. The health premium's yearly ceiling is not applied: it begins above the pay that is accepted.

    Sources: 국민연금법 제88조 and its 부칙, 국민건강보험법 시행령 제44조, 노인장기요양보험법 시행령 제4조, 보험료징수법 시행령 제12조.

    Raises:
        YearUnknown: the rates of the year are not known.
    """
    law = rates("social_insurance", on)
    pay = Decimal(inputs.monthly_pay)
    steps: list[str] = []
    shares = {"employer": 0, "worker": 0}
    values = []

    def halved(name: str, label: str, base: Decimal, rate: Decimal, note: str = "") -> None:
        half = floored(base * rate / 200)
        steps.append(f"{label}: {won(base)} × {percent(rate / 2)} = {won(half)}{note} (회사와 직원 각각)")
        values.append(won_value(name, f"{label}{_EACH}", half))
        shares["employer"] += half
        shares["worker"] += half

    if inputs.pension:
        base = min(max(pay // 1000 * 1000, Decimal(law["pension_floor"])), Decimal(law["pension_ceiling"]))
        limited = "" if base == pay // 1000 * 1000 else ", 기준소득월액의 하한·상한 적용"
        halved("pension", "국민연금", base, law.rate("pension"), limited)
    halved("health", "건강보험", pay, law.rate("health"))
    halved("care", "장기요양보험", pay, law.rate("care"))
    if inputs.unemployment:
        halved("unemployment", "고용보험(실업급여)", pay, law.rate("unemployment"))
    stabilisation, accident = _employers_alone(inputs, law, steps)
    shares["employer"] += stabilisation + accident
    employer, worker = shares["employer"], shares["worker"]
    asked = next((value for value in values if value.name == inputs.asked), None)
    without = "" if inputs.accident_percent is not None else "산재보험을 빼고 "
    return made_of(
        SOCIAL_INSURANCE,
        on,
        _values(values, asked, employer, worker, stabilisation),
        formula="보험별 월 보수 × 요율(국민연금·건강·장기요양·실업급여는 회사와 직원이 절반씩, 고용안정·산재는 회사만)",
        steps=steps,
        laws=law.laws,
        notices=law.notices if inputs.pension else (),
        assumptions=[
            *(
                []
                if inputs.accident_percent is not None
                else ["산재보험료는 업종별 요율이 고시로 정해져 넣지 않았습니다."]
            ),
            "10원 미만은 버렸고(국고금 관리법 제47조), 공단의 고지액과 조금 다를 수 있습니다.",
        ],
        conclusion=_said(pay, asked)
        if asked is not None
        else (
            f"월 보수 {won(pay)}이면 4대보험료는 {without}회사가 한 달에 {won(employer)}, 직원이 {won(worker)}을 부담합니다."
        ),
    )


def _values(
    values: Sequence[CalculatedValue], asked: CalculatedValue | None, employer: int, worker: int, stabilisation: int
) -> list[CalculatedValue]:
    """The value that is asked for, else the sums, before the others."""
    return [
        *([asked] if asked is not None else []),
        won_value("employer", "회사 부담 합계", employer),
        won_value("worker", "직원 부담 합계", worker),
        *(value for value in values if value is not asked),
        won_value("stabilisation", "고용안정·직업능력개발(회사만)", stabilisation),
    ]


def _said(pay: Decimal, asked: CalculatedValue) -> str:
    """The conclusion about a single insurance."""
    return f"월 보수 {won(pay)}이면 {asked.label.removesuffix(_EACH)} 보험료는 회사와 직원이 한 달에 각각 {won(int(asked.amount))}씩 부담합니다."


def _employers_alone(inputs: SocialInsuranceInput, law: Period, steps: list[str]) -> tuple[int, int]:
    """The premiums of stabilisation and of accidents, which the employer alone pays."""
    pay = Decimal(inputs.monthly_pay)
    added = Decimal(law["stabilisation"][inputs.size])
    stabilisation = floored(pay * added / 100)
    size = _EMPLOYER_SIZES[inputs.size]
    steps.append(f"고용안정·직업능력개발({size}): {won(pay)} × {percent(added)} = {won(stabilisation)} (회사만)")
    if inputs.accident_percent is None:
        return stabilisation, 0
    accident = floored(pay * exact(inputs.accident_percent) / 100)
    steps.append(f"산재보험: {won(pay)} × {percent(inputs.accident_percent)} = {won(accident)} (회사만)")
    return stabilisation, accident
