"""A reader for each calculator: which figures of a question are its inputs, which it lacks, what it takes for granted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from utils.calculators.reading import contracts, labour, taxes
from utils.calculators.reading.figures import QuestionFigures
from utils.calculators.reading.reading import Reading

READERS: Mapping[str, Callable[[QuestionFigures], Reading]] = MappingProxyType(
    {
        "weekly_holiday_pay": labour.weekly_holiday,
        "overtime_pay": labour.overtime,
        "minimum_wage": labour.minimum_wage,
        "annual_leave": labour.annual_leave,
        "unused_leave_pay": labour.unused_leave,
        "severance_pay": labour.severance,
        "dismissal_notice_pay": labour.dismissal_notice,
        "wage_cut_limit": labour.wage_cut,
        "shutdown_pay": labour.shutdown,
        "headcount": labour.headcount,
        "social_insurance": labour.insurance,
        "freelancer_withholding": taxes.withholding,
        "day_labour_withholding": taxes.day_labour,
        "vat": taxes.vat,
        "card_sales_credit": taxes.card_credit,
        "tax_invoice_penalty": taxes.invoice_penalty,
        "filing_penalty": taxes.filing_penalty,
        "unregistered_penalty": taxes.unregistered_penalty,
        "cash_receipt_penalty": taxes.cash_receipt_penalty,
        "income_tax": taxes.income_tax,
        "corporate_tax": taxes.corporate_tax,
        "entertainment_limit": taxes.entertainment,
        "deemed_interest": taxes.deemed_interest,
        "depreciation": taxes.depreciation,
        "executive_severance_limit": taxes.executive_severance,
        "incorporation_tax": taxes.incorporation,
        "lease_deposit": contracts.lease,
        "rent_conversion": contracts.conversion,
        "late_interest": contracts.late_interest,
        "deposit_cancellation": contracts.deposit_cancellation,
        "delay_damages": contracts.delay_damages,
        "brokerage_fee": contracts.brokerage,
        "monthly_pay": labour.monthly_pay,
        "suit_stamp": contracts.suit_stamp,
        "membership_refund": contracts.membership_refund,
        "loan_payment": contracts.loan_payment,
        "guarantee_fee": contracts.guarantee_fee,
    }
)
