"""Sums of contracts and claims: a cancelled deposit, delay in public contracts, a shop's brokerage, the stamp on a claim, a membership that ends early."""

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
    Days,
    Flag,
    Percent,
    SomeWon,
    Whole,
    Won,
    exact,
    floored,
    made_of,
    number,
    percent,
    rounded,
    won,
    won_value,
)

DEPOSIT_CANCELLATION = ("deposit_cancellation", "계약금 해약금")
DELAY_DAMAGES = ("delay_damages", "지체상금")
BROKERAGE = ("brokerage_fee", "상가 중개보수")
SUIT_STAMP = ("suit_stamp", "소송 인지대")
MEMBERSHIP_REFUND = ("membership_refund", "회원권 중도 환급")

_WORK = {
    "works": "공사",
    "goods": "물품의 제조·구매",
    "services": "용역과 물품의 수리·가공·대여",
    "transport": "운송·보관",
}
_CLIENT = {
    "state": ("국가기관", "국가를 당사자로 하는 계약에 관한 법률", "제74조"),
    "local": ("지방자치단체", "지방자치단체를 당사자로 하는 계약에 관한 법률", "제90조"),
}


class DepositCancellationInput(CalculatorInput):
    """A deposit of a sale, and who withdraws from it."""

    deposit: SomeWon = Field(description="주고받은 계약금.")
    withdrawing: Literal["giver", "receiver"] = Field(
        description="giver: 계약금을 준 쪽(산 사람)이 해제, receiver: 계약금을 받은 쪽(판 사람)이 해제."
    )


class DelayDamagesInput(CalculatorInput):
    """A public contract that is performed late."""

    contract: SomeWon = Field(description="계약금액(이미 인수한 부분은 뺀 금액).")
    days: Days = Field(description="지체일수(계약상대자의 책임 없는 날은 뺌).")
    work: Literal["works", "goods", "services", "transport"] = Field(
        description="works 공사, goods 물품 제조·구매, services 용역·수리·가공·대여, transport 운송·보관."
    )
    client: Literal["state", "local"] = Field(
        "state", description="발주기관. state 국가기관(조달청 등), local 지방자치단체(시청, 구청, 교육청 등)."
    )


class BrokerageInput(CalculatorInput):
    """A lease or sale of a shop, or of any building but a dwelling."""

    deposit: Won = Field(0, description="임대차 보증금.")
    monthly_rent: Won = Field(0, description="월세(차임).")
    price: Won = Field(0, description="매매가격. 매매일 때만 넣습니다.")


class SuitStampInput(CalculatorInput):
    """A claim of money that is brought to court."""

    claim: SomeWon = Field(description="소송목적의 값(청구하는 원금).")
    kind: Literal["suit", "payment_order"] = Field(
        "suit", description="suit 소장, payment_order 지급명령신청서(10분의 1)."
    )
    electronic: Flag = Field(False, description="전자소송으로 제출하는지(10분의 9).")


class MembershipRefundInput(CalculatorInput):
    """A membership of so many visits or months that a customer ends early."""

    paid: SomeWon = Field(description="손님이 낸 총금액.")
    total: Whole = Field(ge=1, le=10_000, description="계약한 횟수(또는 개월 수나 날수).")
    used: Whole = Field(ge=0, le=10_000, description="이미 이용한 횟수(또는 개월 수나 날수).")
    penalty_percent: Percent = Field(10, description="총금액에 대한 위약금의 비율(%).")


def deposit_cancellation(inputs: DepositCancellationInput, on: date) -> Calculation:
    """The giver forfeits the deposit, the receiver returns it twofold (민법 제565조)."""
    doubled = inputs.deposit * 2
    if inputs.withdrawing == "receiver":
        to_pay, loss = doubled, inputs.deposit
        steps = [f"{won(inputs.deposit)} × 2 = {won(doubled)}"]
        conclusion = f"계약금을 받은 쪽이 계약을 해제하려면 배액인 {won(doubled)}을 돌려주어야 합니다."
    else:
        to_pay, loss = 0, inputs.deposit
        steps = [f"포기할 계약금: {won(inputs.deposit)}"]
        conclusion = f"계약금을 준 쪽이 계약을 해제하면 계약금 {won(inputs.deposit)}을 포기해야 합니다."
    return made_of(
        DEPOSIT_CANCELLATION,
        on,
        [
            won_value("to_pay" if to_pay else "forfeited", "돌려줄 금액" if to_pay else "포기할 금액", to_pay or loss),
            won_value("loss", "해제하는 쪽의 손해", loss),
        ],
        formula="해약금 = 받은 쪽은 계약금의 배액 상환, 준 쪽은 계약금 포기",
        steps=steps,
        laws=["민법 제565조", "민법 제567조"],
        assumptions=[
            "다른 약정이 없고, 상대방이 중도금을 내는 것처럼 이행에 착수하기 전일 때의 금액입니다.",
            "약정한 계약금의 일부만 주고받았으면 약정한 계약금 전부가 기준이 됩니다.",
        ],
        conclusion=conclusion,
    )


