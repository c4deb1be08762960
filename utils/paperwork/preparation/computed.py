"""Values that a document computes from its fields: pay, deductions, notice pay, shares. Each rests on an existing calculator."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from types import MappingProxyType, SimpleNamespace
from typing import Any

from schemas.calculations import Calculation
from utils.calculators.employment import NoticeInput, dismissal_notice_pay
from utils.calculators.insurance import SocialInsuranceInput, social_insurance
from utils.calculators.result import CalculationRefused, floored, percent, won
from utils.calculators.wages import OvertimeInput, overtime_pay
from utils.paperwork.rules.dismissal import NOTICE_DAYS, notice_is_short
from utils.paperwork.rules.findings import Finding, error
from utils.paperwork.templates.values import Blank

_BLANK_WON = "____________원"
_KINDS = (
    ("overtime_hours", "연장근로수당"),
    ("night_hours", "야간근로수당"),
    ("holiday_hours", "휴일근로수당"),
    ("long_holiday_hours", "휴일근로수당(8시간 초과)"),
)
_INSURANCES = (
    ("pension", "국민연금", "국민연금법 제88조"),
    ("health", "건강보험", "국민건강보험법 제76조"),
    ("care", "장기요양보험", "노인장기요양보험법 제9조"),
    ("unemployment", "고용보험", "보험료징수법 제13조"),
)


class ComputationRefused(ValueError):
    """The fields do not allow the computation; ``finding`` says which and why."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.message)
        self.finding = finding


def computed_values(key: str, values: Any, today: date) -> dict[str, Any]:
    """Return the computed names of a type with their values as templates print them.

    Raises:
        ComputationRefused: the figures do not allow it, as where no rates are known for the day of payment.
    """
    compute = _COMPUTATIONS.get(key)
    return compute(values, today) if compute is not None else {}


def _dismissal(values: Any, today: date) -> dict[str, Any]:
    short = notice_is_short(values)
    pay: Any = Blank(_BLANK_WON)
    if short and values.daily_ordinary_wage:
        inputs = NoticeInput.model_validate(
            {"daily_ordinary_wage": values.daily_ordinary_wage, "months_of_service": NOTICE_DAYS}
        )
        pay = won(_amount(dismissal_notice_pay(inputs, today), "notice_pay"))
    return {"notice_is_short": short, "notice_pay": pay}


def _investment(values: Any, today: date) -> dict[str, Any]:
    if values.amount is None or values.pre_money is None:
        return {"share_after": Blank("______%")}
    share = Decimal(values.amount) / (values.amount + values.pre_money) * 100
    return {"share_after": percent(share.quantize(Decimal("0.01")))}


def _plan(values: Any, today: date) -> dict[str, Any]:
    def total(name: str) -> Any:
        amounts = [getattr(row, name) for row in values.budget]
        return won(sum(amounts)) if amounts and None not in amounts else Blank(_BLANK_WON)

    return {"grant_total": total("grant"), "own_total": total("own")}


@dataclass(slots=True)
class _Sheet:
    """The lines of a wage statement while they are summed; amounts in won."""

    earnings: list[SimpleNamespace] = field(default_factory=list)
    deductions: list[SimpleNamespace] = field(default_factory=list)
    calculations: list[SimpleNamespace] = field(default_factory=list)
    earned: int = 0
    taxable: int = 0
    deducted: int = 0

    def earn(self, name: str, amount: int, basis: str, *, tax_free: bool = False) -> None:
        self.earnings.append(SimpleNamespace(name=name, amount=won(amount), basis=basis))
        self.earned += amount
        self.taxable += 0 if tax_free else amount

    def deduct(self, name: str, amount: int, basis: str) -> None:
        self.deductions.append(SimpleNamespace(name=name, amount=won(amount), basis=basis))
        self.deducted += amount

    def explain(self, text: str) -> None:
        self.calculations.append(SimpleNamespace(text=text))


