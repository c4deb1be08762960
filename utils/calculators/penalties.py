"""Penalties on returns that were filed late, too low or not at all, and on tax paid late."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Literal

from pydantic import Field

from schemas.calculations import Calculation
from utils.calculators.rates import Period, rates
from utils.calculators.result import (
    CalculatorInput,
    Days,
    Flag,
    Months,
    SomeWon,
    Won,
    floored,
    made_of,
    number,
    percent,
    won,
    won_value,
)

FILING_PENALTY = ("filing_penalty", "신고·납부 가산세")
UNREGISTERED = ("unregistered_penalty", "사업자 미등록 가산세")
CASH_RECEIPT = ("cash_receipt_penalty", "현금영수증 미발급 가산세")


class FilingPenaltyInput(CalculatorInput):
    """Tax that was not returned, or returned too low."""

    tax: SomeWon = Field(description="신고하지 않았거나 적게 신고한 세액.")
    kind: Literal["no_return", "under_return", "late_payment"] = Field(
        "no_return", description="no_return 무신고, under_return 과소신고, late_payment 신고는 했고 납부만 늦음."
    )
    fraud: Flag = Field(False, description="이중장부·거짓증빙 같은 부정행위인지.")
    days_late: Days = Field(0, description="납부기한 다음 날부터 낸 날 전날까지의 일수.")
    months_late: Months | None = Field(
        None, description="법정신고기한이 지난 뒤 기한 후 신고나 수정신고까지의 개월 수(1개월 이내는 1)."
    )
    revenue: Won = Field(
        0, description="종합소득세·법인세를 신고하지 않은 복식부기의무자와 법인의 수입금액(0.07%와 비교해 큰 금액)."
    )


class UnregisteredInput(CalculatorInput):
    """Sales before the registration as a business."""

    sales: SomeWon = Field(description="사업 개시일부터 등록을 신청한 날의 직전일까지의 공급가액 합계.")


class CashReceiptInput(CalculatorInput):
    """A payment in cash for which no receipt was issued."""

    amount: SomeWon = Field(description="현금영수증을 발급하지 않은 금액(부가세 포함).")
    voluntary: Flag = Field(False, description="대금을 받은 날부터 10일 이내에 스스로 신고하거나 발급했는지.")


def filing_penalty(inputs: FilingPenaltyInput, on: date) -> Calculation:
    """무신고·과소신고가산세 less the relief of a voluntary return, and 납부지연가산세 a day until the notice.

    Sources: 국세기본법 제47조의2, 제47조의3, 제47조의4, 제48조; 시행령 제27조의4.
    """
    law = rates("tax_penalties", on)
    steps: list[str] = []
    laws = []
    report = 0
    if inputs.kind != "late_payment":
        report = _report_penalty(inputs, law, steps)
        laws += ["국세기본법 제47조의2" if inputs.kind == "no_return" else "국세기본법 제47조의3", "국세기본법 제48조"]
    late = floored(Decimal(inputs.tax) * inputs.days_late * law["late_per_100000"] / 100_000)
    if inputs.days_late:
        steps.append(f"납부지연: {won(inputs.tax)} × {number(inputs.days_late)}일 × 22/100,000 = {won(late)}")
        laws += ["국세기본법 제47조의4", "국세기본법 시행령 제27조의4"]
    total = report + late
    label = {"no_return": "무신고", "under_return": "과소신고", "late_payment": "납부지연"}[inputs.kind]
    parts = f"({label} {won(report)}, 납부지연 {won(late)})" if report and late else ""
    return made_of(
        FILING_PENALTY,
        on,
        [
            won_value("penalty", "가산세 합계", total),
            won_value("report", "무신고·과소신고가산세(감면 뒤)", report),
            won_value("late", "납부지연가산세", late),
        ],
        formula="가산세 = 세액 × 무신고 20%(부정 40%)·과소신고 10%(부정 40%) × (1 - 감면율) + 세액 × 늦은 일수 × 22/100,000",
        steps=steps,
        laws=laws or ["국세기본법 제47조의4"],
        assumptions=[
            "납부고지서를 받기 전까지의 가산세입니다. 고지서의 기한도 넘기면 3%와 월 0.67%가 더 붙습니다(국세기본법 제47조의4).",
            "경정·결정될 것을 미리 알고 신고하면 감면받지 못합니다(국세기본법 제48조).",
        ],
        conclusion=f"세액 {won(inputs.tax)}의 {label} 가산세는 모두 {won(total)}{parts}입니다.",
    )


def _report_penalty(inputs: FilingPenaltyInput, law: Period, steps: list[str]) -> int:
    unreturned = inputs.kind == "no_return"
    name = f"{'no' if unreturned else 'under'}_return"
    rate = law.rate(f"{name}_fraud" if inputs.fraud else name)
    amount = floored(inputs.tax * rate / 100)
    label = "무신고" if unreturned else "과소신고"
    steps.append(f"{label}: {won(inputs.tax)} × {percent(rate)} = {won(amount)}")
    if inputs.revenue and unreturned:
        of_revenue = law.rate("revenue_fraud_percent" if inputs.fraud else "revenue_percent")
        other = floored(inputs.revenue * of_revenue / 100)
        amount = max(amount, other)
        steps.append(f"수입금액 {won(inputs.revenue)} × {percent(of_revenue)} = {won(other)} → 큰 금액 {won(amount)}")
    relief = _relief(inputs, law)
    if relief:
        reduced = floored(amount * (100 - relief) / 100)
        how = "기한 후 신고" if unreturned else "수정신고"
        steps.append(
            f"{inputs.months_late}개월 안에 {how}: {won(amount)} × (100% - {percent(relief)}) = {won(reduced)}"
        )
        amount = reduced
    return amount


def _relief(inputs: FilingPenaltyInput, law: Period) -> Decimal:
    """The percentage of relief for a return so many months after the deadline; none without such a return."""
    if inputs.months_late is None:
        return Decimal(0)
    rows = law["late_return_relief" if inputs.kind == "no_return" else "amended_return_relief"]
    return next((Decimal(row["percent"]) for row in rows if inputs.months_late <= row["months"]), Decimal(0))


def unregistered_penalty(inputs: UnregisteredInput, on: date) -> Calculation:
    """1 % of the sales before the registration (부가가치세법 제60조제1항제1호; the deadline 제8조제1항)."""
    law = rates("tax_penalties", on)
    rate = law.rate("unregistered_percent")
    amount = floored(inputs.sales * rate / 100)
    return made_of(
        UNREGISTERED,
        on,
        [won_value("penalty", "미등록가산세", amount)],
        formula="미등록가산세 = 등록을 신청하기 전날까지의 공급가액 합계 × 1%",
        steps=[f"{won(inputs.sales)} × {percent(rate)} = {won(amount)}"],
        laws=["부가가치세법 제60조", "부가가치세법 제8조"],
        assumptions=[
            "일반과세자의 가산세이고, 사업 개시일부터 20일 안에 등록을 신청하면 없습니다(부가가치세법 제8조제1항).",
            "그 매출의 부가가치세를 신고하지 않았으면 무신고·납부지연 가산세가 따로 있습니다.",
        ],
        conclusion=f"사업자등록 없이 올린 공급가액 {won(inputs.sales)}의 미등록가산세는 {percent(rate)}인 {won(amount)}입니다.",
    )


def cash_receipt_penalty(inputs: CashReceiptInput, on: date) -> Calculation:
    """20 % of what no receipt was issued for, 10 % after a report of one's own (소득세법 제81조의9, 법인세법 제75조의6)."""
    law = rates("tax_penalties", on)
    rate = law.rate("cash_receipt_voluntary_percent" if inputs.voluntary else "cash_receipt_percent")
    amount = floored(inputs.amount * rate / 100)
    return made_of(
        CASH_RECEIPT,
        on,
        [won_value("penalty", "가산세", amount)],
        formula="가산세 = 미발급금액 × 20%(10일 안에 스스로 신고하거나 발급하면 10%)",
        steps=[f"{won(inputs.amount)} × {percent(rate)} = {won(amount)}"],
        laws=["소득세법 제81조의9", "법인세법 제75조의6", "소득세법 제162조의3"],
        assumptions=[
            "현금영수증 의무발행업종이 건당 10만원 이상을 현금으로 받고 발급하지 않은 경우입니다.",
            "그 밖의 업종이 손님의 발급 요청을 거부한 경우의 가산세는 5%입니다.",
        ],
        conclusion=f"현금영수증을 발급하지 않은 {won(inputs.amount)}의 가산세는 {percent(rate)}인 {won(amount)}입니다.",
    )
