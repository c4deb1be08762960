"""The staff that a question names: who is counted, and what is no number of staff."""

from __future__ import annotations

from decimal import Decimal

import pytest

from utils.knowledge.headcount import renamed_headcount, stated_headcount
from utils.knowledge.ranges import Range, at_least, at_most, less_than, more_than


def _exactly(number: str) -> Range:
    return Range(Decimal(number), Decimal(number))


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("직원 셋인데 연차 줘야 하나요", 3),
        ("직원이 세 명이에요", 3),
        ("직원 4명인 카페인데 야간수당 줘야 하나요?", 4),
        ("상시 근로자가 30명입니다", 30),
        ("직원 수가 12명이에요", 12),
        ("직원이 한 명뿐인데 주휴 안 줘도 되나요?", 1),
        ("알바 포함 네 명인데 공휴일 수당 줘야 해요?", 4),
        ("알바까지 4명인데 휴일에 나오면 1.5배 줘야 하나", 4),
        ("알바까지 세면 열한 명인 음식점이에요", 11),
        ("알바 둘 쓰는 식당인데 공사로 쉬어요", 2),
        ("정직원 둘에 알바 셋 쓰고 있어요", 5),
        ("정직원 3명이고 알바 2명인데 5인 이상인가요", 5),
        ("홀 두 명 주방 한 명인데 여름휴가를 유급으로 줘야 하나요?", 3),
        ("세 명 일하는 가게에서 괴롭힘 신고가 들어왔어요", 3),
        ("네 명이 일하는 공방인데 출산휴가를 안 줘도 되나요?", 4),
        ("열다섯 명짜리 회사인데 어떤 항목을 채우나요", 15),
        ("직원 120명 회사에서 의무 인원을 못 채우면", 120),
        ("스무 명 있는 회사예요", 20),
        ("직원이 다섯 명 중에 한 명이 그만뒀어요", 5),
        ("직원이 세 명인데 한 명을 내보내려고 해요", 3),
        ("직원 두 명 데리고 하는 빵집이에요", 2),
        ("직원 세 명을 쓰고 있는데 해고하려면요", 3),
        ("저희는 직원이 모두 일곱 명입니다", 7),
        ("평균이 4.6명이면 5인 미만인가요", Decimal("4.6")),
        # the owner is no worker (근로기준법 제2조 제1항 제1호)
        ("저까지 여섯인데 5인 이상인가요", 5),
        ("저까지 해서 여섯 명이에요", 5),
        ("저 포함 5명인데 연장수당 줘야 하나요?", 4),
        ("사장 포함 다섯 명입니다", 4),
        ("사장 포함 알바까지 여섯 명인데요", 5),
        ("저 빼고 네 명이요", 4),
        ("사장 빼고 네 명뿐인 공방인데", 4),
        ("저랑 알바 한 명 있는 무인카페도 주휴를 줘야 하는지", 1),
        ("사장이랑 직원 세 명이 하는 카센터인데", 3),
        ("혼자 일하는 1인 창조기업인데 보증 제도가 있나요", 0),
        ("1인 사업장인데 산재 들 수 있나요", 0),
        ("혼자 운영하는 꽃집이에요", 0),
        ("직원 없이 저 혼자 해요", 0),
        ("아직 직원은 없어요", 0),
        # those who live with the owner alone make no workplace (제11조 제1항 단서)
        ("아내랑 둘이서 하는 식당이에요", 0),
        ("부부 둘이 하는 가게인데요", 0),
    ],
)
def test_a_number_of_staff_is_read(question: str, expected: int | Decimal) -> None:
    assert stated_headcount(question) == _exactly(str(expected))


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("5인 미만 사업장인데 연차 줘야 하나요", less_than(5)),
        ("근로자 5명 미만 사업장도 되나요?", less_than(5)),
        ("5인 미만도 주휴수당 줘야 하나요?", less_than(5)),
        ("상시 4명 이하 사업장의 연차휴가", at_most(4)),
        ("네 명 이하도 해고예고는 해야 하나요?", at_most(4)),
        ("직원 5명 안 되는데 야근수당 꼭 줘야 해요?", less_than(5)),
        ("직원이 열 명 넘는데 사규를 만들어야 하나요", more_than(10)),
        ("서른 명 넘는 회사인데 이력서를 바꿔야 하나요?", more_than(30)),
        ("5인 이상이면 연차를 줘야 하나요", at_least(5)),
        ("30인 이상 사업장은 노사협의회가 필수인가요?", at_least(30)),
        ("직원 한 명만 있어도 해마다 받게 해야 하는 교육", at_least(1)),
        ("직원이 다섯 명 됐다 네 명 됐다 하는데 연차 줘야 하나", Range(Decimal(4), Decimal(5))),
        ("직원이 5명 정도예요", Range(Decimal(4), Decimal(6))),
        # a relative who lives with the owner counts where she works under orders (시행령 제7조의2 제4항 제2호)
        ("아내 빼고 셋이에요", Range(Decimal(3), Decimal(4))),
        ("와이프 포함 다섯 명인데 5인 이상인가요", Range(Decimal(4), Decimal(5))),
        # part-timers are workers whatever they are called (제1호), freelancers and dispatched ones are not
        ("알바 빼고 다섯 명인데 연차 줘야 해요?", more_than(5)),
        ("프리랜서 빼고 네 명이에요", _exactly("4")),
        ("프리랜서 포함 다섯 명인데요", less_than(5)),
        ("저까지 5명 미만이에요", less_than(4)),
    ],
)
def test_a_span_of_staff_is_read(question: str, expected: Range) -> None:
    assert stated_headcount(question) == expected