def _wages(values: Any, today: date) -> dict[str, Any]:
    sheet = _Sheet()
    if values.base_pay is not None:
        sheet.earn("기본급", values.base_pay, values.base_pay_basis or "")
    else:
        sheet.earnings.append(SimpleNamespace(name="기본급", amount=_BLANK_WON, basis=values.base_pay_basis or ""))
    try:
        _premiums(sheet, values, today)
        for row in values.allowances:
            free = "비과세" if row.tax_free else ""
            sheet.earn(row.name, row.amount, ", ".join(filter(None, (row.basis, free))), tax_free=row.tax_free)
        if values.base_pay is not None:
            _insurance(sheet, values, values.pay_date or today)
    except CalculationRefused as refused:
        path = "pay_date" if refused.field == "on" else "base_pay"
        raise ComputationRefused(error(path, refused.message, "국민연금법 제88조")) from refused
    _taxes(sheet, values)
    for row in values.other_deductions:
        sheet.deduct(row.name, row.amount, row.ground or "")
    return _sums(sheet, values)


def _premiums(sheet: _Sheet, values: Any, today: date) -> None:
    """Add the pay for overtime, night and holiday hours, each by the calculator (근로기준법 제56조)."""
    for name, label in _KINDS:
        hours = getattr(values, name)
        if not hours:
            continue
        inputs = OvertimeInput.model_validate(
            {"hourly_wage": values.hourly_ordinary_wage, "headcount": values.headcount, name: hours}
        )
        found = overtime_pay(inputs, today)
        if amount := _amount(found, "total"):
            sheet.earn(label, amount, "; ".join(step.partition(": ")[2] for step in found.steps))


def _insurance(sheet: _Sheet, values: Any, on: date) -> None:
    """Deduct the worker's shares of the social insurances by the calculator; what is tax-free does not count."""
    if not sheet.taxable:
        return
    inputs = SocialInsuranceInput.model_validate(
        {"monthly_pay": sheet.taxable, "pension": values.pension, "unemployment": values.employment_insurance}
    )
    found = social_insurance(inputs, on)
    amounts = {value.name: int(value.amount) for value in found.values}
    for name, label, law in _INSURANCES:
        if name in amounts and (values.health or name not in ("health", "care")):
            sheet.deduct(label, amounts[name], law)
    shown = [step for step in found.steps if "회사와 직원 각각" in step]
    for step in shown:
        if values.health or not step.startswith(("건강보험", "장기요양")):
            sheet.explain(step.replace(" (회사와 직원 각각)", "").replace("(회사와 직원 각각)", ""))
    sheet.explain(
        f"사회보험료는 비과세를 뺀 이번 달 보수 {won(sheet.taxable)}에 {on.year}년 {on.month}월의 요율로 셈했습니다. "
        "공단이 고지한 금액이 다르면 그 금액으로 고치십시오."
    )


def _taxes(sheet: _Sheet, values: Any) -> None:
    """Deduct income tax as told and a tenth of it as local tax (지방세법 제103조의13); without it both stay blank."""
    if values.income_tax is None:
        for name in ("근로소득세", "지방소득세"):
            sheet.deductions.append(SimpleNamespace(name=name, amount=_BLANK_WON, basis="소득세법 제134조"))
        return
    local = floored(Decimal(values.income_tax) / 10)
    sheet.deduct("근로소득세", values.income_tax, "소득세법 제134조(간이세액표)")
    sheet.deduct("지방소득세", local, "지방세법 제103조의13")
    sheet.explain(f"지방소득세: {won(values.income_tax)} × 10% = {won(local)}")


def _sums(sheet: _Sheet, values: Any) -> dict[str, Any]:
    if sheet.deducted > sheet.earned and values.base_pay is not None:
        message = f"공제 총액({won(sheet.deducted)})이 임금 총액({won(sheet.earned)})보다 많습니다."
        raise ComputationRefused(error("other_deductions", message, "근로기준법 제43조제1항"))
    is_known = values.base_pay is not None
    is_settled = is_known and values.income_tax is not None
    blank = Blank(_BLANK_WON)
    return {
        "earnings": sheet.earnings,
        "deductions": sheet.deductions,
        "calculations": sheet.calculations,
        "has_calculations": bool(sheet.calculations),
        "total_pay": won(sheet.earned) if is_known else blank,
        "total_deductions": won(sheet.deducted) if is_settled else blank,
        "net_pay": won(sheet.earned - sheet.deducted) if is_settled else blank,
    }


def _amount(found: Calculation, name: str) -> int:
    return int(next(value.amount for value in found.values if value.name == name))


_COMPUTATIONS: Mapping[str, Callable[[Any, date], dict[str, Any]]] = MappingProxyType(
    {"business_plan": _plan, "dismissal_notice": _dismissal, "letter_of_intent": _investment, "wage_statement": _wages}
)
