"""Value added tax of general and simplified taxpayers, supply value out of a price, and penalties on tax invoices."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Literal

from pydantic import Field

from schemas.calculations import Calculation
from utils.calculators.rates import rates
from utils.calculators.result import (
    CalculatorInput,
    Flag,
    SomeWon,
    Whole,
    Won,
    floored,
    made_of,
    needed,
    percent,
    rounded,
    won,
    won_value,
)

VAT = ("vat", "부가가치세")
CARD_CREDIT = ("card_sales_credit", "신용카드매출 세액공제")
INVOICE_PENALTY = ("tax_invoice_penalty", "세금계산서 가산세")

Industry = Literal[
    "소매업", "음식점업", "재생용재료수집판매업", "제조업", "농임어업", "소화물전문운송업", "숙박업", "건설업", "운수창고업",
    "정보통신업", "금융보험관련서비스업", "전문과학기술서비스업", "사업시설관리지원임대서비스업", "부동산관련서비스업",
    "부동산임대업", "그밖의서비스업",
]  # fmt: skip
InvoiceFault = Literal[
    "late_issue",
    "no_issue",
    "paper_instead",
    "late_report",
    "no_report",
    "wrong_entry",
    "fictitious",
    "other_name",
    "overstated",
]
_FAULTS = {
    "late_issue": ("발급시기가 지난 뒤 확정신고기한까지 발급(지연발급)", "제60조제2항제1호"),
    "no_issue": ("확정신고기한까지 발급하지 않음(미발급)", "제60조제2항제2호"),
    "paper_instead": ("전자 발급 의무자가 종이 세금계산서를 발급", "제60조제2항제2호"),
    "late_report": ("전자세금계산서 지연전송", "제60조제2항제3호"),
    "no_report": ("전자세금계산서 미전송", "제60조제2항제4호"),
    "wrong_entry": ("필요적 기재사항의 누락이나 오류", "제60조제2항제5호"),
    "fictitious": ("거래 없이 발급하거나 발급받음(가공)", "제60조제3항제1호·제2호"),
    "other_name": ("다른 사람 명의로 발급하거나 발급받음(위장)", "제60조제3항제3호·제4호"),
    "overstated": ("공급가액을 부풀려 적음(그 부분)", "제60조제3항제5호·제6호"),
}


class VatInput(CalculatorInput):
    """Sales of a taxable period; a simplified taxpayer's are prices with tax (공급대가)."""

    kind: Literal["general", "simplified", "split", "added"] = Field(
        "general",
        description="general: 일반과세자, simplified: 간이과세자, split: 공급대가에서 공급가액과 세액 나누기, added: 공급가액에 세액 더하기.",
    )
    sales: SomeWon = Field(
        description="매출. 일반과세자와 added는 공급가액(부가세 별도), 간이과세자와 split은 공급대가(부가세 포함)."
    )
    sales_include_tax: Flag = Field(False, description="일반과세자의 매출과 매입이 부가세를 포함한 금액인지.")
    purchases: Won = Field(0, description="세금계산서·카드 등으로 매입한 금액. 간이과세자는 공급대가(부가세 포함).")
    industry: Industry | None = Field(None, description="업종(간이과세자의 업종별 부가가치율).")
    months: Whole = Field(12, ge=1, le=12, description="과세기간에 사업한 개월 수(간이과세자 납부면제 판단에 씁니다).")


class CardCreditInput(CalculatorInput):
    """A year's sales by card, cash receipt or electronic means."""

    card_sales: SomeWon = Field(description="신용카드·현금영수증 등으로 받은 금액(부가세 포함, 1년분).")
    previous_sales: Won = Field(0, description="직전 연도의 공급가액. 10억원을 넘으면 공제받지 못합니다.")


class InvoicePenaltyInput(CalculatorInput):
    """A tax invoice that was issued late, wrongly or not at all."""

    supply_value: SomeWon = Field(description="공급가액(부가세 별도).")
    fault: InvoiceFault = Field(
        description="late_issue 지연발급, no_issue 미발급, paper_instead 종이 발급, late_report 지연전송, no_report 미전송, "
        "wrong_entry 기재 오류, fictitious 가공, other_name 위장, overstated 과다 기재."
    )


