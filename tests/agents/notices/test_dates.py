"""Deadlines as people say them, on a Tuesday."""

from __future__ import annotations

from datetime import date

import pytest

from agents.notices.dates import times_in

TODAY = date(2026, 11, 24)


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("이번 주 마감", date(2026, 11, 24), date(2026, 11, 29)),
        ("다음 주 마감인 공고", date(2026, 11, 30), date(2026, 12, 6)),
        ("다음 달까지 접수", date(2026, 11, 24), date(2026, 12, 31)),
        ("다음 달 마감", date(2026, 12, 1), date(2026, 12, 31)),
        ("오늘 마감", TODAY, TODAY),
        ("내일까지 접수하는", TODAY, date(2026, 11, 25)),
        ("일주일 안에 마감", TODAY, date(2026, 12, 1)),
        ("10일 이내 마감", TODAY, date(2026, 12, 4)),
        ("12월 15일까지 접수하는", TODAY, date(2026, 12, 15)),
        ("접수 마감이 2026년 5월 15일인", date(2026, 5, 15), date(2026, 5, 15)),
        ("1월까지 접수", TODAY, date(2027, 1, 31)),
        ("마감 임박한 공고", TODAY, date(2026, 12, 8)),
    ],
)
def test_deadlines(text: str, first: date, last: date) -> None:
    found = times_in(text, TODAY)
    assert (found.ends_from, found.ends_to) == (first, last)


def test_a_day_within_the_period_and_years() -> None:
    assert times_in("접수 기간에 2021년 12월 21일이 포함된 공고", TODAY).open_on == date(2021, 12, 21)
    assert times_in("2021년 공고", TODAY).year == 2021
    assert times_in("작년 공고", TODAY).year == 2025
    assert times_in("오늘 점심 추천", TODAY) == times_in("", TODAY)
    assert times_in("2026년 13월 40일 마감", TODAY).ends_to is None
