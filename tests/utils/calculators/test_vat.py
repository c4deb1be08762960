"""VAT by hand from 부가가치세법 제30조, 제63조, 제69조, 시행령 제111조; penalties from 제60조 as amended 2025-12-23."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.calculations import amounts, computed, first
from utils.calculators.result import CalculationRefused, YearUnknown

GENERAL = [
    ({"sales": 100_000_000, "purchases": 60_000_000}, 4_000_000),
    ({"sales": 110_000_000, "purchases": 66_000_000, "sales_include_tax": True}, 4_000_000),
    ({"sales": 10_000_000, "purchases": 30_000_000}, -2_000_000),
    ({"sales": 50_000_000}, 5_000_000),
]
SIMPLIFIED = [
    ({"sales": 50_000_000, "industry": "음식점업"}, 750_000),
    ({"sales": 50_000_000, "industry": "음식점업", "purchases": 20_000_000}, 650_000),
    ({"sales": 60_000_000, "industry": "제조업"}, 1_200_000),
    ({"sales": 60_000_000, "industry": "숙박업"}, 1_500_000),
    ({"sales": 60_000_000, "industry": "건설업"}, 1_800_000),
    ({"sales": 60_000_000, "industry": "부동산임대업"}, 2_400_000),
    ({"sales": 60_000_000, "industry": "그밖의서비스업"}, 1_800_000),
    ({"sales": 48_000_000, "industry": "소매업"}, 720_000),
    ({"sales": 47_999_999, "industry": "소매업"}, 0),
    ({"sales": 24_000_000, "industry": "소매업", "months": 6}, 360_000),  # 48,000,000 a year
    ({"sales": 23_000_000, "industry": "소매업", "months": 6}, 0),
    ({"sales": 50_000_000, "industry": "소매업", "purchases": 200_000_000}, 0),  # no refund: 제63조제6항
]


@pytest.mark.parametrize(("figures", "tax"), GENERAL)
def test_general_taxpayers(figures: dict[str, Any], tax: int) -> None:
    assert first("vat", **figures) == tax


@pytest.mark.parametrize(("figures", "tax"), SIMPLIFIED)
def test_simplified_taxpayers(figures: dict[str, Any], tax: int) -> None:
    assert first("vat", kind="simplified", **figures) == tax


def test_who_is_exempt_is_told_so() -> None:
    found = computed("vat", kind="simplified", sales=30_000_000, industry="소매업")
    assert "납부의무가 면제" in found.conclusion
    assert "부가가치세법 제69조" in found.laws


def test_a_simplified_taxpayer_needs_an_industry() -> None:
    with pytest.raises(CalculationRefused, match="업종") as refused:
        computed("vat", kind="simplified", sales=50_000_000)
    assert refused.value.field == "industry"


def test_a_price_with_tax_is_split() -> None:
    assert amounts(computed("vat", kind="split", sales=110_000)) == {"supply_value": 100_000, "tax": 10_000}


FAULTS = {
    "late_issue": 100_000, "no_issue": 200_000, "paper_instead": 100_000, "late_report": 30_000, "no_report": 50_000,
    "wrong_entry": 100_000, "fictitious": 400_000, "other_name": 200_000, "overstated": 200_000,
}  # fmt: skip


@pytest.mark.parametrize(("fault", "penalty"), FAULTS.items())
def test_invoice_penalties_of_ten_million_won(fault: str, penalty: int) -> None:
    found = computed("tax_invoice_penalty", supply_value=10_000_000, fault=fault)
    assert found.values[0].amount == penalty
    assert found.laws[0].startswith("부가가치세법 제60조")


def test_the_penalties_of_the_year_before_are_refused() -> None:
    with pytest.raises(YearUnknown):
        computed("tax_invoice_penalty", supply_value=10_000_000, fault="fictitious", on="2025-06-01")


@given(price=st.integers(1, 10**13))
def test_the_parts_of_a_price_add_up(price: int) -> None:
    found = amounts(computed("vat", kind="split", sales=price))
    assert found["supply_value"] + found["tax"] == price
    assert abs(found["tax"] - found["supply_value"] / 10) <= 1


@given(sales=st.integers(48_000_000, 10**9), purchases=st.integers(0, 10**9))
def test_a_simplified_taxpayer_pays_between_nothing_and_four_percent(sales: int, purchases: int) -> None:
    tax = first("vat", kind="simplified", sales=sales, purchases=purchases, industry="부동산임대업")
    assert 0 <= tax <= sales * 0.04


def test_tax_on_top_of_a_supply_value() -> None:
    assert amounts(computed("vat", kind="added", sales=2_500_000)) == {"total": 2_750_000, "tax": 250_000}


@pytest.mark.parametrize(
    ("figures", "credit"),
    [
        ({"card_sales": 50_000_000}, 650_000),
        ({"card_sales": 1_000_000_000}, 10_000_000),  # 13 million, and 10 million at most
        ({"card_sales": 50_000_000, "previous_sales": 1_000_000_000}, 650_000),
        ({"card_sales": 50_000_000, "previous_sales": 1_000_000_001}, 0),
    ],
)
def test_the_credit_of_card_sales(figures: dict[str, int], credit: int) -> None:
    """부가가치세법 제46조제1항제3호; 시행령 제88조제3항."""
    assert computed("card_sales_credit", **figures).values[0].amount == credit


@given(sales=st.integers(1, 10**13))
def test_the_credit_of_card_sales_has_a_ceiling(sales: int) -> None:
    assert 0 <= computed("card_sales_credit", card_sales=sales).values[0].amount <= min(sales, 10_000_000)
