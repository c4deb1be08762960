"""A company's books: the limit of entertainment expenses, interest imputed on loans to its head, straight-line depreciation."""

from __future__ import annotations

from datetime import date
from decimal import ROUND_DOWN, Decimal

from pydantic import Field

from schemas.calculations import Calculation
from utils.calculators.progressive_tax import progressive
from utils.calculators.rates import rates
from utils.calculators.result import (
    CalculatorInput,
    Days,
    Flag,
    Months,
    Percent,
    SomeWon,
    Whole,
    Won,
    exact,
    made_of,
    number,
    percent,
    rounded,
    won,
    won_value,
)

ENTERTAINMENT = ("entertainment_limit", "업무추진비 한도")
DEEMED_INTEREST = ("deemed_interest", "가지급금 인정이자")
DEPRECIATION = ("depreciation", "감가상각비(정액법)")
EXECUTIVE_SEVERANCE = ("executive_severance_limit", "임원 퇴직금 손금 한도")


class EntertainmentInput(CalculatorInput):
    """A year's revenue."""

    revenue: Won = Field(description="사업연도의 수입금액(매출).")
    small_company: Flag = Field(True, description="중소기업인지.")
    months: Whole = Field(12, ge=1, le=12, description="사업연도의 개월 수.")
    related_revenue: Won = Field(0, description="수입금액 가운데 특수관계인과의 거래분. 그 한도는 10분의 1입니다.")
    small_family: Flag = Field(False, description="부동산임대업이 주업인 소규모 가족법인 등인지(한도의 50%).")
    spent: Won | None = Field(None, description="쓴 업무추진비. 넣으면 한도를 넘는 금액도 계산합니다.")


class DeemedInterestInput(CalculatorInput):
    """A loan to the head of a company or another related person."""

    amount: SomeWon = Field(description="가지급금(빌려 간 금액).")
    days: Days = Field(365, description="빌려 간 일수.")
    rate_percent: Percent | None = Field(
        None, description="가중평균차입이자율(연 %). 비우면 당좌대출이자율로 계산합니다."
    )
    interest_received: Won = Field(0, description="실제로 받은 이자.")


class DepreciationInput(CalculatorInput):
    """An asset written off by equal parts."""

    cost: SomeWon = Field(description="취득가액.")
    years: Whole = Field(ge=2, le=60, description="내용연수(년).")
    months: Whole = Field(12, ge=1, le=12, description="그해에 사용한 개월 수(1개월 미만은 1개월).")


class ExecutiveSeveranceInput(CalculatorInput):
    """An executive's last year's pay and service, of a company whose articles set no severance."""

    yearly_pay: SomeWon = Field(description="퇴직 전 1년 동안 지급한 총급여(비과세와 손금불산입 상여 제외).")
    months_of_service: Months = Field(description="근속한 개월 수(1개월 미만은 넣지 않음).")


def entertainment_limit(inputs: EntertainmentInput, on: date) -> Calculation:
    """Basic limit by months and limit by revenue (법인세법 제25조제4항·제5항; sole traders 소득세법 제35조)."""
    law = rates("company_tax", on)
    yearly = law["entertainment_base_sme" if inputs.small_company else "entertainment_base"]
    base = Decimal(yearly) * inputs.months / 12
    related = min(inputs.related_revenue, inputs.revenue)
    brackets = law.brackets("entertainment_revenue")
    whole, _ = progressive(Decimal(inputs.revenue), brackets)
    ordinary, rows = progressive(Decimal(inputs.revenue - related), brackets)
    by_revenue = ordinary + (whole - ordinary) / 10
    size = "중소기업" if inputs.small_company else "중소기업 아님"
    steps = [f"기본한도: {won(yearly)}({size}) × {inputs.months} ÷ 12 = {won(rounded(base))}"]
    steps += [f"수입금액별 한도: {row}" for row in rows]
    if related:
        steps.append(
            f"특수관계인 거래분 한도: {won(rounded(whole - ordinary))} × 10% = {won(rounded((whole - ordinary) / 10))}"
        )
    limit = base + by_revenue
    if inputs.small_family:
        limit = limit * law["entertainment_family_percent"] / 100
        steps.append(f"({won(rounded(base + by_revenue))}) × 50% = {won(rounded(limit))}")
    total = rounded(limit)
    steps.append(f"한도 합계: {won(total)}")
    values = [won_value("limit", "업무추진비 한도", total)]
    conclusion = f"업무추진비로 인정받을 수 있는 한도는 {won(total)}입니다."
    if inputs.spent is not None:
        over = max(inputs.spent - total, 0)
        values.append(won_value("over", "한도 초과액", over))
        steps.append(f"한도 초과액: {won(inputs.spent)} - {won(total)} → {won(over)}")
        result = f"{won(over)}은 비용으로 인정되지 않습니다" if over else "한도 안에 있습니다"
        conclusion = f"업무추진비 한도는 {won(total)}이므로 쓴 {won(inputs.spent)} 가운데 {result}."
        if not over:
            conclusion = f"업무추진비 한도는 {won(total)}이므로 쓴 {won(inputs.spent)}은 {result}."
    return made_of(
        ENTERTAINMENT,
        on,
        values,
        formula="한도 = 기본한도(중소기업 3,600만원, 그 밖 1,200만원) × 개월 수 ÷ 12 + 수입금액 × 0.3%(100억원 이하)·0.2%·0.03%",
        steps=steps,
        laws=["법인세법 제25조", "소득세법 제35조"],
        assumptions=["적격증빙이 없는 건은 한도와 관계없이 인정되지 않고, 문화·전통시장 추가 한도는 넣지 않았습니다."],
        conclusion=conclusion,
    )


