"""Tests of thresholds held against the figures of an asker."""

from __future__ import annotations

import pytest

from utils.conclusions.thresholds import Met, measured, met


@pytest.mark.parametrize(
    ("rule", "told", "relation"),
    [
        ("계속근로기간이 1년 이상인 직원", "11개월 일한 알바 퇴직금 줘요?", Met.NONE),
        ("계속근로기간이 1년 이상인 직원", "1년 2개월 일한 알바 퇴직금 줘요?", Met.ALL),
        ("창업 후 3년을 넘고 7년 이내인 기업", "창업한지 5년 2개월 됐는데 대상인가요", Met.ALL),
        ("청구금액이 3,000만원을 넘지 않는 사건", "800만원 소액재판 되나요?", Met.ALL),
        ("직전 연도 공급대가가 4천800만원 이상인 간이과세자", "작년 매출 4천만원인데 세금계산서 되나요?", Met.NONE),
        ("1년간 80% 이상 출근한 직원", "출근율이 75%예요", Met.NONE),
        ("상시 5명 이상 사업장", "직원 네 명인데요", Met.NONE),
        ("상시 5명 이상이고 1년 이상", "직원 여섯 명인데 6개월 다녔어요", Met.SOME),
    ],
)
def test_the_figures_of_a_question_are_held_against_the_bounds_of_a_rule(rule: str, told: str, relation: Met) -> None:
    assert met(measured(rule), tuple(measured(told))) is relation


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        ("상시 5명 이상 사업장", "11개월 일한 알바"),  # another measure
        ("상시 5명 이상 사업장", "5명 이상이면 되나요?"),  # the same bound says nothing of the asker
        ("사업장 5명", "직원 네 명"),  # no bound
        ("상시 5명 이상 사업장", "직원이 10명 미만이에요"),  # on both sides
    ],
)
def test_what_cannot_be_compared_has_no_relation(rule: str, told: str) -> None:
    assert met(measured(rule), tuple(measured(told))) is None
