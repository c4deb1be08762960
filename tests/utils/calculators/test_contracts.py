"""Contracts and claims by hand from 민법 제565조, 국가계약법 시행규칙 제75조, 지방계약법 시행규칙 제75조, 공인중개사법 시행규칙 제20조 and
민사소송 등 인지법 제2조, 제7조, 제16조."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.calculations import amounts, computed, first
from utils.calculators.result import CalculationRefused


def test_who_took_the_deposit_returns_it_twofold() -> None:
    assert amounts(computed("deposit_cancellation", deposit=20_000_000, withdrawing="receiver")) == {
        "to_pay": 40_000_000,
        "loss": 20_000_000,
    }


def test_who_gave_the_deposit_forfeits_it() -> None:
    found = computed("deposit_cancellation", deposit=5_000_000, withdrawing="giver")
    assert found.values[0].amount == 5_000_000
    assert "포기해야 합니다" in found.conclusion


DELAY = [
    ({"contract": 50_000_000, "days": 10, "work": "goods"}, 375_000),
    ({"contract": 50_000_000, "days": 10, "work": "goods", "client": "local"}, 400_000),
    ({"contract": 100_000_000, "days": 15, "work": "works"}, 750_000),
    ({"contract": 80_000_000, "days": 20, "work": "services"}, 2_000_000),
    ({"contract": 80_000_000, "days": 20, "work": "services", "client": "local"}, 2_080_000),
    ({"contract": 10_000_000, "days": 4, "work": "transport"}, 100_000),
    ({"contract": 10_000_000, "days": 400, "work": "services"}, 3_000_000),  # 30 % at most
    ({"contract": 10_000_000, "days": 0, "work": "works"}, 0),
]


@pytest.mark.parametrize(("figures", "damages"), DELAY)
def test_delay_damages(figures: dict[str, Any], damages: int) -> None:
    assert first("delay_damages", **figures) == damages


@given(contract=st.integers(1, 10**12), days=st.integers(0, 3_000))
def test_damages_never_exceed_three_tenths(contract: int, days: int) -> None:
    found = amounts(computed("delay_damages", contract=contract, days=days, work="transport"))
    assert 0 <= found["damages"] <= found["maximum"] <= contract * 3 // 10


BROKERAGE = [
    ({"deposit": 50_000_000, "monthly_rent": 2_000_000}, 2_250_000),
    ({"deposit": 10_000_000, "monthly_rent": 500_000}, 540_000),  # 60 million: × 100
    ({"deposit": 10_000_000, "monthly_rent": 300_000}, 279_000),  # 40 million by × 100, so 10 + 21 million
    ({"deposit": 30_000_000}, 270_000),
    ({"price": 500_000_000}, 4_500_000),
]


@pytest.mark.parametrize(("figures", "fee"), BROKERAGE)
def test_brokerage_of_shops(figures: dict[str, Any], fee: int) -> None:
    assert first("brokerage_fee", **figures) == fee


@pytest.mark.parametrize("figures", [{}, {"deposit": 1_000, "price": 1_000}])
def test_a_deal_is_a_lease_or_a_sale(figures: dict[str, int]) -> None:
    with pytest.raises(CalculationRefused):
        computed("brokerage_fee", **figures)


STAMP = [
    ({"claim": 100_000}, 1_000),  # 500 won, and 1,000 at least
    ({"claim": 9_999_999}, 49_900),
    ({"claim": 10_000_000}, 50_000),
    ({"claim": 30_000_000}, 140_000),
    ({"claim": 100_000_000}, 455_000),
    ({"claim": 1_000_000_000}, 4_055_000),
    ({"claim": 8_000_000, "kind": "payment_order"}, 4_000),
    ({"claim": 30_000_000, "electronic": True}, 126_000),
]


@pytest.mark.parametrize(("figures", "stamp"), STAMP)
def test_the_stamp_of_a_claim(figures: dict[str, Any], stamp: int) -> None:
    assert first("suit_stamp", **figures) == stamp


@given(claim=st.integers(1, 10**12), more=st.integers(0, 10**11))
def test_the_stamp_grows_with_the_claim(claim: int, more: int) -> None:
    assert first("suit_stamp", claim=claim) <= first("suit_stamp", claim=claim + more)


REFUNDS = [
    ({"paid": 1_500_000, "total": 30, "used": 8, "penalty_percent": 10}, 950_000),
    ({"paid": 420_000, "total": 6, "used": 2}, 238_000),
    ({"paid": 1_000_000, "total": 10, "used": 0}, 900_000),
    ({"paid": 1_000_000, "total": 10, "used": 10}, 0),  # nothing is left, and nothing is owed on top
]


@pytest.mark.parametrize(("figures", "refund"), REFUNDS)
def test_refund_of_a_membership(figures: dict[str, Any], refund: int) -> None:
    assert first("membership_refund", **figures) == refund


def test_no_more_is_used_than_was_contracted() -> None:
    with pytest.raises(CalculationRefused) as refused:
        computed("membership_refund", paid=1_000_000, total=10, used=11)
    assert refused.value.field == "used"
