"""The law of dismissals: notice, reasons, and those who may not be dismissed."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.paperwork import document_of, errors, found, sample, text_of, warnings

TYPE = "dismissal_notice"


def test_a_notice_of_thirty_days_passes() -> None:
    assert found(TYPE, sample(TYPE)) == ()
    assert "30일 이상 전에 하는 예고" in text_of(TYPE, sample(TYPE))


@pytest.mark.parametrize(
    ("changes", "path", "article"),
    [
        ({"dismissal_date": "2026-11-20"}, "dismissal_date", "제26조"),
        ({"hire_date": "2026-12-01"}, "notice_date", ""),
        ({"protected_period": True}, "protected_period", "제23조제2항"),
        ({"exemption": "under_three_months"}, "exemption", "제26조제1호"),
    ],
)
def test_what_the_law_forbids_is_refused(changes: dict[str, Any], path: str, article: str) -> None:
    refused = errors(TYPE, sample(TYPE, **changes))
    assert path in refused
    assert article in refused[path]


def test_a_short_notice_costs_thirty_days_of_pay() -> None:
    short = sample(TYPE, dismissal_date="2026-12-26", daily_ordinary_wage=100_000)
    assert warnings(TYPE, short)["dismissal_date"] == "근로기준법 제26조"
    assert "해고예고수당(30일분 이상의 통상임금) 3,000,000원" in text_of(TYPE, short)
    unknown = {**short, "daily_ordinary_wage": None}
    assert "통상임금) ____________원" in text_of(TYPE, unknown)
    assert "dismissal_date" not in warnings(TYPE, sample(TYPE, dismissal_date="2026-12-27"))


def test_under_three_months_no_notice_is_due() -> None:
    new = sample(TYPE, hire_date="2026-10-01", dismissal_date="2026-12-01")
    assert set(warnings(TYPE, new)) == {"exemption"}
    claimed = new | {"exemption": "under_three_months"}
    assert found(TYPE, claimed) == ()
    assert "3개월 미만 (근로기준법 제26조 단서)" in text_of(TYPE, claimed)


def test_what_depends_on_the_headcount_is_told() -> None:
    small = sample(TYPE, headcount=4)
    assert warnings(TYPE, small)["headcount"] == "근로기준법 제11조, 시행령 별표 1"
    assert "노동위원회" not in text_of(TYPE, small)
    assert "노동위원회" in text_of(TYPE, sample(TYPE))


def test_reasons_have_to_be_concrete() -> None:
    assert "reasons" in warnings(TYPE, sample(TYPE, reasons="근무 태만"))
    assert [item.path for item in document_of(TYPE, sample(TYPE, reasons=None)).missing] == ["reasons"]
    assert "제24조" in warnings(TYPE, sample(TYPE, ground="redundancy"))["ground"]
