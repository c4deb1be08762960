"""Interest on debts that are paid late."""

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
    Percent,
    SomeWon,
    exact,
    made_of,
    number,
    percent,
    rounded,
    won,
    won_value,
)

LATE_INTEREST = ("late_interest", "지연이자")

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
