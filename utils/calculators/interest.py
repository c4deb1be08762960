"""Interest: on debts that are paid late and on loans, and the fee of a guarantee."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Literal

from pydantic import Field

from schemas.calculations import Calculation
from utils.calculators.rates import rates
from utils.calculators.result import (
    CalculatorInput,
    Days,
    Months,
    Percent,
    SomeWon,
    exact,
    made_of,
    needed,
    number,
    percent,
    rounded,
    won,
    won_value,
)

LATE_INTEREST = ("late_interest", "지연이자")
LOAN_PAYMENT = ("loan_payment", "대출 이자와 상환액")
GUARANTEE_FEE = ("guarantee_fee", "보증료")

_BY_CONTRACT = (
    "이율과 갚는 방법은 대출 약정으로 정하며, 은행은 날수로 이자를 나누어 계산하므로 달마다 조금 다를 수 있습니다."
)

_KINDS = {
    "civil": ("민사채무", ("민법 제379조", "민법 제397조")),
    "commercial": ("상행위로 생긴 채무", ("상법 제54조",)),
    "lawsuit": (
        "소장이 송달된 다음 날부터의 금전채무",
        ("소송촉진 등에 관한 특례법 제3조", "소송촉진 등에 관한 특례법 제3조제1항 본문의 법정이율에 관한 규정"),
    ),
    "wage": ("밀린 임금과 퇴직금", ("근로기준법 제37조", "근로기준법 시행령 제17조")),
}


class LateInterestInput(CalculatorInput):
    """A debt, and the days it is late."""

    principal: SomeWon = Field(description="원금(밀린 금액).")
    days: Days = Field(description="늦은 일수.")
    kind: Literal["civil", "commercial", "lawsuit", "wage"] = Field(
        "commercial", description="civil 민사 5%, commercial 상사 6%, lawsuit 소송 12%, wage 임금·퇴직금 20%."
    )
    agreed_percent: Percent | None = Field(None, description="약정한 지연이율(연 %). 임금에는 적용하지 않습니다.")


def late_interest(inputs: LateInterestInput, on: date) -> Calculation:
    """Principal × rate × days ÷ 365; an agreed rate comes before the legal one but not before that of wages or lawsuits."""
    label, laws = _KINDS[inputs.kind]
    legal = rates("late_interest", on).rate(inputs.kind)
    agreed = inputs.agreed_percent is not None and inputs.kind in ("civil", "commercial")
    rate = exact(inputs.agreed_percent) if agreed and inputs.agreed_percent is not None else legal
    interest = rounded(Decimal(inputs.principal) * rate / 100 * inputs.days / 365)
    name = "약정이율" if agreed else f"{label}의 법정이율"
    return made_of(
        LATE_INTEREST,
        on,
        [won_value("interest", "지연이자", interest), won_value("total", "원금과 이자", inputs.principal + interest)],
        formula="지연이자 = 원금 × 연이율 × 늦은 일수 ÷ 365",
        steps=[f"{won(inputs.principal)} × 연 {percent(rate)} × {number(inputs.days)}일 ÷ 365일 = {won(interest)}"],
        laws=[*laws, *(["민법 제397조"] if agreed else [])],
        assumptions=["갚을 날의 다음 날부터 세었고, 이율이 바뀌는 날이 사이에 있으면 나누어 계산해야 합니다."],
        conclusion=f"{won(inputs.principal)}을 {number(inputs.days)}일 늦게 주면 {name} 연 {percent(rate)}로 지연이자는 {won(interest)}입니다.",
    )


class LoanPaymentInput(CalculatorInput):
    """A loan, and the way it is paid back."""

    principal: SomeWon = Field(description="빌린 돈(남은 원금).")
    annual_percent: Percent = Field(description="연이율(%).")
    method: Literal["interest_only", "equal_payment", "equal_principal"] = Field(
        "interest_only",
        description="interest_only 이자만(거치기간), equal_payment 원리금균등, equal_principal 원금균등.",
    )
    months: Months | None = Field(
        None, ge=1, description="나누어 갚는 개월 수. 이자만 낼 때는 그 개월 수(비우면 한 달)."
    )


class GuaranteeFeeInput(CalculatorInput):
    """A guaranteed loan."""

    guaranteed: SomeWon = Field(description="보증금액.")
    annual_percent: Percent = Field(description="연 보증료율(%).")
    months: Months = Field(12, ge=1, description="보증기간(개월).")


def loan_payment(inputs: LoanPaymentInput, on: date) -> Calculation:
    """A month's interest is principal × rate ÷ 12; an annuity pays ``P × r ÷ (1 − (1 + r)^−n)`` a month.

    Raises:
        CalculationRefused: instalments without the months that they take.
    """
    monthly = exact(inputs.annual_percent) / 1200
    interest = rounded(inputs.principal * monthly)
    of_loan = f"{won(inputs.principal)}을 연 {percent(inputs.annual_percent)}로"
    first = f"{won(inputs.principal)} × 연 {percent(inputs.annual_percent)} ÷ 12 = {won(interest)}"
    if inputs.method == "interest_only":
        months = inputs.months or 1
        total = rounded(inputs.principal * monthly * months)
        values = [won_value("interest", "한 달 이자", interest), won_value("total_interest", "이자 합계", total)]
        whole = f", {number(months)}개월이면 {won(total)}" if months > 1 else ""
        return made_of(
            LOAN_PAYMENT,
            on,
            values,
            formula="한 달 이자 = 원금 × 연이율 ÷ 12",
            steps=[first],
            laws=[],
            notices=[_BY_CONTRACT],
            conclusion=f"{of_loan} 빌리면 원금을 갚지 않는 동안 한 달 이자는 {won(interest)}{whole}입니다.",
        )
    if inputs.months is None:
        raise needed(inputs, "months")
    months = inputs.months
    if inputs.method == "equal_payment":
        payment = _annuity(inputs.principal, monthly, months)
        total = rounded(payment * months) - inputs.principal
        amount, name = rounded(payment), "매달 갚는 원리금"
        formula = "매달 원리금 = 원금 × 월이율 ÷ (1 − (1 + 월이율)^−개월 수)"
        said = f"{number(months)}개월 동안 원리금균등으로 갚으면 매달 {won(amount)}씩 냅니다"
    else:
        part = Decimal(inputs.principal) / months
        total = rounded(inputs.principal * monthly * (months + 1) / 2)
        amount, name = rounded(part + inputs.principal * monthly), "첫 달에 갚는 원리금"
        formula = "첫 달 원리금 = 원금 ÷ 개월 수 + 원금 × 연이율 ÷ 12"
        said = f"{number(months)}개월 동안 원금균등으로 갚으면 첫 달은 {won(amount)}이고 다달이 이자만큼 줄어듭니다"
    values = [
        won_value("payment", name, amount),
        won_value("interest", "첫 달 이자", interest),
        won_value("total_interest", "이자 합계", total),
    ]
    return made_of(
        LOAN_PAYMENT,
        on,
        values,
        formula=formula,
        steps=[first, f"이자 합계 {won(total)}"],
        laws=[],
        notices=[_BY_CONTRACT],
        conclusion=f"{of_loan} 빌려 {said}.",
    )


def _annuity(principal: int, monthly: Decimal, months: int) -> Decimal:
    """The instalment that pays a loan back with interest; without interest its equal part."""
    if not monthly:
        return Decimal(principal) / months
    return principal * monthly / (1 - (1 + monthly) ** -months)


def guarantee_fee(inputs: GuaranteeFeeInput, on: date) -> Calculation:
    """Guaranteed amount × yearly rate × years."""
    yearly = rounded(inputs.guaranteed * exact(inputs.annual_percent) / 100)
    fee = rounded(inputs.guaranteed * exact(inputs.annual_percent) / 100 * inputs.months / 12)
    step = f"{won(inputs.guaranteed)} × 연 {percent(inputs.annual_percent)} × {number(inputs.months)}개월 ÷ 12 = {won(fee)}"
    return made_of(
        GUARANTEE_FEE,
        on,
        [won_value("fee", "보증료", fee), won_value("yearly", "1년 보증료", yearly)],
        formula="보증료 = 보증금액 × 연 보증료율 × 보증기간(년)",
        steps=[step],
        laws=[],
        notices=["보증료율과 내는 때는 보증기관의 기준과 보증 약정으로 정합니다."],
        assumptions=["보증금액이 줄지 않는 것으로 계산했고, 나누어 갚아 보증금액이 줄면 보증료도 줄어듭니다."],
        conclusion=f"보증금액 {won(inputs.guaranteed)}에 보증료율이 연 {percent(inputs.annual_percent)}이면 {number(inputs.months)}개월 보증료는 모두 {won(fee)}(1년에 {won(yearly)})입니다.",
    )
