"""Tax withheld from what freelancers and occasional speakers are paid: 3.3 % and 8.8 %."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Literal

from pydantic import Field

from schemas.calculations import Calculation
from utils.calculators.rates import rates
from utils.calculators.result import (
    CalculatorInput,
    SomeWon,
    Whole,
    floored,
    made_of,
    number,
    percent,
    rounded,
    won,
    won_value,
)

WITHHOLDING = ("freelancer_withholding", "프리랜서 원천징수")
DAY_LABOUR = ("day_labour_withholding", "일용근로자 원천징수")


class WithholdingInput(CalculatorInput):
    """A payment, and what it is for."""

    payment: SomeWon = Field(description="지급액(세전, 건별).")
    kind: Literal["business", "other", "other_without_expense"] = Field(
        "business",
        description="business: 계속하는 용역(사업소득 3.3%), other: 일시적 강연·원고·자문(기타소득 8.8%), "
        "other_without_expense: 사례금처럼 60% 필요경비가 없는 기타소득(22%).",
    )


class DayLabourInput(CalculatorInput):
    """A day labourer's pay, and the days that are paid together."""

    daily_pay: SomeWon = Field(description="일당(비과세를 뺀 하루 임금).")
    days: Whole = Field(1, ge=1, le=92, description="한 번에 지급하는 일수.", json_schema_extra={"unit": "일"})


def freelancer_withholding(inputs: WithholdingInput, on: date) -> Calculation:
    """Income tax and a tenth of it as local tax (소득세법 제129조, 지방세법 제103조의13); small other income is free (제84조, 제86조)."""
    law = rates("withholding", on)
    pay = Decimal(inputs.payment)
    business = inputs.kind == "business"
    laws = ["소득세법 제129조", "지방세법 제103조의13"]
    steps: list[str] = []
    free = ""
    if business:
        base, rate, label = pay, law.rate("business_percent"), "3.3%"
    else:
        expense = law.rate("other_expense_percent") if inputs.kind == "other" else Decimal(0)
        base, rate = pay * (100 - expense) / 100, law.rate("other_percent")
        label = "8.8%" if inputs.kind == "other" else "22%"
        laws += ["소득세법 제84조", "소득세법 제86조", "소득세법 시행령 제87조"]
        if expense:
            steps.append(f"기타소득금액: {won(pay)} - 필요경비 {percent(expense)} = {won(base)}")
        if base <= law["exempt_other_income"]:
            free = f"기타소득금액이 건별 {won(law['exempt_other_income'])} 이하라"
    income_tax = 0 if free else floored(base * rate / 100)
    if not business and not free and income_tax < 1_000:
        free, income_tax = "원천징수할 소득세가 1천원 미만이라", 0
    local_tax = floored(Decimal(income_tax) * law.rate("local_percent") / 100)
    total = income_tax + local_tax
    if not free:
        steps += [
            f"소득세: {won(base)} × {percent(rate)} = {won(income_tax)}",
            f"지방소득세: {won(income_tax)} × {percent(law.rate('local_percent'))} = {won(local_tax)}",
            f"지급할 금액: {won(pay)} - {won(total)} = {won(inputs.payment - total)}",
        ]
    conclusion = (
        f"{won(pay)}을 지급할 때 {label} 원천징수세액은 {won(total)}이고, 실제로 지급할 금액은 {won(inputs.payment - total)}입니다."
        if not free
        else f"{free} 세금을 떼지 않고 {won(pay)}을 그대로 지급합니다."
    )
    return made_of(
        WITHHOLDING,
        on,
        [
            won_value("withheld", "원천징수세액", total),
            won_value("income_tax", "소득세", income_tax),
            won_value("local_tax", "지방소득세", local_tax),
            won_value("paid", "실제 지급액", inputs.payment - total),
        ],
        formula="원천징수세액 = 소득세(사업소득 지급액 × 3%, 기타소득금액 × 20%) + 지방소득세(소득세 × 10%)",
        steps=steps,
        laws=laws,
        assumptions=["10원 미만은 버렸습니다(국고금 관리법 제47조)."],
        conclusion=conclusion,
    )


def day_labour_withholding(inputs: DayLabourInput, on: date) -> Calculation:
    """(Pay - 150,000) × 6 % less 55 % of it, and a tenth as local tax.

    Sources: 소득세법 제47조제2항, 제129조제1항제4호, 제59조제3항, 제134조제3항, 제86조.
    """
    law = rates("withholding", on)
    base = max(Decimal(inputs.daily_pay) - law["day_deduction"], Decimal(0))
    tax = base * law["day_percent"] / 100
    daily = tax * (100 - law["day_credit_percent"]) / 100
    income_tax = floored(daily * inputs.days)
    paid = inputs.daily_pay * inputs.days
    steps = [f"과세표준(하루): {won(inputs.daily_pay)} - {won(law['day_deduction'])} → {won(base)}"]
    if base:
        steps += [
            f"산출세액: {won(base)} × {percent(law['day_percent'])} = {won(rounded(tax))}",
            f"근로소득세액공제 55%를 뺀 세액: {won(rounded(tax))} × 45% = 하루 {won(rounded(daily))}",
            f"소득세: {won(rounded(daily))} × {number(inputs.days)}일 = {won(income_tax)}",
        ]
    why = ""
    if not base:
        why = f"일당이 {won(law['day_deduction'])} 이하라"
    elif income_tax < law["least_withheld"]:
        why, income_tax = "한 번에 지급할 때의 소득세가 1천원 미만이라", 0
    local_tax = floored(Decimal(income_tax) * law.rate("local_percent") / 100)
    total = income_tax + local_tax
    days = f"{number(inputs.days)}일치 " if inputs.days > 1 else ""
    conclusion = (
        f"{why} 원천징수할 소득세는 0원이고 세금을 떼지 않습니다."
        if why
        else f"일당 {won(inputs.daily_pay)}인 일용근로자의 {days}원천징수세액은 소득세 {won(income_tax)}과 "
        f"지방소득세 {won(local_tax)}을 더한 {won(total)}입니다."
    )
    return made_of(
        DAY_LABOUR,
        on,
        [
            won_value("withheld", "원천징수세액", total),
            won_value("income_tax", "소득세", income_tax),
            won_value("local_tax", "지방소득세", local_tax),
            won_value("paid", "실제 지급액", paid - total),
        ],
        formula="소득세 = (일당 - 15만원) × 6% × (1 - 55%) × 일수, 지방소득세 = 소득세 × 10%",
        steps=steps,
        laws=["소득세법 제47조", "소득세법 제129조", "소득세법 제59조", "소득세법 제134조", "소득세법 제86조"],
        assumptions=[
            "고용보험료 같은 4대보험료는 따로이고, 한곳에서 3개월(건설은 1년) 넘게 일하면 일용근로가 아닙니다."
        ],
        conclusion=conclusion,
    )