@pytest.mark.parametrize(
    "question",
    [
        "다섯 명 모여서 협동조합 만들 수 있어요?",
        "직원 두 명을 자르려고 해요",
        "직원 5명을 더 뽑으려고 해요",
        "직원 3명 추가 채용 시 지원금",
        "직원에게 줄 돈",
        "손님 열 명이 예약하고 안 왔어요",
        "학생 열두 명 가르치는 학원인데 등록해야 하나요",
        "친구 셋이 동업하려는데 계약서가 필요한가요",
        "공동창업자 둘 다 주주인데 월급을 받아도 되나요",
        "저까지 셋이 공동대표예요",
        "직원이 여섯 달 쉬고 싶대요",
        "직원 셋째 출산휴가는 며칠인가요",
        "직원 한 명이 그만뒀어요",
        "직원 네 명이 대지급금을 받았다는데 누가 부담하나요",
        "이사 세 명인 회사인데 이사회를 열어야 하나요",
        "연구원 두 명으로 연구소 되나요",
        "셋이 하던 학원에서 한 명이 나가는데 등록증을 그대로 써도 되나요?",
        "혼자 매장을 보는 직원인데 휴게는요",
        "사규를 사장 혼자 정해도 되나요?",
        "조합원이 다섯 명뿐인데 이사를 세 명이나 둬야 하나요?",
        "창업 3년차인데 지원금 있나요",
        "전체 직원이 2명 줄었는데 한도도 줄어드나요?",
        "여섯 명이면요?",
    ],
)
def test_other_people_and_changes_are_no_number_of_staff(question: str) -> None:
    assert stated_headcount(question) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("그럼 여섯 명이면요?", _exactly("6")),
        ("다섯 명이면?", _exactly("5")),
        ("만약 10명이라면요", _exactly("10")),
        ("그럼 5명 미만이면요?", less_than(5)),
        ("그럼 여섯 명은요?", _exactly("6")),
        ("여섯 달이면요?", None),
        ("여섯 명이면 이사회가 필요한 회사인가요 주주총회로 되나요", None),
    ],
)
def test_a_short_second_case_names_the_number_alone(text: str, expected: Range | None) -> None:
    assert renamed_headcount(text) == expected