def deemed_interest(inputs: DeemedInterestInput, on: date) -> Calculation:
    """Interest that counts as earned (법인세법 제52조, 시행령 제89조; 당좌대출이자율 시행규칙 제43조)."""
    law = rates("company_tax", on)
    rate = law.rate("overdraft_percent") if inputs.rate_percent is None else exact(inputs.rate_percent)
    interest = rounded(Decimal(inputs.amount) * rate / 100 * inputs.days / 365)
    short = max(interest - inputs.interest_received, 0)
    steps = [f"{won(inputs.amount)} × 연 {percent(rate)} × {inputs.days}일 ÷ 365일 = {won(interest)}"]
    if inputs.interest_received:
        steps.append(f"받은 이자를 뺀 차액: {won(interest)} - {won(inputs.interest_received)} → {won(short)}")
    by = "당좌대출이자율" if inputs.rate_percent is None else "가중평균차입이자율"
    period = "1년" if inputs.days == 365 else f"{inputs.days}일"
    return made_of(
        DEEMED_INTEREST,
        on,
        [won_value("interest", "인정이자", interest), won_value("to_add", "익금에 더할 금액", short)],
        formula="인정이자 = 가지급금 × 이자율 × 일수 ÷ 365",
        steps=steps,
        laws=["법인세법 제52조", "법인세법 시행령 제89조", "법인세법 시행규칙 제43조"],
        assumptions=[
            "가중평균차입이자율이 원칙이고, 당좌대출이자율은 요건에 맞거나 선택한 경우에 씁니다.",
            "차액이 인정이자의 5%나 3억원에 못 미치면 부당행위로 보지 않습니다(법인세법 시행령 제88조).",
        ],
        conclusion=f"가지급금 {won(inputs.amount)}의 {period} 인정이자는 {by} 연 {percent(rate)}로 {won(interest)}입니다.",
    )


def depreciation(inputs: DepreciationInput, on: date) -> Calculation:
    """Cost by years (법인세법 제23조, 시행령 제26조·제28조; sole traders 소득세법 제33조).

    The statutory rate is 1 ÷ years, cut to three decimals (시행규칙 별표 4, which the statutes at hand do not hold).
    """
    rate = (Decimal(1) / inputs.years).quantize(Decimal("0.001"), ROUND_DOWN)
    yearly = rounded(inputs.cost * rate)
    amount = rounded(Decimal(inputs.cost) * rate * inputs.months / 12)
    steps = [f"상각률: 1 ÷ {inputs.years}년 = {rate}", f"{won(inputs.cost)} × {rate} = {won(yearly)}"]
    if inputs.months < 12:
        steps.append(f"{won(yearly)} × {inputs.months}개월 ÷ 12 = {won(amount)}")
    return made_of(
        DEPRECIATION,
        on,
        [won_value("amount", "그해의 감가상각비 한도", amount), won_value("yearly", "1년 감가상각비", yearly)],
        formula="감가상각비 = 취득가액 × 상각률(1 ÷ 내용연수) × 사용 개월 수 ÷ 12",
        steps=steps,
        laws=["법인세법 제23조", "법인세법 시행령 제26조", "법인세법 시행령 제28조"],
        notices=["법인세법 시행규칙 별표 4(감가상각자산의 상각률표)"],
        assumptions=["정액법으로 신고한 자산의 한도이며, 법인은 장부에 비용으로 적은 금액만 인정됩니다."],
        conclusion=f"취득가액 {won(inputs.cost)}을 {inputs.years}년 정액법으로 상각하면 그해 감가상각비는 {won(amount)}까지 인정됩니다.",
    )


def executive_severance_limit(inputs: ExecutiveSeveranceInput, on: date) -> Calculation:
    """A tenth of the last year's pay × years of service where the articles set nothing (법인세법 시행령 제44조제4항, 시행규칙 제22조제5항)."""
    law = rates("company_tax", on)
    share = law["executive_severance_percent"]
    years, months = divmod(inputs.months_of_service, 12)
    limit = rounded(Decimal(inputs.yearly_pay) * share / 100 * inputs.months_of_service / 12)
    served = f"{years}년 {months}개월" if months else f"{years}년"
    factor = f"{years}년" if not months else f"{number(inputs.months_of_service)}개월 ÷ 12"
    return made_of(
        EXECUTIVE_SEVERANCE,
        on,
        [won_value("limit", "손금 한도", limit)],
        formula="손금 한도 = 퇴직 전 1년 총급여 × 10% × 근속연수(1년 미만은 월수)",
        steps=[f"{won(inputs.yearly_pay)} × {percent(share)} × {factor} = {won(limit)}"],
        laws=["법인세법 시행령 제44조", "법인세법 시행규칙 제22조"],
        assumptions=[
            "정관(정관이 위임한 퇴직급여지급규정 포함)에 임원 퇴직금이 정해져 있으면 그 금액이 한도입니다.",
            "법인이 비용으로 인정받는 한도이고, 임원이 낼 퇴직소득세의 한도(소득세법 제22조)는 따로 계산합니다.",
        ],
        conclusion=(
            f"정관에 임원 퇴직금 규정이 없으면 총급여 {won(inputs.yearly_pay)}에 {served} 근속한 임원의 퇴직금은 "
            f"{won(limit)}까지 비용(손금)으로 인정됩니다."
        ),
    )