def delay_damages(inputs: DelayDamagesInput, on: date) -> Calculation:
    """Contract × rate × days, at most 30 %.

    Sources: 국가계약법 시행령 제74조, 시행규칙 제75조; 지방계약법 시행령 제90조, 시행규칙 제75조.
    """
    law = rates("public_delay", on)
    client, statute, article = _CLIENT[inputs.client]
    rate = Decimal(law[inputs.client][inputs.work])
    told = Decimal(inputs.contract) * rate / 1000 * inputs.days
    ceiling = Decimal(inputs.contract) * law["maximum_percent"] / 100
    amount = int(min(told, ceiling))
    steps = [f"{won(inputs.contract)} × 1,000분의 {number(rate)} × {number(inputs.days)}일 = {won(int(told))}"]
    if told > ceiling:
        steps.append(f"계약금액의 {percent(law['maximum_percent'])}인 {won(amount)}을 넘을 수 없음")
    return made_of(
        DELAY_DAMAGES,
        on,
        [won_value("damages", "지체상금", amount), won_value("maximum", "상한(계약금액의 30%)", int(ceiling))],
        formula="지체상금 = 계약금액 × 지체상금률 × 지체일수(계약금액의 30%까지)",
        steps=steps,
        laws=[f"{statute} 시행령 {article}", f"{statute} 시행규칙 제75조"],
        assumptions=[
            f"{client}과 맺은 {_WORK[inputs.work]} 계약의 법정 비율이고, 민간 계약은 계약서에 정한 비율에 따릅니다."
        ],
        conclusion=(
            f"{won(inputs.contract)} 계약을 {number(inputs.days)}일 지체하면 "
            f"지체상금은 하루 1,000분의 {number(rate)}씩 {won(amount)}입니다."
        ),
    )


def brokerage_fee(inputs: BrokerageInput, on: date) -> Calculation:
    """0.9 % at most of the deal (공인중개사법 시행규칙 제20조제4항제2호); of a lease deposit + rent × 100, below 50 million × 70 (제5항).

    Raises:
        CalculationRefused: neither a price nor a deposit or rent is given, or both.
    """
    law = rates("brokerage", on)
    lease = inputs.deposit + inputs.monthly_rent
    if bool(lease) == bool(inputs.price):
        raise CalculationRefused("deposit", "보증금과 월세, 또는 매매가격 가운데 하나가 있어야 합니다.")
    base, steps = inputs.price, []
    if lease:
        base = inputs.deposit + inputs.monthly_rent * law["rent_multiple"]
        steps.append(f"거래금액: {won(inputs.deposit)} + {won(inputs.monthly_rent)} × 100 = {won(base)}")
        if inputs.monthly_rent and base < law["low_total"]:
            base = inputs.deposit + inputs.monthly_rent * law["low_rent_multiple"]
            steps.append(f"5천만원 미만이므로 {won(inputs.deposit)} + {won(inputs.monthly_rent)} × 70 = {won(base)}")
    rate = law.rate("maximum_percent")
    fee = int(base * rate / 100)
    steps.append(f"{won(base)} × {percent(rate)} = {won(fee)}")
    return made_of(
        BROKERAGE,
        on,
        [won_value("fee", "중개보수 상한", fee), won_value("base", "거래금액", base)],
        formula="중개보수 상한 = 거래금액(보증금 + 월세 × 100, 5천만원 미만이면 월세 × 70) × 0.9%",
        steps=steps,
        laws=law.laws,
        assumptions=[
            "주택이 아닌 상가·사무실의 상한이고 실제 금액은 협의로 정합니다. 부가가치세는 따로입니다.",
            "임대인과 임차인(매도인과 매수인)이 각각 내는 금액입니다.",
        ],
        conclusion=f"거래금액 {won(base)}의 상가 중개보수는 한쪽에서 최대 {won(fee)}까지 받을 수 있습니다.",
    )


