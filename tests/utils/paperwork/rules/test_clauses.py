"""Clauses that are void between employer and worker, and sentences that only look like them."""

from __future__ import annotations

import pytest

from utils.paperwork.rules.clauses import void_clauses
from utils.paperwork.rules.findings import Severity


def articles(text: str) -> set[str]:
    return {finding.article for finding in void_clauses("special_terms", text) if finding.severity is Severity.ERROR}


@pytest.mark.parametrize(
    "text",
    [
        "1년 안에 퇴사하면 위약금 200만원을 지급한다.",
        "근로자가 계약을 위반하면 손해배상액을 예정하여 500만원으로 한다.",
        "무단결근 1회당 5만원을 임금에서 공제한다.",
        "지각 시 1만원을 벌금으로 낸다.",
        "중도 해지하면 월급의 50%를 배상한다.",
        "계약기간을 채우지 못하고 그만두면 한 달치 월급 200만원을 반환한다.",
        "이직할 경우 위약벌로 연봉의 30%를 지급한다.",
    ],
)
def test_penalties_fixed_beforehand_are_found(text: str) -> None:
    assert "근로기준법 제20조" in articles(text)


@pytest.mark.parametrize(
    "text",
    [
        "임금에서 매월 10만원을 저축하여 회사가 보관한다.",
        "회사가 매월 20만원씩 적립하고 퇴사할 때 돌려준다.",
        "월급의 10%를 보증금으로 예치하기로 한다.",
    ],
)
def test_forced_saving_is_found(text: str) -> None:
    assert "근로기준법 제22조" in articles(text)


def test_giving_up_wages_is_found() -> None:
    assert "근로기준법 제43조제1항" in articles("무단 퇴사하면 그 달의 임금은 지급하지 않는다.")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "위약금은 정하지 않는다.",
        "근로자가 고의로 회사에 끼친 손해는 실제 손해를 배상한다.",
        "퇴사하려면 30일 전에 알린다.",
        "회사는 매월 퇴직연금 부담금을 적립한다.",
        "식대 20만원은 매월 지급한다.",
        "교육은 회사가 비용을 내어 매년 한 번 한다.",
        "결근한 날의 임금은 근로기준법에 따라 계산한다.",
    ],
)
def test_lawful_terms_are_left_alone(text: str) -> None:
    assert articles(text) == set()


@pytest.mark.parametrize(
    "text", ["퇴사 후 2년 동안 경쟁업체에 취업하지 않는다.", "해외 연수비는 3년 안에 그만두면 전액 반환한다."]
)
def test_doubtful_terms_are_warned_of(text: str) -> None:
    assert [finding.severity for finding in void_clauses("special_terms", text)] == [Severity.WARNING]
