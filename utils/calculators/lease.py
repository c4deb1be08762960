"""Leases: the converted deposit and the ceiling of raises of shops, and the monthly rent that a deposit converts to."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Literal

from pydantic import Field

from schemas.calculations import Calculation
from utils.calculators.rates import rates
from utils.calculators.result import (
    CalculationRefused,
    CalculatorInput,
    Percent,
    SomeWon,
    Won,
    exact,
    made_of,
    percent,
    rounded,
    won,
    won_value,
)

LEASE_DEPOSIT = ("lease_deposit", "환산보증금과 임대료 인상 한도")
RENT_CONVERSION = ("rent_conversion", "월세 전환")


class LeaseDepositInput(CalculatorInput):
    """The deposit and monthly rent of a shop."""

    deposit: Won = Field(description="보증금.")
    monthly_rent: Won = Field(0, description="월세(차임).")
    region: Literal["서울", "과밀억제권역", "부산", "광역시등", "그밖의지역"] | None = Field(
        None,
        description="지역. 광역시등: 광역시(부산·군지역·과밀억제권역 제외)와 세종·파주·화성·안산·용인·김포·광주시. 비우면 기준과 견주지 않습니다.",
    )


class RentConversionInput(CalculatorInput):
    """A deposit that becomes monthly rent."""

    deposit: SomeWon = Field(description="월세로 바꿀 보증금.")
    base_rate_percent: Percent = Field(description="한국은행 기준금리(연 %).")
    kind: Literal["shop", "house"] = Field("shop", description="shop: 상가, house: 주택.")


def lease_deposit(inputs: LeaseDepositInput, on: date) -> Calculation:
    """Deposit + rent × 100 against the limit of the region (상가건물 임대차보호법 제2조, 시행령 제2조); raises 5 % (시행령 제4조).

    Raises:
        CalculationRefused: neither a deposit nor a rent is given.
    """
    law = rates("commercial_lease", on)
    if not inputs.deposit and not inputs.monthly_rent:
        raise CalculationRefused("deposit", "보증금이나 월세가 있어야 합니다.")
    multiple, share = law["rent_multiple"], law.rate("increase_percent") / 100
    converted = inputs.deposit + inputs.monthly_rent * multiple
    deposit_rise, rent_rise = int(inputs.deposit * share), int(inputs.monthly_rent * share)
    steps = [f"{won(inputs.deposit)} + {won(inputs.monthly_rent)} × {multiple} = {won(converted)}"]
    values = [
        won_value("converted", "환산보증금", converted),
        won_value("rent_rise", "월세 인상 한도(5%)", rent_rise),
        won_value("deposit_rise", "보증금 인상 한도(5%)", deposit_rise),
    ]
    conclusion = _without_region(inputs, converted, deposit_rise, rent_rise)
    if inputs.region is not None:
        limit = law["limits"][inputs.region]
        within = converted <= limit
        values.append(won_value("limit", f"{inputs.region} 기준", limit))
        steps.append(f"{inputs.region} 기준 {won(limit)} {'이하' if within else '초과'}")
        conclusion = f"환산보증금은 {won(converted)}으로 {inputs.region} 기준 {won(limit)}"
        if not within:
            conclusion += "을 넘어 5% 인상 상한이 적용되지 않습니다."
        elif not inputs.monthly_rent:
            conclusion += " 이하라 상가건물 임대차보호법이 모두 적용됩니다."
        else:
            most = inputs.monthly_rent + rent_rise
            conclusion += (
                f" 이하라 상가건물 임대차보호법이 모두 적용되고 월세는 {won(rent_rise)}까지만 올려 "
                f"최대 {won(most)}까지 받을 수 있습니다."
            )
    if inputs.deposit:
        steps.append(f"보증금 인상 한도: {won(inputs.deposit)} × 5% = {won(deposit_rise)}")
    if inputs.monthly_rent:
        steps.append(f"월세 인상 한도: {won(inputs.monthly_rent)} × 5% = {won(rent_rise)}")
    return made_of(
        LEASE_DEPOSIT,
        on,
        values,
        formula="환산보증금 = 보증금 + 월세 × 100, 인상 한도 = 지금 월세(보증금)의 5%(환산보증금이 기준 이하일 때)",
        steps=steps,
        laws=law.laws,
        assumptions=[
            "5% 상한은 계약기간 중의 증액과 갱신에 적용되고, 올린 뒤 1년 안에는 다시 올릴 수 없습니다(상가건물 임대차보호법 제11조)."
        ],
        conclusion=conclusion,
    )


def _without_region(inputs: LeaseDepositInput, converted: int, deposit_rise: int, rent_rise: int) -> str:
    """The conclusion where no region tells the limit: what each may become at most, and the converted deposit of both."""
    most = " ".join(
        f"{name} {won(amount)}은 5%인 {won(rise)}까지 올릴 수 있어 최대 {won(amount + rise)},"
        for name, amount, rise in (("보증금", inputs.deposit, deposit_rise), ("월세", inputs.monthly_rent, rent_rise))
        if amount
    ).removesuffix(",")
    if not (inputs.deposit and inputs.monthly_rent):
        return f"환산보증금이 지역 기준 이하이면 {most}입니다."
    return f"환산보증금은 {won(converted)}이고, 지역 기준 이하이면 {most}입니다."


def rent_conversion(inputs: RentConversionInput, on: date) -> Calculation:
    """The most that a deposit may become as rent.

    Shops: the lower of 12 % and the base rate × 4.5 (상가건물 임대차보호법 제12조, 시행령 제5조); houses: of 10 % and the base rate + 2
    (주택임대차보호법 제7조의2, 시행령 제9조).
    """
    base = exact(inputs.base_rate_percent)
    if inputs.kind == "shop":
        law = rates("commercial_lease", on)
        fixed, moving = law.rate("conversion_percent"), base * law.rate("conversion_multiple")
        how = f"기준금리 {percent(base)} × 4.5 = {percent(moving)}"
        laws = ["상가건물 임대차보호법 제12조", "상가건물 임대차보호법 시행령 제5조"]
    else:
        law = rates("housing_lease", on)
        fixed, moving = law.rate("conversion_percent"), base + law.rate("conversion_added")
        how = f"기준금리 {percent(base)} + 2% = {percent(moving)}"
        laws = list(law.laws)
    rate = min(fixed, moving)
    yearly = Decimal(inputs.deposit) * rate / 100
    monthly = rounded(yearly / 12)
    return made_of(
        RENT_CONVERSION,
        on,
        [won_value("monthly_rent", "월세 상한", monthly), won_value("yearly_rent", "1년 상한", rounded(yearly))],
        formula="월세 상한 = 바꿀 보증금 × 전환율(정해진 비율과 기준금리로 정한 비율 가운데 낮은 것) ÷ 12",
        steps=[
            f"{how}, 정해진 비율 {percent(fixed)} → {percent(rate)}",
            f"{won(inputs.deposit)} × {percent(rate)} ÷ 12 = {won(monthly)}",
        ],
        laws=laws,
        notices=["한국은행 기준금리 공시"],
        assumptions=["적어 준 기준금리로 계산했습니다. 지금의 기준금리는 한국은행에서 확인해야 합니다."],
        conclusion=f"보증금 {won(inputs.deposit)}을 월세로 바꾸면 전환율 연 {percent(rate)}로 월 {won(monthly)}까지 받을 수 있습니다.",
    )
