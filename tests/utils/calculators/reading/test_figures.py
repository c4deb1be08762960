"""Figures by what they measure."""

from __future__ import annotations

import pytest

from tests.support.calculations import TODAY
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


@pytest.mark.parametrize(
    ("question", "hours"),
    [
        ("주 20시간", 20),
        ("하루 다섯 시간 주 3일", 15),
        ("매주 12시간", 12),
        ("주말에만 하루 6시간", 12),
        ("평일에 하루 3시간 일하고 주말에 더 나와요", None),
        ("하루 8시간", None),
        ("시급 만원", None),
    ],
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


@pytest.mark.parametrize(
    ("question", "months"),
    [
        ("12년차 직원", 132),
        ("2023년 3월 2일 입사한 직원", 44),
        ("작년 5월에 들어와서 딱 1년 채우고", 12),
        ("재작년 3월에 들어온 직원", 32),
        ("정확히 2년 일하고 그만두기 전 3개월이 92일", 24),
        ("최근 1년 총급여 8천만원", None),
        ("입사 1년 안 된 직원", None),
        ("올해 3월에 들어온 직원이 1년 되기 전까지", None),
        ("한 달에 250만원", None),
    ],
)
def test_service_is_a_span_an_ordinal_year_or_since_a_day(question: str, months: int | None) -> None:
    assert QuestionFigures(question, TODAY).months_of_service() == months


def test_days_of_service_are_counted_by_the_calendar() -> None:
    told = QuestionFigures("2022년 1월 1일 입사, 2026년 10월 31일 퇴사", TODAY)
    assert told.days_of_service() == 1_765  # 4 years with one leap day, and 304 days
    assert QuestionFigures("2년 근무", TODAY).days_of_service() == 730
    assert QuestionFigures("2023년 2월 30일 입사", TODAY).days_of_service() is None


@pytest.mark.parametrize(
    ("question", "days"),
    [("월화수목금 하루 4시간", 5), ("월~금 나와요", 5), ("토일 하루 8시간", 2), ("주 3일", 3), ("금일", None)],
)
def test_days_of_a_week(question: str, days: int | None) -> None:
    assert QuestionFigures(question, TODAY).days_a_week() == days


@pytest.mark.parametrize(
    ("question", "days"), [("기한이 2주 지났고", 14), ("하루 8시간인데 10일 늦었어요", 10), ("딱 1년 늦게", 365)]
)
def test_days_of_delay(question: str, days: int) -> None:
    assert QuestionFigures(question, TODAY).days() == days


@pytest.mark.parametrize(
    ("question", "hours"),
    [("밤 10시부터 새벽 2시까지", 4), ("오후 6시부터 밤 11시까지", 1), ("오전 9시부터 오후 6시까지", 0)],
)
def test_hours_between_clocks_that_are_night(question: str, hours: float) -> None:
    assert QuestionFigures(question, TODAY).night_hours() == hours


def test_fewer_than_five_are_four_at_most() -> None:
    assert QuestionFigures("5인 미만 사업장", TODAY).heads() == 4
    assert QuestionFigures("5인 이상 사업장", TODAY).heads() == 5
    assert QuestionFigures("직원 4명 알바 3명", TODAY).heads() == 7
