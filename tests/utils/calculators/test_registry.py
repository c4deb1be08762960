"""The set of calculators: the keys that documents may name, and what every calculation carries."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.calculations import computed
from utils.calculators.registry import CALCULATORS
from utils.knowledge import units

EXAMPLES: dict[str, dict[str, Any]] = {
    "weekly_holiday_pay": {"hourly_wage": 11_000, "weekly_hours": 25},
    "overtime_pay": {"hourly_wage": 15_000, "headcount": 5, "overtime_hours": 2},
    "minimum_wage": {"monthly_pay": 2_000_000},
    "annual_leave": {"months_of_service": 30},
    "severance_pay": {"wages_of_3_months": 9_000_000, "days_of_service": 730},
    "dismissal_notice_pay": {"hourly_wage": 11_000, "months_of_service": 8},
    "social_insurance": {"monthly_pay": 2_300_000},
    "freelancer_withholding": {"payment": 3_000_000},
    "vat": {"sales": 50_000_000},
    "tax_invoice_penalty": {"supply_value": 10_000_000, "fault": "late_issue"},
    "filing_penalty": {"tax": 1_000_000},
    "income_tax": {"taxable_income": 40_000_000},
    "corporate_tax": {"taxable_income": 300_000_000},
    "entertainment_limit": {"revenue": 1_000_000_000},
    "deemed_interest": {"amount": 100_000_000},
    "depreciation": {"cost": 10_000_000, "years": 5},
    "lease_deposit": {"deposit": 50_000_000, "monthly_rent": 2_000_000},
    "rent_conversion": {"deposit": 100_000_000, "base_rate_percent": 2.5},
    "late_interest": {"principal": 10_000_000, "days": 30},
    "headcount": {"person_days": 100, "working_days": 20},
    "unused_leave_pay": {"daily_wage": 80_000, "days": 5},
    "wage_cut_limit": {"monthly_pay": 2_800_000},
    "shutdown_pay": {"daily_average_wage": 100_000, "days": 5},
    "day_labour_withholding": {"daily_pay": 200_000},
    "card_sales_credit": {"card_sales": 50_000_000},
    "unregistered_penalty": {"sales": 30_000_000},
    "cash_receipt_penalty": {"amount": 500_000},
    "executive_severance_limit": {"yearly_pay": 80_000_000, "months_of_service": 84},
    "incorporation_tax": {"capital": 100_000_000, "metropolitan": True},
    "deposit_cancellation": {"deposit": 20_000_000, "withdrawing": "receiver"},
    "delay_damages": {"contract": 50_000_000, "days": 10, "work": "goods"},
    "brokerage_fee": {"deposit": 50_000_000, "monthly_rent": 2_000_000},
    "monthly_pay": {"hourly_wage": 12_000, "weekly_hours": 20},
    "suit_stamp": {"claim": 30_000_000},
    "membership_refund": {"paid": 1_000_000, "total": 10, "used": 3},
    "loan_payment": {"principal": 50_000_000, "annual_percent": 3.5},
    "guarantee_fee": {"guaranteed": 30_000_000, "annual_percent": 1},
}


def test_documents_may_name_the_calculators_there_are() -> None:
    assert set(CALCULATORS) == units.CALCULATORS == set(EXAMPLES)


@pytest.mark.parametrize("key", CALCULATORS)
def test_a_calculation_stands_alone(key: str) -> None:
    found = computed(key, **EXAMPLES[key])
    assert found.calculator == key
    assert found.label == CALCULATORS[key].label
    assert found.values
    assert found.formula
    assert found.steps
    assert found.laws or found.notices  # what a contract sets rests on no article
    assert found.conclusion.endswith("니다.")
    assert found.conclusion.count("니다.") == 1, "one sentence"


@pytest.mark.parametrize("key", CALCULATORS)
def test_every_field_is_described_in_korean(key: str) -> None:
    schema = CALCULATORS[key].inputs.model_json_schema()
    for name, field in schema["properties"].items():
        assert any("가" <= letter <= "힣" for letter in field["description"]), name


@pytest.mark.parametrize("key", CALCULATORS)
def test_a_text_or_a_truth_value_is_no_number(key: str) -> None:
    name, value = next(iter(EXAMPLES[key].items()))
    for wrong in (str(value), True):
        with pytest.raises(ValueError, match=name):
            computed(key, **{**EXAMPLES[key], name: wrong})
    with pytest.raises(ValueError, match="unknown"):
        computed(key, **EXAMPLES[key], unknown=1)


@pytest.mark.parametrize("key", CALCULATORS)
def test_limits_stand_in_the_schema(key: str) -> None:
    """An optional number keeps its limits where the OpenAPI document looks for them."""
    for field in CALCULATORS[key].inputs.model_json_schema()["properties"].values():
        for choice in field.get("anyOf", [field]):
            if choice.get("type") in ("integer", "number"):
                assert "maximum" in choice
                assert {"minimum", "exclusiveMinimum"} & set(choice)
