"""The registration tax of a company that is founded."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from pydantic import Field

from schemas.calculations import Calculation
from utils.calculators.rates import rates
from utils.calculators.result import CalculatorInput, Flag, SomeWon, floored, made_of, percent, won, won_value

INCORPORATION = ("incorporation_tax", "법인 설립 등록면허세")


class IncorporationInput(CalculatorInput):
    """The capital that is paid in, and where the seat lies."""

    capital: SomeWon = Field(description="납입한 자본금(출자금액).")
    metropolitan: Flag = Field(
        description="본점이 과밀억제권역(서울, 인천·경기 일부. 산업단지 제외)인지. 그러면 3배입니다."
    )


def incorporation_tax(inputs: IncorporationInput, on: date) -> Calculation:
    """0.4 % of the capital, at least 112,500 won, threefold in the crowded area (지방세법 제28조), and a fifth of it (제151조)."""
    law = rates("incorporation", on)
    rate, least, multiple = law.rate("percent"), law["least"], law["metropolitan_multiple"]
    plain_tax = floored(inputs.capital * rate / 100)
    tax = max(plain_tax, least)
    steps = [f"{won(inputs.capital)} × {percent(rate)} = {won(plain_tax)}"]
    if plain_tax < least:
        steps.append(f"{won(least)}보다 적으므로 {won(least)}")
    if inputs.metropolitan:
        steps.append(f"과밀억제권역: {won(tax)} × {multiple} = {won(tax * multiple)}")
        tax *= multiple
    education = floored(Decimal(tax) * law["education_percent"] / 100)
    steps.append(f"지방교육세: {won(tax)} × {percent(law['education_percent'])} = {won(education)}")
    where = "과밀억제권역에" if inputs.metropolitan else "과밀억제권역 밖에"
    return made_of(
        INCORPORATION,
        on,
        [
            won_value("tax", "등록면허세", tax),
            won_value("education", "지방교육세", education),
            won_value("total", "합계", tax + education),
        ],
        formula="등록면허세 = 자본금 × 0.4%(11만 2,500원 미만이면 11만 2,500원, 과밀억제권역은 3배), 지방교육세 = 등록면허세 × 20%",
        steps=steps,
        laws=law.laws,
        assumptions=[
            "영리법인의 설립등기 기준이고, 등기신청수수료와 법무사 보수는 따로입니다.",
            "대도시 중과 제외 업종이거나 창업중소기업 감면을 받으면 더 적을 수 있습니다.",
        ],
        conclusion=(
            f"{where} 자본금 {won(inputs.capital)}인 법인을 세우면 등록면허세는 {won(tax)}이고, "
            f"지방교육세 {won(education)}을 더하면 {won(tax + education)}입니다."
        ),
    )
