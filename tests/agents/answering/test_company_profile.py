"""Facts of the asker's company, from the profile and from the question."""

from __future__ import annotations

import pytest

from agents.answering.company_profile import with_stated_headcount
from schemas.chat import CompanyProfile, UserContext


@pytest.mark.parametrize(
    ("question", "count"),
    [
        ("직원 4명인 카페인데 야간수당 줘야 하나요?", 4),
        ("상시 근로자가 30명입니다", 30),
        ("직원이 두 명뿐인데 연차를 줘야 하나요?", 2),
        ("직원 수가 12명이에요", 12),
        ("직원 5명 안 되는데 야근수당 꼭 줘야 해요?", 4),
        ("알바 둘 쓰는 식당인데 공사로 쉬어요", 2),
        ("세 명 일하는 가게에서 괴롭힘 신고가 들어왔어요", 3),
        ("서른 명 넘는 회사인데 이력서를 바꿔야 하나요?", 30),
        ("다섯 명 모여서 협동조합 만들 수 있어요?", None),
        ("직원 두 명을 자르려고 해요", None),
        ("직원 5명을 더 뽑으려고 해요", None),
        ("직원 3명 추가 채용 시 지원금", None),
        ("근로자 5명 미만 사업장도 되나요?", 4),
        ("저까지 여섯인데 5인 이상인가요", 5),
        ("정직원 둘에 알바 셋 쓰고 있어요", 5),
        ("혼자 운영하는 꽃집이에요", 0),
        ("아내 빼고 네 명이에요", None),
        ("직원에게 줄 돈", None),
    ],
)
def test_the_headcount_is_read_from_the_question(question: str, count: int | None) -> None:
    context = with_stated_headcount(None, question)
    stated = context.company.employee_count if context and context.company else None
    assert stated == count


def test_what_the_caller_knows_stands() -> None:
    known = UserContext(company=CompanyProfile(employee_count=9, region="서울"))
    assert with_stated_headcount(known, "직원 4명인 카페입니다") is known


def test_the_rest_of_the_profile_stays() -> None:
    context = with_stated_headcount(UserContext(company=CompanyProfile(region="서울")), "직원 4명인 카페입니다")
    assert context is not None
    assert context.company == CompanyProfile(region="서울", employee_count=4)
