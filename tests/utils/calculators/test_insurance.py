"""Premiums by hand: 2026 국민연금 4.75 %, 건강 3.595 %, 장기요양 0.4724 %, 실업급여 0.9 % each, employer + 0.25 %; below 10 won cut."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.calculations import amounts, computed
from utils.calculators.result import YearUnknown


def test_a_pay_of_2_300_000_won() -> None:
    """By hand: 109,250 + 82,685→82,680 + 10,865→10,860 + 20,700 (+ 5,750)."""
    found = computed("social_insurance", monthly_pay=2_300_000)
    assert amounts(found) == {
        "employer": 229_240,
        "worker": 223_490,
        "pension": 109_250,
        "health": 82_680,
        "care": 10_860,
        "unemployment": 20_700,
        "stabilisation": 5_750,
    }
    assert "회사가 한 달에 229,240원" in found.conclusion
    assert "산재보험을 빼고" in found.conclusion


def test_the_share_of_the_company_is_about_9_97_percent() -> None:
    """FT_INS_001: 4.75 + 3.595 + 0.4724 + 0.9 + 0.25 = 9.9674."""
    assert amounts(computed("social_insurance", monthly_pay=5_000_000))["employer"] == pytest.approx(498_370, abs=50)


@pytest.mark.parametrize(
    ("today", "pay", "pension"),
    [
        ("2026-08-01", 10_000_000, 313_020),  # ceiling 6,590,000 × 4.75 % = 313,025
        ("2026-03-01", 10_000_000, 302_570),  # ceiling 6,370,000 until June
        ("2026-08-01", 300_000, 19_470),  # floor 410,000 × 4.75 % = 19,475
        ("2026-08-01", 2_300_999, 109_250),  # below 1,000 won is cut: 국민연금법 시행령 제5조
        ("2025-08-01", 2_000_000, 90_000),
    ],
)
def test_the_pension_has_a_floor_and_a_ceiling(today: str, pay: int, pension: int) -> None:
    assert amounts(computed("social_insurance", date.fromisoformat(today), monthly_pay=pay))["pension"] == pension


def test_who_is_not_insured_pays_no_such_part() -> None:
    found = amounts(computed("social_insurance", monthly_pay=2_300_000, pension=False, unemployment=False))
    assert "pension" not in found
    assert (found["worker"], found["employer"]) == (93_540, 99_290)


def test_accident_insurance_is_the_companys_alone() -> None:
    found = amounts(computed("social_insurance", monthly_pay=2_000_000, accident_percent=0.7))
    without = amounts(computed("social_insurance", monthly_pay=2_000_000))
    assert found["employer"] - without["employer"] == 14_000
    assert found["worker"] == without["worker"]


def test_a_notice_outside_the_statutes_is_named() -> None:
    found = computed("social_insurance", monthly_pay=2_300_000)
    assert found.notices == ["보건복지부 국민연금 기준소득월액 하한액과 상한액 고시(2026년 7월~2027년 6월)"]
    assert "국민건강보험법 시행령 제44조" in found.laws


@pytest.mark.parametrize("on", ["2024-12-31", "2027-01-01"])
def test_other_years_are_refused(on: str) -> None:
    with pytest.raises(YearUnknown, match="4대보험료율"):
        computed("social_insurance", monthly_pay=2_300_000, on=on)


@given(pay=st.integers(1, 90_000_000), more=st.integers(0, 10_000_000))
def test_premiums_grow_with_the_pay_and_the_company_pays_more(pay: int, more: int) -> None:
    less, greater = (amounts(computed("social_insurance", monthly_pay=value)) for value in (pay, pay + more))
    assert less["worker"] <= greater["worker"]
    assert less["worker"] <= less["employer"]


def test_a_single_insurance_may_be_asked() -> None:
    found = computed("social_insurance", monthly_pay=2_500_000, asked="pension")
    assert found.values[0].amount == 118_750
    assert (
        found.conclusion
        == "월 보수 2,500,000원이면 국민연금 보험료는 회사와 직원이 한 달에 각각 118,750원씩 부담합니다."
    )