def vat(inputs: VatInput, on: date) -> Calculation:
    """VAT to pay: 매출세액 less 매입세액 (부가가치세법 제37조), or 공급대가 × 업종별 부가가치율 × 10 % (제63조).

    Raises:
        CalculationRefused: a simplified taxpayer's industry is missing.
    """
    if inputs.kind == "simplified":
        return _simplified(inputs, on)
    if inputs.kind == "added":
        return _added(inputs, on)
    if inputs.kind == "split":
        return _split(inputs, on)
    law = rates("vat", on)
    share = Decimal(10) / 110 if inputs.sales_include_tax else law.rate("percent") / 100
    shown = "10 ÷ 110" if inputs.sales_include_tax else "10%"
    output, deducted = rounded(inputs.sales * share), rounded(inputs.purchases * share)
    tax = floored(Decimal(output - deducted)) if output >= deducted else output - deducted
    conclusion = f"일반과세자가 낼 부가가치세는 {won(tax)}입니다."
    if tax < 0:
        conclusion = f"매입세액이 더 많아 부가가치세 {won(-tax)}을 환급받습니다."
    return made_of(
        VAT,
        on,
        [
            won_value("tax", "납부세액(음수는 환급)", tax),
            won_value("output", "매출세액", output),
            won_value("input", "매입세액", deducted),
        ],
        formula="납부세액 = 매출세액(공급가액 × 10%) - 매입세액",
        steps=[
            f"매출세액: {won(inputs.sales)} × {shown} = {won(output)}",
            f"매입세액: {won(inputs.purchases)} × {shown} = {won(deducted)}",
            f"{won(output)} - {won(deducted)} = {won(output - deducted)}",
        ],
        laws=["부가가치세법 제30조", "부가가치세법 제37조", "부가가치세법 제38조"],
        assumptions=["접대비·비영업용 승용차 같은 불공제 매입과 신용카드매출전표 발행 공제 등은 넣지 않았습니다."],
        conclusion=conclusion,
    )


def _added(inputs: VatInput, on: date) -> Calculation:
    tax = rounded(inputs.sales * rates("vat", on).rate("percent") / 100)
    total = inputs.sales + tax
    return made_of(
        VAT,
        on,
        [won_value("total", "합계(공급대가)", total), won_value("tax", "부가가치세", tax)],
        formula="부가가치세 = 공급가액 × 10%, 공급대가 = 공급가액 + 부가가치세",
        steps=[f"{won(inputs.sales)} × 10% = {won(tax)}", f"{won(inputs.sales)} + {won(tax)} = {won(total)}"],
        laws=["부가가치세법 제29조", "부가가치세법 제30조"],
        conclusion=f"공급가액 {won(inputs.sales)}의 부가가치세는 {won(tax)}이고, 더하면 {won(total)}입니다.",
    )


def _split(inputs: VatInput, on: date) -> Calculation:
    value = rounded(inputs.sales * 100 / (100 + rates("vat", on).rate("percent")))
    tax = inputs.sales - value
    return made_of(
        VAT,
        on,
        [won_value("supply_value", "공급가액", value), won_value("tax", "부가가치세", tax)],
        formula="공급가액 = 공급대가 × 100 ÷ 110, 부가가치세 = 공급대가 - 공급가액",
        steps=[
            f"{won(inputs.sales)} × 100 ÷ 110 = {won(value)}",
            f"{won(inputs.sales)} - {won(value)} = {won(tax)}",
        ],
        laws=["부가가치세법 제29조", "부가가치세법 제30조"],
        conclusion=f"부가세를 포함한 {won(inputs.sales)}의 공급가액은 {won(value)}이고 부가가치세는 {won(tax)}입니다.",
    )


