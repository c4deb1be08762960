"""Wages by the time they are paid for."""

from __future__ import annotations

import pytest

from utils.calculators.reading.canonical import canonical
from utils.calculators.reading.pay import Pay, read_pay


@pytest.mark.parametrize(
    ("question", "pay"),
    [
        ("통상임금이 하루 9만원인 직원", Pay(daily=90_000)),
        ("시급 9500 알바", Pay(hourly=9_500)),
        ("시간당 만이천원", Pay(hourly=12_000)),
        ("한 달에 세전 250", Pay(monthly=2_500_000)),
        ("250만원 월급 주는", Pay(monthly=2_500_000)),
        ("하루 8시간 일하고 월급 300이에요", Pay(monthly=3_000_000)),
        ("연봉 4천 직원", Pay(yearly=40_000_000)),
        ("최근 1년 총급여 8천만원", Pay(yearly=80_000_000)),
        ("최근 3개월 급여 총 900만원", Pay(of_3_months=9_000_000)),
        ("최근 3개월 급여 900만원", Pay()),
        ("통상임금 15,000원", Pay(hourly=15_000)),
        ("평균임금 10만원", Pay(daily=100_000)),
        ("월 매출 500만원", Pay()),
        ("매달 25만원씩 퇴직금이라고 줬어요", Pay()),
        ("보증금 3천 월세 120", Pay()),
    ],
)
def test_a_wage_is_of_the_time_beside_it(question: str, pay: Pay) -> None:
    assert read_pay(canonical(question)) == pay


def test_a_day_of_a_month_or_of_hours() -> None:
    assert Pay(hourly=12_000).a_day(None) == 96_000
    assert Pay(hourly=12_000).a_day(4) == 48_000
    assert Pay(monthly=3_135_000).a_day(None) == 120_000
    assert Pay(yearly=36_000_000).a_month() == 3_000_000
    assert Pay(monthly=3_000_000).a_year() == 36_000_000
    assert Pay().a_day(8) is None
