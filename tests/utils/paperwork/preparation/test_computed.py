"""Sums of documents against sums done by hand."""

from __future__ import annotations

import pytest

from tests.support.paperwork import TODAY, sample, text_of
from utils.paperwork.preparation.preparation import DocumentRefused, prepared, validated_fields


def test_a_wage_statement_is_computed_by_the_calculators() -> None:
    text = text_of("wage_statement", sample("wage_statement"))
    for line in (
        "13,397원 × 12시간 × 1.5 = 241,146원",  # 근로기준법 제56조제1항
        "13,397원 × 3시간 × 0.5 = 20,096원",  # 제3항
        "13,397원 × 6시간 × 1.5 = 120,573원",  # 제2항
        "3,481,815원",  # 2,800,000 + 241,146 + 20,096 + 120,573 + 200,000 + 100,000
        "155,840원",  # 국민연금 4.75 % of 3,281,000
        "117,980원",  # 건강보험 3.595 % of 3,281,815
        "15,500원",  # 장기요양 0.4724 %
        "29,530원",  # 고용보험 0.9 %
        "4,500원",  # 지방소득세: a tenth of 45,000
        "388,350원",
        "실제 지급액: 3,093,465원",
    ):
        assert line in text


def test_without_income_tax_what_depends_on_it_stays_blank() -> None:
    text = text_of("wage_statement", sample("wage_statement", income_tax=None))
    assert "실제 지급액: ____________원" in text
    assert "3,481,815원" in text


def test_under_five_workers_hours_are_paid_without_premium() -> None:
    text = text_of("wage_statement", sample("wage_statement", headcount=4))
    assert "13,397원 × 12시간 × 1 = 160,764원" in text
    assert "야간근로수당" not in text.split("공제")[0]


def test_insurances_that_do_not_apply_are_not_deducted() -> None:
    text = text_of("wage_statement", sample("wage_statement", pension=False, health=False, employment_insurance=False))
    assert not any(name in text for name in ("국민연금\n", "건강보험\n", "장기요양보험\n", "고용보험\n"))


def test_a_day_without_known_rates_is_refused_not_guessed() -> None:
    values = validated_fields("wage_statement", sample("wage_statement", pay_date="2031-01-10"))
    with pytest.raises(DocumentRefused) as refused:
        prepared("wage_statement", values, TODAY)
    assert [finding.path for finding in refused.value.findings] == ["pay_date"]


def test_deductions_above_the_pay_are_refused() -> None:
    values = validated_fields(
        "wage_statement",
        sample("wage_statement", other_deductions=[{"name": "가불금", "amount": 9_000_000, "ground": "합의"}]),
    )
    with pytest.raises(DocumentRefused):
        prepared("wage_statement", values, TODAY)


def test_shares_after_an_investment_and_sums_of_a_plan() -> None:
    assert "10%" in text_of("letter_of_intent", sample("letter_of_intent"))  # 0.5 of 5.0 billion
    plan = text_of("business_plan", sample("business_plan"))
    assert "55,000,000원" in plan
    assert "13,000,000원" in plan
