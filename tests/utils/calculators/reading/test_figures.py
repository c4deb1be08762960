"""Figures by what they measure."""

from __future__ import annotations

import pytest

from utils.calculators.reading.figures import QuestionFigures


@pytest.mark.parametrize(
    ("question", "label", "won"),
    [
        ("월세 200", "월세", 2_000_000),
        ("연봉 4천", "연봉", 40_000_000),
        ("월급은 삼백만 원", "월급", 3_000_000),
        ("250만원 월급", "월급", 2_500_000),
        ("월급 300 회사 부담", "월급", 3_000_000),
        ("시급 11,000원", "시급", 11_000),
        ("월급 3년", "월급", None),
        ("월급 3.3%", "월급", None),
        ("월급 0원", "월급", None),
        ("보너스 200만원", "월급", None),
    ],
)
def test_an_amount_stands_beside_its_word(question: str, label: str, won: int | None) -> None:
    assert QuestionFigures(question, TODAY).money(label) == won


def test_an_hourly_wage_is_told_in_won() -> None:
    assert QuestionFigures("시급 9500", TODAY).money("시급", colloquial=False) == 9_500


@pytest.mark.parametrize(
    ("question", "hours"),
    [("주 20시간", 20), ("하루 다섯 시간 주 3일", 15), ("매주 12시간", 12), ("하루 8시간", None), ("시급 만원", None)],
)
def test_hours_of_a_week(question: str, hours: float | None) -> None:
    assert QuestionFigures(question, TODAY).hours_a_week() == hours


@pytest.mark.parametrize(
    ("question", "months"),
    [("3년", 36), ("2년 6개월", 30), ("1년 반", 18), ("8개월", 8), ("2026년도", None), ("일 년 매출 5천만원", None)],
)
def test_spans_of_service(question: str, months: int | None) -> None:
    assert QuestionFigures(question, TODAY).months_of_service() == months


def test_days_of_delay_may_be_told_in_months() -> None:
    assert QuestionFigures("60일 늦게", TODAY).days() == 60
    assert QuestionFigures("두 달 밀린", TODAY).days() == 60
    assert QuestionFigures("늦게", TODAY).days() is None


def test_counts_and_percentages_stand_behind_their_word() -> None:
    asked = QuestionFigures("내용연수 5년, 기준금리 2.5%, 연장 10시간, 직원 여섯 명", TODAY)
    assert (asked.count("내용연수"), asked.percent("기준금리"), asked.hours_of("연장"), asked.heads()) == (
        5,
        2.5,
        10.0,
        6,
    )
    assert asked
    assert not QuestionFigures("주휴수당이 얼마예요?", TODAY)
