"""All calculators by key."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from types import MappingProxyType
from typing import Any

from schemas.calculations import Calculation
from utils.calculators import (
    company,
    contracts,
    employment,
    founding,
    hours,
    insurance,
    interest,
    lease,
    penalties,
    progressive_tax,
    vat,
    wages,
    withholding,
)
from utils.calculators.result import CalculationRefused, CalculatorInput


@dataclass(frozen=True, slots=True)
class Calculator:
    """A calculator: its key, its Korean name, the model of its input and the function."""

    key: str
    label: str
    inputs: type[CalculatorInput]
    function: Callable[[Any, date], Calculation]

    def calculate(self, inputs: CalculatorInput, today: date) -> Calculation:
        """Compute by the rates of ``inputs.on``, or of today.

        Raises:
            CalculationRefused: the figures do not allow it, or no rates are known for that day.
        """
        try:
            return self.function(inputs, inputs.on or today)
        except ArithmeticError as error:  # a quotient beyond all numbers, of figures that are each allowed
            raise CalculationRefused(
                "inputs", "입력한 숫자로는 계산할 수 없습니다. 값의 크기를 확인해 주세요."
            ) from error


def _all(
    *entries: tuple[tuple[str, str], type[CalculatorInput], Callable[[Any, date], Calculation]],
) -> Mapping[str, Calculator]:
    return MappingProxyType({key: Calculator(key, label, inputs, run) for (key, label), inputs, run in entries})


CALCULATORS = _all(
    (wages.WEEKLY_HOLIDAY, wages.WeeklyHolidayInput, wages.weekly_holiday_pay),
    (wages.OVERTIME, wages.OvertimeInput, wages.overtime_pay),
    (wages.MINIMUM_WAGE, wages.MinimumWageInput, wages.minimum_wage),
    (employment.ANNUAL_LEAVE, employment.AnnualLeaveInput, employment.annual_leave),
    (employment.SEVERANCE, employment.SeveranceInput, employment.severance_pay),
    (employment.NOTICE, employment.NoticeInput, employment.dismissal_notice_pay),
    (insurance.SOCIAL_INSURANCE, insurance.SocialInsuranceInput, insurance.social_insurance),
    (withholding.WITHHOLDING, withholding.WithholdingInput, withholding.freelancer_withholding),
    (vat.VAT, vat.VatInput, vat.vat),
    (vat.INVOICE_PENALTY, vat.InvoicePenaltyInput, vat.tax_invoice_penalty),
    (penalties.FILING_PENALTY, penalties.FilingPenaltyInput, penalties.filing_penalty),
    (progressive_tax.INCOME_TAX, progressive_tax.IncomeTaxInput, progressive_tax.income_tax),
    (progressive_tax.CORPORATE_TAX, progressive_tax.CorporateTaxInput, progressive_tax.corporate_tax),
    (company.ENTERTAINMENT, company.EntertainmentInput, company.entertainment_limit),
    (company.DEEMED_INTEREST, company.DeemedInterestInput, company.deemed_interest),
    (company.DEPRECIATION, company.DepreciationInput, company.depreciation),
    (lease.LEASE_DEPOSIT, lease.LeaseDepositInput, lease.lease_deposit),
    (lease.RENT_CONVERSION, lease.RentConversionInput, lease.rent_conversion),
    (interest.LATE_INTEREST, interest.LateInterestInput, interest.late_interest),
    (employment.HEADCOUNT, employment.HeadcountInput, employment.headcount),
    (employment.UNUSED_LEAVE, employment.UnusedLeaveInput, employment.unused_leave_pay),
    (wages.WAGE_CUT, wages.WageCutInput, wages.wage_cut_limit),
    (wages.SHUTDOWN, wages.ShutdownInput, wages.shutdown_pay),
    (withholding.DAY_LABOUR, withholding.DayLabourInput, withholding.day_labour_withholding),
    (vat.CARD_CREDIT, vat.CardCreditInput, vat.card_sales_credit),
    (penalties.UNREGISTERED, penalties.UnregisteredInput, penalties.unregistered_penalty),
    (penalties.CASH_RECEIPT, penalties.CashReceiptInput, penalties.cash_receipt_penalty),
    (company.EXECUTIVE_SEVERANCE, company.ExecutiveSeveranceInput, company.executive_severance_limit),
    (founding.INCORPORATION, founding.IncorporationInput, founding.incorporation_tax),
    (contracts.DEPOSIT_CANCELLATION, contracts.DepositCancellationInput, contracts.deposit_cancellation),
    (contracts.DELAY_DAMAGES, contracts.DelayDamagesInput, contracts.delay_damages),
    (contracts.BROKERAGE, contracts.BrokerageInput, contracts.brokerage_fee),
    (hours.MONTHLY_PAY, hours.WeekInput, hours.monthly_pay),
    (contracts.SUIT_STAMP, contracts.SuitStampInput, contracts.suit_stamp),
    (contracts.MEMBERSHIP_REFUND, contracts.MembershipRefundInput, contracts.membership_refund),
    (interest.LOAN_PAYMENT, interest.LoanPaymentInput, interest.loan_payment),
    (interest.GUARANTEE_FEE, interest.GuaranteeFeeInput, interest.guarantee_fee),
)