def _simplified(inputs: VatInput, on: date) -> Calculation:
    law = rates("vat", on)
    if inputs.industry is None:
        raise needed(inputs, "industry")
    rate = Decimal(law["value_added"][inputs.industry])
    gross = floored(inputs.sales * rate / 100 * law.rate("percent") / 100)
    credit = floored(inputs.purchases * law.rate("simplified_purchase_percent") / 100)
    tax = max(gross - credit, 0)
    yearly = Decimal(inputs.sales) * 12 / inputs.months
    steps = [f"{won(inputs.sales)} × 부가가치율 {percent(rate)} × 10% = {won(gross)}"]
    if inputs.purchases:
        steps += [
            f"매입 공제: {won(inputs.purchases)} × 0.5% = {won(credit)}",
            f"{won(gross)} - {won(credit)} → {won(tax)}",
        ]
    if inputs.months < 12:
        steps.append(f"12개월로 환산한 공급대가: {won(inputs.sales)} × 12 ÷ {inputs.months} = {won(rounded(yearly))}")
    free = yearly < law["simplified_exempt_below"]
    limit = won(law["simplified_exempt_below"])
    conclusion = f"{inputs.industry} 간이과세자가 낼 부가가치세는 {won(tax)}입니다."
    assumptions = ["신용카드매출전표 발행 공제 등 다른 공제와 예정부과 세액은 넣지 않았습니다."]
    if free:
        steps.append(f"연 공급대가가 {limit} 미만이므로 납부의무 면제")
        conclusion = f"연 공급대가가 {limit} 미만이라 간이과세자의 부가가치세 납부의무가 면제되어 낼 세금은 0원입니다."
        tax = 0
    elif yearly >= law["simplified_limit"]:
        assumptions.append(
            f"연 공급대가가 {won(law['simplified_limit'])} 이상이면 다음 해 7월부터 일반과세자로 바뀝니다(부가가치세법 제61조, 제62조)."
        )
    return made_of(
        VAT,
        on,
        [
            won_value("tax", "납부세액", tax),
            won_value("before_credit", "공제 전 세액", gross),
            won_value("credit", "매입 공제", credit),
        ],
        formula="납부세액 = 공급대가 × 업종별 부가가치율 × 10% - 매입 공급대가 × 0.5%",
        steps=steps,
        laws=["부가가치세법 제63조", "부가가치세법 제69조", "부가가치세법 시행령 제111조"],
        assumptions=assumptions,
        conclusion=conclusion,
    )


def tax_invoice_penalty(inputs: InvoicePenaltyInput, on: date) -> Calculation:
    """A percentage of the supply value (부가가치세법 제60조)."""
    law = rates("tax_penalties", on)
    label, place = _FAULTS[inputs.fault]
    rate = Decimal(law["invoice"][inputs.fault])
    amount = floored(inputs.supply_value * rate / 100)
    steps = [f"{won(inputs.supply_value)} × {percent(rate)} = {won(amount)}"]
    laws = [f"부가가치세법 {place.split('·')[0]}"]
    return made_of(
        INVOICE_PENALTY,
        on,
        [won_value("penalty", "가산세", amount)],
        formula=f"가산세 = 공급가액 × {percent(rate)}({label})",
        steps=steps,
        laws=laws,
        assumptions=[
            "같은 거래에 다른 세금계산서 가산세가 겹치면 법이 정한 하나만 적용됩니다(부가가치세법 제60조제9항)."
        ],
        conclusion=f"공급가액 {won(inputs.supply_value)}의 세금계산서 가산세는 {percent(rate)}인 {won(amount)}입니다.",
    )


def card_sales_credit(inputs: CardCreditInput, on: date) -> Calculation:
    """1.3 % of card sales, at most 10 million won a year (부가가치세법 제46조; the limit of sales 시행령 제88조)."""
    law = rates("vat", on)
    rate, maximum = law.rate("card_credit_percent"), law["card_credit_maximum"]
    told = floored(inputs.card_sales * rate / 100)
    refused = inputs.previous_sales > law["card_credit_sales_limit"]
    credit = 0 if refused else min(told, maximum)
    steps = [f"{won(inputs.card_sales)} × {percent(rate)} = {won(told)}"]
    if told > maximum:
        steps.append(f"연간 한도 {won(maximum)}")
    conclusion = f"카드 매출 {won(inputs.card_sales)}의 신용카드매출 세액공제는 {won(credit)}입니다."
    if refused:
        conclusion = "직전 연도 공급가액이 10억원을 넘어 신용카드매출 세액공제를 받을 수 없습니다."
    return made_of(
        CARD_CREDIT,
        on,
        [won_value("credit", "세액공제", credit)],
        formula="세액공제 = 카드·현금영수증 등 매출 × 1.3%(연간 1,000만원까지)",
        steps=steps,
        laws=["부가가치세법 제46조", "부가가치세법 시행령 제88조"],
        assumptions=["소비자를 상대하는 개인사업자만 받고 법인은 받지 못하며, 낼 부가가치세까지만 공제됩니다."],
        conclusion=conclusion,
    )
