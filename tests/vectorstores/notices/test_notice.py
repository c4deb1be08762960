"""The state of a notice is that of the day asked, and what its text limits is read from it."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from schemas.funding.notices import NoticeStatus
from vectorstores.notices.notice import Notice, NoticeRecord, Span, age_limits, highest_amount, staff_limits
from vectorstores.notices.pack import NoticeData

PACKS = NoticeData.load().packs
TOLD = NoticeRecord("support", "a", "가", "file", listed=date(2026, 11, 1))


def state(day: date, pack: str = "support", **told: Any) -> NoticeStatus:
    record = replace(TOLD, **told)
    notice = Notice(record, (), (), (), (), frozenset(), frozenset(), None, Span(), Span(), False)
    return notice.status_on(day, PACKS[pack])


def test_dates_decide_and_the_last_day_is_open() -> None:
    span: dict[str, Any] = {"apply_start": date(2026, 11, 10), "apply_end": date(2026, 11, 20), "period": "마감"}
    days = {9: NoticeStatus.UPCOMING, 10: NoticeStatus.OPEN, 20: NoticeStatus.OPEN, 21: NoticeStatus.CLOSED}
    assert {day: state(date(2026, 11, day), **span) for day in days} == days


def test_what_the_source_called_open_is_closed_after_its_deadline() -> None:
    told: dict[str, Any] = {"apply_end": date(2026, 11, 20), "period": "접수중"}
    assert state(date(2026, 11, 20), **told) is NoticeStatus.OPEN
    assert state(date(2026, 11, 21), **told) is NoticeStatus.CLOSED


def test_without_a_deadline_the_wording_counts_as_long_as_the_list_is_new() -> None:
    assert state(date(2026, 11, 30), period="예산 소진시까지") is NoticeStatus.ROLLING
    assert state(date(2026, 11, 30)) is NoticeStatus.UNKNOWN
    assert state(date(2027, 3, 1), period="상시") is NoticeStatus.CLOSED
    assert state(date(2027, 3, 1)) is NoticeStatus.CLOSED


def test_an_announced_home_is_named_so_until_its_deadline() -> None:
    told: dict[str, Any] = {"period": "정정공고중", "apply_end": date(2026, 12, 1)}
    assert state(date(2026, 11, 30), "housing", **told) is NoticeStatus.UPCOMING
    assert PACKS["housing"].label_of(NoticeStatus.UPCOMING) == "공고중"
    assert state(date(2026, 12, 2), "housing", period="공고중", apply_end=date(2026, 12, 1)) is NoticeStatus.CLOSED


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("창업 3년 이내 기업", Span(None, 3)),
        ("업력 3년 이상 7년 미만 기업", Span(3, 7)),
        ("업력이 5년 이상인 기업", Span(5, None)),
        ("예비창업자,1년미만,2년미만,3년미만", Span(None, 3)),
        ("대출 기간 5년 이내", Span()),
    ],
)
def test_ages_of_companies(text: str, span: Span) -> None:
    assert age_limits(text) == span


def test_headcounts_and_amounts() -> None:
    assert staff_limits("상시근로자 5인 이상 50인 미만") == Span(5, None)
    assert staff_limits("상시근로자 10명 미만 기업") == Span(None, 9)
    assert highest_amount("최대 5천만원, 3억원 한도, 200만원") == 300_000_000
    assert highest_amount("지원 내용은 공고문 참조") is None
