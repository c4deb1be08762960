"""Progressive taxes: income tax of persons and tax of corporations, each with the local tax of a tenth."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from decimal import Decimal

from pydantic import Field

from schemas.calculations import CalculatedValue, Calculation
from utils.calculators.rates import Period, rates
from utils.calculators.result import (
    CalculationRefused,
    CalculatorInput,
    Flag,
    SomeWon,
    Whole,
    Won,
    floored,
    made_of,
    percent,
    rounded,
    won,
    won_value,
)

INCOME_TAX = ("income_tax", "종합소득세")
CORPORATE_TAX = ("corporate_tax", "법인세")

Brackets = Iterable[tuple[Decimal | None, Decimal]]


class IncomeTaxInput(CalculatorInput):
    """Give ``taxable_income`` (과세표준), ``net_income`` (소득금액) or ``salary`` (총급여)."""

    taxable_income: Won | None = Field(None, description="과세표준(소득공제를 뺀 금액).")
    net_income: Won | None = Field(None, description="사업소득금액(총수입금액에서 필요경비를 뺀 금액).")
    salary: Won | None = Field(None, description="총급여(비과세를 뺀 연봉).")
    dependants: Whole = Field(0, ge=0, le=20, description="기본공제를 받는 배우자와 부양가족 수(본인 제외).")
    other_deductions: Won = Field(0, description="국민연금 보험료 등 그 밖의 소득공제.")


class CorporateTaxInput(CalculatorInput):
    """The tax base of a business year that began on ``on``."""

    taxable_income: SomeWon = Field(description="과세표준.")
    months: Whole = Field(12, ge=1, le=12, description="사업연도의 개월 수.")
    small_family: Flag = Field(
        False, description="부동산임대업이 주업인 소규모 가족법인 등(법인세법 제60조의2제1항제1호)인지."
    )


def progressive(base: Decimal, brackets: Brackets) -> tuple[Decimal, list[str]]:
    """Tax of a base by brackets, and the step of each bracket it reaches."""
    tax, below, steps = Decimal(0), Decimal(0), []
    for upper, rate in brackets:
        part = (base if upper is None else min(base, upper)) - below
        if part <= 0:
            break
        tax += part * rate / 100
        steps.append(f"{won(part)} × {percent(rate)} = {won(part * rate / 100)}")
        below = upper if upper is not None else base
    return tax, steps


def income_tax(inputs: IncomeTaxInput, on: date) -> Calculation:
    """Income tax of the year of ``on`` (소득세법 제55조; wages: 제47조, 제59조, 제59조의4; basic deduction: 제50조).

    Raises:
        CalculationRefused: no income is given.
        YearUnknown: the rates of the year are not known.
    """
    law = rates("income_tax", on)
    steps: list[str] = []
    base, assumptions = _tax_base(inputs, law, steps)
    tax, rows = progressive(base, law.brackets("brackets"))
    steps += rows
    laws = ["소득세법 제55조", "지방세법 제92조"]
    if inputs.salary is not None:
        tax = _after_credits(tax, inputs.salary, law, steps)
        laws += ["소득세법 제47조", "소득세법 제50조", "소득세법 제59조", "소득세법 제59조의4"]
    elif inputs.taxable_income is None:
        laws.append("소득세법 제50조")
    income, local = floored(tax), floored(tax / 10)
    steps.append(f"지방소득세: {won(income)} × 10% = {won(local)}")
    given = (
        f"과세표준 {won(inputs.taxable_income)}"
        if inputs.taxable_income is not None
        else f"총급여 {won(inputs.salary)}"
        if inputs.salary is not None
        else f"소득금액 {won(inputs.net_income or 0)}"
    )
    return made_of(
        INCOME_TAX,
        on,
        [
            won_value("income_tax", "소득세", income),
            won_value("local_tax", "지방소득세", local),
            won_value("total", "합계", income + local),
            won_value("taxable_income", "과세표준", int(base)),
        ],
        formula="산출세액 = 과세표준을 구간별로 나누어 세율(6~45%)을 곱한 합. 지방소득세는 소득세의 10%로 따로 냄",
        steps=steps,
        laws=laws,
        assumptions=assumptions,
        conclusion=(
            f"{on.year}년 귀속 {given}의 소득세는 {won(income)}이고, 지방소득세 {won(local)}을 더하면 {won(income + local)}입니다."
        ),
    )


def _tax_base(inputs: IncomeTaxInput, law: Period, steps: list[str]) -> tuple[Decimal, list[str]]:
    given = [name for name in ("taxable_income", "net_income", "salary") if getattr(inputs, name) is not None]
    if len(given) != 1:
        raise CalculationRefused("taxable_income", "과세표준, 소득금액, 총급여 가운데 하나만 넣어야 합니다.")
    if inputs.taxable_income is not None:
        return Decimal(inputs.taxable_income), ["세액공제·감면과 이미 낸 세금은 빼지 않았습니다."]
    if inputs.salary is not None:
        salary = Decimal(inputs.salary)
        deducted, _ = progressive(salary, law.brackets("wage_deduction"))
        deducted = min(deducted, Decimal(law["wage_deduction_maximum"]))
        net = salary - deducted
        steps.append(f"근로소득금액: {won(salary)} - 근로소득공제 {won(rounded(deducted))} = {won(net)}")
        assumptions = [
            "근로소득만 있고, 보험료·카드·의료비 등 다른 공제는 없는 것으로 계산했습니다. 실제 세금은 더 적을 수 있습니다."
        ]
    else:
        net = Decimal(inputs.net_income or 0)
        assumptions = ["소득공제와 세액공제는 적어 준 것과 기본공제만 넣었고, 세액감면은 빼지 않았습니다."]
    heads = 1 + inputs.dependants
    basic = law["basic_deduction"] * heads
    base = max(net - basic - inputs.other_deductions, Decimal(0))
    others = f" - 그 밖의 공제 {won(inputs.other_deductions)}" if inputs.other_deductions else ""
    steps.append(f"과세표준: {won(net)} - 기본공제 {won(basic)}({heads}명){others} = {won(base)}")
    return base, assumptions


def _after_credits(tax: Decimal, salary: int, law: Period, steps: list[str]) -> Decimal:
    """Less the wage credit (제59조) and the standard one (제59조의4제9항), which stands in for claims of special credits."""
    credit, _ = progressive(tax, law.brackets("wage_credit"))
    credit = min(credit, _wage_credit_maximum(Decimal(salary)))
    standard = Decimal(law["standard_credit"])
    left = max(tax - credit - standard, Decimal(0))
    steps.append(
        f"{won(rounded(tax))} - 근로소득세액공제 {won(rounded(credit))} - 표준세액공제 {won(standard)} → {won(rounded(left))}"
    )
    return left


def _wage_credit_maximum(salary: Decimal) -> Decimal:
    """The ceiling of the wage credit in won (소득세법 제59조제2항)."""
    million = Decimal(1_000_000)
    if salary <= 33 * million:
        return Decimal(740_000)
    if salary <= 70 * million:
        return max(740_000 - (salary - 33 * million) * 8 / 1000, Decimal(660_000))
    if salary <= 120 * million:
        return max(660_000 - (salary - 70 * million) / 2, Decimal(500_000))
    return max(500_000 - (salary - 120 * million) / 2, Decimal(200_000))


def corporate_tax(inputs: CorporateTaxInput, on: date) -> Calculation:
    """Tax of a corporation's base (법인세법 제55조; a short year 제55조제2항) and local tax (지방세법 제103조의20).

    Raises:
        YearUnknown: the rates for years that began then are not known.
    """
    law = rates("corporate_tax", on)
    yearly = Decimal(inputs.taxable_income) * 12 / inputs.months
    tax, rows = progressive(yearly, law.brackets("family_brackets" if inputs.small_family else "brackets"))
    steps = list(rows)
    if inputs.months < 12:
        steps.insert(0, f"1년으로 환산: {won(inputs.taxable_income)} ÷ {inputs.months} × 12 = {won(rounded(yearly))}")
        steps.append(f"{won(rounded(tax))} × {inputs.months} ÷ 12 = {won(rounded(tax * inputs.months / 12))}")
        tax = tax * inputs.months / 12
    national, local = floored(tax), floored(tax / 10)
    steps.append(f"법인지방소득세: {won(national)} × 10% = {won(local)}")
    effective = round(Decimal(national) * 100 / inputs.taxable_income, 2)
    return made_of(
        CORPORATE_TAX,
        on,
        [
            won_value("corporate_tax", "법인세 산출세액", national),
            won_value("local_tax", "법인지방소득세", local),
            won_value("total", "합계", national + local),
            CalculatedValue(name="effective", label="과세표준에 대한 비율", amount=float(effective), unit="%"),
        ],
        formula="산출세액 = 과세표준을 구간별로 나누어 세율을 곱한 합. 법인지방소득세는 따로 냄",
        steps=steps,
        laws=law.laws,
        assumptions=[
            f"{on.year}년에 시작한 사업연도의 세율이고, 공제·감면과 이미 낸 세금은 빼지 않았습니다.",
            "법인지방소득세는 표준세율로 계산했습니다.",
        ],
        conclusion=(
            f"과세표준 {won(inputs.taxable_income)}의 법인세는 {won(national)}이고, "
            f"법인지방소득세 {won(local)}을 더하면 {won(national + local)}입니다."
        ),
    )
