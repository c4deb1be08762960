"""Late interest by hand: 민법 제379조 5 %, 상법 제54조 6 %, 소송촉진법 제3조 12 %, 근로기준법 시행령 제17조 20 %."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.calculations import computed, first

CASES = [
    ({"kind": "commercial", "days": 365}, 600_000),
    ({"kind": "civil", "days": 73}, 100_000),
    ({"kind": "lawsuit", "days": 365}, 1_200_000),
    ({"kind": "wage", "days": 73}, 400_000),
    ({"kind": "commercial", "days": 365, "agreed_percent": 10}, 1_000_000),
    ({"kind": "wage", "days": 365, "agreed_percent": 5}, 2_000_000),
    ({"kind": "commercial", "days": 0}, 0),
]


@pytest.mark.parametrize(("figures", "interest"), CASES)
def test_late_interest_of_ten_million_won(figures: dict[str, Any], interest: int) -> None:
    assert first("late_interest", principal=10_000_000, **figures) == interest


def test_the_article_of_the_kind_is_named() -> None:
    assert "근로기준법 시행령 제17조" in computed("late_interest", principal=1_000_000, days=10, kind="wage").laws
    assert "상법 제54조" in computed("late_interest", principal=1_000_000, days=10).laws


@given(principal=st.integers(1, 10**12), days=st.integers(0, 30_000))
def test_interest_grows_by_the_day_and_by_the_kind(principal: int, days: int) -> None:
    rates = [
        first("late_interest", principal=principal, days=days, kind=kind)
        for kind in ("civil", "commercial", "lawsuit", "wage")
    ]
    assert rates == sorted(rates)
    assert rates[0] <= first("late_interest", principal=principal, days=days + 1, kind="civil")
