"""The rules of work rules and wage statements."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.paperwork import errors, found, sample, text_of, warnings


@pytest.mark.parametrize(
    ("changes", "path", "article"),
    [
        ({"weekly_hours": 44}, "weekly_hours", "제50조"),
        ({"wage_cut_once_percent": 60}, "wage_cut_once_percent", "제95조"),
        ({"wage_cut_total_percent": 20}, "wage_cut_total_percent", "제95조"),
        ({"retirement_age": 58}, "retirement_age", "제19조"),
        ({"break_end": "12:30"}, "break_end", "제54조"),
        ({"break_start": "19:00", "break_end": "20:00"}, "break_start", "제54조"),
        ({"extra_rules": "무단결근 1회에 벌금 10만원을 낸다."}, "extra_rules", "제20조"),
    ],
)
def test_unlawful_work_rules_are_refused(changes: dict[str, Any], path: str, article: str) -> None:
    assert article in errors("work_rules", sample("work_rules", **changes))[path]


def test_work_rules_follow_the_headcount() -> None:
    assert found("work_rules", sample("work_rules")) == ()
    assert "신고한다" in text_of("work_rules", sample("work_rules"))
    eight, three = sample("work_rules", headcount=8), sample("work_rules", headcount=3)
    assert warnings("work_rules", eight) == {"headcount": "근로기준법 제93조"}
    assert "고용노동부장관에게 신고한다" not in text_of("work_rules", eight)
    assert "15일, 1년 미만" in text_of("work_rules", eight)
    assert "제60조는 의무로 적용되지 않으며" in text_of("work_rules", three)


@pytest.mark.parametrize(
    ("changes", "path", "article"),
    [
        ({"period_end": "2026-10-01"}, "period_end", ""),
        ({"hourly_ordinary_wage": None}, "hourly_ordinary_wage", "제56조"),
        ({"headcount": None}, "headcount", "제11조"),
        ({"other_deductions": [{"name": "지각 벌금", "amount": 10_000}]}, "other_deductions.0.name", "제20조"),
    ],
)
def test_unlawful_wage_statements_are_refused(changes: dict[str, Any], path: str, article: str) -> None:
    assert article in errors("wage_statement", sample("wage_statement", **changes))[path]


def test_deductions_need_a_ground() -> None:
    bare = sample("wage_statement", other_deductions=[{"name": "기타", "amount": 1_000}])
    assert "other_deductions.0.ground" in warnings("wage_statement", bare)
    damage = sample("wage_statement", other_deductions=[{"name": "파손 변상", "amount": 1_000, "ground": "합의"}])
    assert warnings("wage_statement", damage)["other_deductions.0.name"] == "근로기준법 제43조제1항"
    assert "period_end" in warnings("wage_statement", sample("wage_statement", period_start="2026-09-01"))
