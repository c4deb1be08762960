"""Leases by hand from 상가건물 임대차보호법 시행령 제2조, 제4조, 제5조 and 주택임대차보호법 시행령 제9조."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.calculations import amounts, computed, first
from utils.calculators.result import CalculationRefused


def test_the_converted_deposit() -> None:
    found = computed("lease_deposit", deposit=50_000_000, monthly_rent=2_000_000)
    assert amounts(found) == {"converted": 250_000_000, "rent_rise": 100_000, "deposit_rise": 2_500_000}
    assert found.steps[0] == "50,000,000원 + 2,000,000원 × 100 = 250,000,000원"


@pytest.mark.parametrize(
    ("region", "rent", "applies"),
    [
        ("서울", 8_500_000, True),  # 50,000,000 + 850,000,000 = 900,000,000: the limit itself
        ("서울", 8_500_001, False),
        ("과밀억제권역", 6_400_000, True),
        ("부산", 6_400_001, False),
        ("광역시등", 4_900_000, True),
        ("그밖의지역", 3_200_001, False),
    ],
)
def test_the_limits_of_regions(region: str, rent: int, applies: bool) -> None:
    found = computed("lease_deposit", deposit=50_000_000, monthly_rent=rent, region=region)
    assert ("모두 적용되고" in found.conclusion) == applies
    assert ("적용되지 않습니다" in found.conclusion) == (not applies)


def test_a_lease_without_figures_is_refused() -> None:
    with pytest.raises(CalculationRefused):
        computed("lease_deposit", deposit=0)


CONVERSION = [
    ({"base_rate_percent": 2.5}, 937_500),  # 2.5 × 4.5 = 11.25 %
    ({"base_rate_percent": 3.0}, 1_000_000),  # 13.5 % > 12 %
    ({"base_rate_percent": 2.5, "kind": "house"}, 375_000),  # 4.5 %
    ({"base_rate_percent": 9.0, "kind": "house"}, 833_333),  # 10 %
]


@pytest.mark.parametrize(("figures", "monthly"), CONVERSION)
def test_rent_conversion(figures: dict[str, Any], monthly: int) -> None:
    assert first("rent_conversion", deposit=100_000_000, **figures) == monthly


@given(deposit=st.integers(1, 10**12), rate=st.floats(0, 20))
def test_a_shop_never_pays_more_than_one_percent_a_month(deposit: int, rate: float) -> None:
    assert 0 <= first("rent_conversion", deposit=deposit, base_rate_percent=rate) <= deposit / 100 + 1


@given(deposit=st.integers(0, 10**12), rent=st.integers(1, 10**10))
def test_a_rise_is_at_most_five_percent(deposit: int, rent: int) -> None:
    found = amounts(computed("lease_deposit", deposit=deposit, monthly_rent=rent))
    assert found["rent_rise"] * 20 <= rent
    assert found["converted"] == deposit + 100 * rent


def test_the_conclusion_tells_the_raised_amounts_or_the_limit() -> None:
    without = computed("lease_deposit", deposit=30_000_000, monthly_rent=1_200_000).conclusion
    assert "최대 31,500,000원" in without
    assert "최대 1,260,000원" in without
    within = computed("lease_deposit", deposit=50_000_000, monthly_rent=2_000_000, region="서울").conclusion
    assert "100,000원까지만 올려 최대 2,100,000원" in within
    assert computed("lease_deposit", deposit=800_000_000, region="서울").conclusion.endswith("모두 적용됩니다.")