def suit_stamp(inputs: SuitStampInput, on: date) -> Calculation:
    """A share of the claim by rows (민사소송 등 인지법 제2조); payment orders a tenth (제7조), electronic ones nine tenths (제16조)."""
    law = rates("suit_stamp", on)
    row = next(row for row in law["rows"] if "below" not in row or inputs.claim < row["below"])
    amount = Decimal(inputs.claim) * row["per_10000"] / 10_000 + row["added"]
    steps = [f"{won(inputs.claim)} × 10,000분의 {row['per_10000']} + {won(row['added'])} = {won(rounded(amount))}"]
    laws = [*law.laws]
    if inputs.kind == "payment_order":
        amount = amount * law["order_percent"] / 100
        steps.append(f"지급명령: × 10분의 1 = {won(rounded(amount))}")
        laws.append("민사소송 등 인지법 제7조")
    if inputs.electronic:
        amount = amount * law["electronic_percent"] / 100
        steps.append(f"전자소송: × 10분의 9 = {won(rounded(amount))}")
        laws.append("민사소송 등 인지법 제16조")
    stamp = max(floored(amount, 100), law["least"])
    paper = "지급명령신청서" if inputs.kind == "payment_order" else "소장"
    return made_of(
        SUIT_STAMP,
        on,
        [won_value("stamp", "인지액", stamp)],
        formula="인지액 = 소송목적의 값 × 비율(1만분의 50·45·40·35) + 더하는 금액, 100원 미만은 버림",
        steps=[*steps, f"인지액: {won(stamp)}"],
        laws=laws,
        assumptions=["송달료는 따로 내고, 전자소송으로 내면 인지액이 10% 적습니다(민사소송 등 인지법 제16조)."],
        conclusion=f"{won(inputs.claim)}을 청구하는 {paper}에 붙일 인지액은 {won(stamp)}입니다.",
    )


def membership_refund(inputs: MembershipRefundInput, on: date) -> Calculation:
    """Compute what was paid, less the share that was used and the penalty (방문판매 등에 관한 법률 제32조제3항); never less than nothing.

    Raises:
        CalculationRefused: more used than contracted.
    """
    if inputs.used > inputs.total:
        raise CalculationRefused("used", "이용한 횟수가 계약한 횟수보다 많습니다.")
    consumed = rounded(Decimal(inputs.paid) * inputs.used / inputs.total)
    penalty = rounded(inputs.paid * exact(inputs.penalty_percent) / 100)
    refund = max(inputs.paid - consumed - penalty, 0)
    share = f"{number(inputs.used)} ÷ {number(inputs.total)}"
    return made_of(
        MEMBERSHIP_REFUND,
        on,
        [
            won_value("refund", "돌려줄 돈", refund),
            won_value("consumed", "이용한 몫", consumed),
            won_value("penalty", "위약금", penalty),
        ],
        formula="돌려줄 돈 = 받은 돈 − 받은 돈 × 이용한 몫 − 받은 돈 × 위약금 비율",
        steps=[
            f"이용한 몫: {won(inputs.paid)} × {share} = {won(consumed)}",
            f"위약금: {won(inputs.paid)} × {percent(inputs.penalty_percent)} = {won(penalty)}",
        ],
        laws=["방문판매 등에 관한 법률 제31조", "방문판매 등에 관한 법률 제32조"],
        notices=["위약금의 비율은 소비자분쟁해결기준(고시)과 업종별 법령에서 확인해야 합니다."],
        assumptions=["손님 사정으로 해지하고, 한 번의 값이 모두 같은 것으로 계산했습니다."],
        conclusion=f"{won(inputs.paid)}에서 이용한 몫 {won(consumed)}과 위약금 {percent(inputs.penalty_percent)}인 {won(penalty)}을 빼면 돌려줄 돈은 {won(refund)}입니다.",
    )
