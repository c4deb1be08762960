"""The facts of an asker's case, and how conditions stand to them."""

from __future__ import annotations

from decimal import Decimal

import pytest

from schemas.chat import CompanyProfile, UserContext
from utils.knowledge.case import Case, Standing, case_of, deciding, fit
from utils.knowledge.conditions import parse_condition
from utils.knowledge.ranges import Range, at_least, at_most, exactly, less_than, more_than
from utils.knowledge.units import Condition, Slot


def _conditions(*written: str) -> list[Condition]:
    return [parse_condition(text) for text in written]


@pytest.mark.parametrize(
    ("question", "slot", "expected"),
    [
        ("개인사업자인데 차량 비용 되나요", Slot.BUSINESS, {"개인"}),
        ("개인 카페 하는데 장부 써야 하나요", Slot.BUSINESS, {"개인"}),
        ("법인인데 배당은 언제 하나요", Slot.BUSINESS, {"법인"}),
        ("주식회사 대표 월급은 어떻게 정해요", Slot.BUSINESS, {"법인"}),
        ("1인 법인도 의사록 써야 하나요", Slot.BUSINESS, {"법인"}),
        ("개인이랑 법인 중에 뭐가 나아요", Slot.BUSINESS, {"개인", "법인"}),
        ("법인전환하면 양도세 바로 내야 하나요", Slot.BUSINESS, {"개인", "법인"}),
        ("법인이 아니라 개인사업자예요", Slot.BUSINESS, {"개인"}),
        ("간이과세자인데 5월에 낼 부가세가 있나요?", Slot.TAXPAYER, {"간이"}),
        ("간이로 시작했는데 환급되나요", Slot.TAXPAYER, {"간이"}),
        ("일반과세자 부가세 신고", Slot.TAXPAYER, {"일반"}),
        ("정육점인데 면세라 부가세 신고 안 하죠?", Slot.TAXPAYER, {"면세"}),
        ("면세사업자 현황신고", Slot.TAXPAYER, {"면세"}),
        ("간이에서 일반으로 바뀌면 재고는요", Slot.TAXPAYER, {"간이", "일반"}),
        ("아직 사업자 없는데 지원금 되나요", Slot.STAGE, {"예비창업"}),
        ("예비창업자도 신청할 수 있나요", Slot.STAGE, {"예비창업"}),
        ("폐업하면 부가세 언제까지 신고해요?", Slot.STAGE, {"폐업"}),
        ("5월에 가게를 접었는데 세금은요", Slot.STAGE, {"폐업"}),
        ("주말 알바 4대보험 들어야 하나요", Slot.CONTRACT, {"단시간"}),
        ("계약직 2년 넘기면 정규직인가요", Slot.CONTRACT, {"기간제"}),
        ("하루 일당 주는 사람 세금 신고", Slot.CONTRACT, {"일용"}),
        ("3.3% 떼는 디자이너인데 퇴직금 달래요", Slot.CONTRACT, {"프리랜서"}),
        ("수습 기간에 최저임금 90% 줘도 되나요", Slot.CONTRACT, {"수습"}),
        ("파견 직원을 2년 넘게 써도 되나요", Slot.CONTRACT, {"파견"}),
        ("시급 11,000원 알바 주휴수당", Slot.PAY, {"시급"}),
        ("일당 20만원이면 세금 얼마 떼요?", Slot.PAY, {"일급"}),
        ("월급 250만원이면 최저임금 넘나요", Slot.PAY, {"월급"}),
        ("미국 바이어한테 파는 건 부가세가 없나요", Slot.TRADE, {"수출"}),
        ("중국에서 의류를 수입하면 관세율이 몇 %예요?", Slot.TRADE, {"수입"}),
        ("가게 월세를 5% 넘게 올려 달래요", Slot.LEASED, {"상가"}),
        ("권리금을 못 받게 하면 어떻게 하나요", Slot.LEASED, {"상가"}),
        ("원룸 전세 보증금을 못 받고 있어요", Slot.LEASED, {"주택"}),
        ("외국인 알바 비자 확인해야 하나요", Slot.FOREIGN, {"예"}),
        ("베트남에서 온 직원 퇴직금은요", Slot.FOREIGN, {"예"}),
        ("와이프를 직원으로 올리면 고용보험 되나요", Slot.FAMILY, {"예"}),
        ("아버지가 가게에서 같이 일하시는데 4대보험 들어야 하나요", Slot.FAMILY, {"예"}),
        ("카페 하는데 부가세 줄이는 법", Slot.INDUSTRY, {"음식점업"}),
        ("온라인 쇼핑몰 창업하면 신고할 게 있나요", Slot.INDUSTRY, {"통신판매업"}),
        ("학원 원장인데 부가세 내나요", Slot.INDUSTRY, {"교육서비스업"}),
        ("상가 임대업 하는데 간이 되나요", Slot.INDUSTRY, {"부동산임대업"}),
        ("서울에서 식당 열면 감면되나요", Slot.REGION, {"서울"}),
        ("성남에서 인쇄소를 하는데 공제되나요", Slot.REGION, {"성남"}),
    ],
)
def test_choices_are_read(question: str, slot: Slot, expected: set[str]) -> None:
    assert case_of([question]).get(slot) == frozenset(expected)


@pytest.mark.parametrize(
    ("question", "slot", "expected"),
    [
        ("직원이 세 명이에요", Slot.HEADCOUNT, exactly(3)),
        ("연매출 8천인데 간이 되나요", Slot.SALES, exactly(80_000_000)),
        ("작년 매출이 1억 400만원 넘었어요", Slot.SALES, more_than(104_000_000)),
        ("월 500 벌면 간이과세인가요", Slot.SALES, exactly(60_000_000)),
        ("한 달 매출이 700만원쯤 나와요", Slot.SALES, exactly(84_000_000)),
        ("반년 매출이 3억인 식당", Slot.SALES, exactly(600_000_000)),
        ("매출 3억5천이면 복식부기인가요", Slot.SALES, exactly(350_000_000)),
        ("매출이 0원인데 신고해야 하나요", Slot.SALES, exactly(0)),
        ("연매출 10억 이하면요", Slot.SALES, at_most(1_000_000_000)),
        ("창업 3년차인데 받을 지원금", Slot.BUSINESS_AGE, Range(Decimal(2), Decimal(3), open_high=True)),
        ("작년에 오픈한 카페예요", Slot.BUSINESS_AGE, Range(Decimal(0), Decimal(2), open_low=True, open_high=True)),
        ("창업한 지 5년 됐어요", Slot.BUSINESS_AGE, exactly(5)),
        ("창업 3년을 넘긴 회사가 받을 수 있는 패키지", Slot.BUSINESS_AGE, more_than(3)),
        ("업력 7년 이하 기업인데요", Slot.BUSINESS_AGE, at_most(7)),
        ("27살인데 창업하면 감면되나요", Slot.AGE, exactly(27)),
        ("만 34세예요", Slot.AGE, exactly(34)),
        ("열일곱 살 알바 써도 되나요", Slot.AGE, exactly(17)),
        ("서른넷 직원도 청년 공제가 되나요", Slot.AGE, exactly(34)),
        ("청년이 창업하면 세금 깎아 주나요", Slot.AGE, Range(Decimal(15), Decimal(34))),
        ("18세 미만 사용 금지 직종", Slot.AGE, less_than(18)),
        ("주 14시간 일하는 알바 주휴", Slot.WEEKLY_HOURS, exactly(14)),
        ("하루 5시간 주 5일 일해요", Slot.WEEKLY_HOURS, exactly(25)),
        ("주 5일 하루 5시간 일하는 알바", Slot.WEEKLY_HOURS, exactly(25)),
        ("주 3일 4시간씩 나오는 알바", Slot.WEEKLY_HOURS, exactly(12)),
        ("일주일에 15시간 미만 일하면", Slot.WEEKLY_HOURS, less_than(15)),
        ("초단시간 알바 퇴직금", Slot.WEEKLY_HOURS, less_than(15)),
        ("2년 일한 직원 퇴직금", Slot.MONTHS_OF_SERVICE, exactly(24)),
        ("6개월 된 직원을 내보내려면", Slot.MONTHS_OF_SERVICE, exactly(6)),
        ("1년 못 채우고 나간 직원 퇴직금", Slot.MONTHS_OF_SERVICE, less_than(12)),
        ("일한 지 석 달 안 된 직원 해고", Slot.MONTHS_OF_SERVICE, less_than(3)),
        ("2년 4개월 일한 직원 퇴직금", Slot.MONTHS_OF_SERVICE, exactly(28)),
        ("2024년 3개월 일한 알바", Slot.MONTHS_OF_SERVICE, exactly(3)),
        ("입사 3년 차 직원", Slot.MONTHS_OF_SERVICE, Range(Decimal(24), Decimal(36), open_high=True)),
        ("1년 넘게 근무한 알바", Slot.MONTHS_OF_SERVICE, more_than(12)),
        ("보증금 3천인 가게", Slot.DEPOSIT, exactly(30_000_000)),
        ("보증금 1억 2천만원에 월세 300", Slot.DEPOSIT, exactly(120_000_000)),
    ],
)
def test_numbers_are_read(question: str, slot: Slot, expected: Range) -> None:
    assert case_of([question]).get(slot) == expected


@pytest.mark.parametrize(
    ("question", "slot"),
    [
        ("개인정보 수집 동의를 받아야 하나요", Slot.BUSINESS),
        ("거래처가 법인인데 돈을 안 줘요", Slot.BUSINESS),
        ("회계법인에 맡기면 얼마예요", Slot.BUSINESS),
        ("간이지급명세서 언제 내요", Slot.TAXPAYER),
        ("간이대지급금 신청", Slot.TAXPAYER),
        ("유예 기간이 얼마나 되나요", Slot.TAXPAYER),
        ("거래처가 폐업했는데 못 받은 돈은요", Slot.STAGE),
        ("총수입금액이 뭐예요", Slot.TRADE),
        ("수입이 적으면 신고 안 해도 되나요", Slot.TRADE),
        ("월급에서 뭘 떼나요", Slot.PAY),
        ("외국인 손님 면세 되나요", Slot.FOREIGN),
        ("아버지 회사를 물려받으려는데요", Slot.FAMILY),
        ("지방소득세는 언제 내요", Slot.REGION),
        ("주 52시간 한도 지켜야 하나요", Slot.WEEKLY_HOURS),
        ("매출채권 3천만원을 못 받았어요", Slot.SALES),
        ("매출 3년 평균이 얼마 이하여야 하나요", Slot.SALES),
        ("계약보증금 10% 면제 기준", Slot.DEPOSIT),
        ("환산보증금이 8억인데 보호되나요", Slot.DEPOSIT),
        ("법인전환하면 양도세 내나요", Slot.STAGE),
        ("폐업한 가게에서 중고 기계를 샀어요", Slot.STAGE),
        ("중학생 자녀를 둔 직원의 육아휴직", Slot.AGE),
        ("환산보증금 기준이 뭐예요", Slot.DEPOSIT),
        ("수습 3개월 동안 90% 줘도 되나요", Slot.MONTHS_OF_SERVICE),
        ("2024년 근무한 직원 퇴직금", Slot.MONTHS_OF_SERVICE),
        ("2024년 직원이 그만뒀어요", Slot.MONTHS_OF_SERVICE),
        ("3년 동안 서류를 보관해야 하나요", Slot.BUSINESS_AGE),
        ("면세 농산물 사면 공제되나요", Slot.TAXPAYER),
    ],
)
def test_words_that_only_sound_like_a_fact_are_none(question: str, slot: Slot) -> None:
    assert case_of([question]).get(slot) is None


def test_a_later_text_replaces_what_an_earlier_text_said() -> None:
    case = case_of(["직원이 세 명인 개인사업자예요", "그럼 여섯 명이면요?"])
    assert case.get(Slot.HEADCOUNT) == exactly(6)
    assert case.get(Slot.BUSINESS) == frozenset({"개인"})
    assert case_of(["개인사업자인데요", "법인이면요?"]).get(Slot.BUSINESS) == frozenset({"법인"})


def test_a_bare_number_of_people_is_no_second_case_where_no_staff_were_spoken_of() -> None:
    assert case_of(["이사회는 언제 열어요", "그럼 여섯 명이면요?"]).get(Slot.HEADCOUNT) is None


def test_the_profile_answers_only_what_was_not_said() -> None:
    company = CompanyProfile(
        employee_count=9, region="서울 마포구", annual_revenue=50_000_000, years_in_business=2.5, industry_name="카페"
    )
    case = case_of(["직원이 세 명이에요"], UserContext(company=company, user_type="prospective"))
    assert case.get(Slot.HEADCOUNT) == exactly(3)
    assert case.get(Slot.REGION) == frozenset({"서울"})
    assert case.get(Slot.SALES) == exactly(50_000_000)
    assert case.get(Slot.BUSINESS_AGE) == Range(Decimal("2.5"), Decimal("2.5"))
    assert case.get(Slot.INDUSTRY) == frozenset({"음식점업"})
    assert case.get(Slot.STAGE) == frozenset({"예비창업"})
    assert case_of(["그럼 여섯 명이면요?"], UserContext(company=company)).get(Slot.HEADCOUNT) == exactly(6)


@pytest.mark.parametrize(
    ("question", "written", "standing"),
    [
        ("직원이 세 명이에요", ["상시근로자 < 5"], Standing.MET),
        ("직원이 세 명이에요", ["상시근로자 >= 5"], Standing.CONTRADICTED),
        ("5인 미만 사업장인데요", ["상시근로자 >= 5"], Standing.CONTRADICTED),
        ("5인 미만 사업장인데요", ["상시근로자 < 10"], Standing.MET),
        ("5인 이상 사업장인데요", ["상시근로자 >= 30"], Standing.OPEN),
        ("열 명 넘는 회사인데요", ["상시근로자 >= 10"], Standing.MET),
        ("열 명 넘는 회사인데요", ["상시근로자 != 10"], Standing.MET),
        ("직원이 세 명이에요", ["상시근로자 = 3"], Standing.MET),
        ("아내 빼고 셋이에요", ["상시근로자 >= 5"], Standing.CONTRADICTED),
        ("아내 빼고 네 명이에요", ["상시근로자 >= 5"], Standing.OPEN),
        ("연차는 며칠인가요", ["상시근로자 >= 5"], Standing.OPEN),
        ("직원이 일곱 명이에요", ["상시근로자 >= 5", "계약형태 = 수습"], Standing.OPEN),
        ("직원이 세 명이에요", ["상시근로자 >= 5", "계약형태 = 수습"], Standing.CONTRADICTED),
        ("직원이 세 명이에요", [], Standing.FREE),
        ("개인사업자예요", ["사업자 = 법인"], Standing.CONTRADICTED),
        ("개인사업자예요", ["사업자 != 법인"], Standing.MET),
        ("개인이랑 법인 중에 뭐가 나아요", ["사업자 = 법인"], Standing.OPEN),
        ("예비창업자예요", ["단계 = 예비창업 | 창업"], Standing.MET),
        # a part-timer may be on a fixed term; a freelancer is neither
        ("알바인데 퇴직금 있나요", ["계약형태 = 기간제"], Standing.OPEN),
        ("프리랜서인데 퇴직금 있나요", ["계약형태 = 기간제"], Standing.CONTRADICTED),
        ("일용직 알바인데 세금 떼나요", ["계약형태 = 일용"], Standing.MET),
        ("정직원과 계약직은 뭐가 달라요", ["계약형태 = 기간제"], Standing.MET),
        # a place lies in larger ones
        ("성남에서 공장을 하는데요", ["지역 = 과밀억제권역"], Standing.MET),
        ("성남에서 공장을 하는데요", ["지역 != 서울"], Standing.MET),
        ("대전에서 공장을 하는데요", ["지역 = 과밀억제권역"], Standing.CONTRADICTED),
        ("경기도에서 공장을 하는데요", ["지역 = 과밀억제권역"], Standing.OPEN),
        ("수도권에서 공장을 하는데요", ["지역 = 서울"], Standing.OPEN),
        # a venture is no line of business
        ("쇼핑몰 하는데요", ["업종 = 음식점업"], Standing.CONTRADICTED),
        ("쇼핑몰 하는데요", ["업종 = 벤처기업"], Standing.OPEN),
    ],
)
def test_conditions_stand_to_a_case_by_certainty(question: str, written: list[str], standing: Standing) -> None:
    assert fit(_conditions(*written), case_of([question])) is standing


def test_the_unknown_slots_of_conditions_are_what_decides() -> None:
    conditions = _conditions("상시근로자 >= 5", "근속개월 >= 12", "근속개월 < 36")
    assert deciding(conditions, case_of(["직원이 일곱 명이에요"])) == (Slot.MONTHS_OF_SERVICE,)
    assert deciding(conditions, case_of(["5인 이상이에요"])) == (Slot.MONTHS_OF_SERVICE,)
    assert deciding(_conditions("상시근로자 >= 30"), case_of(["5인 이상이에요"])) == (Slot.HEADCOUNT,)
    assert deciding([], Case()) == ()


def test_spans_that_lie_on_both_sides_of_a_limit_decide_nothing() -> None:
    assert at_least(5).compare("<", Decimal(10)) is None
    assert at_least(5).compare("<", Decimal(5)) is False
    assert at_most(5).compare("<=", Decimal(5)) is True
    assert less_than(5).compare(">=", Decimal(5)) is False


def test_staff_more_or_fewer_are_counted_from_those_said_before() -> None:
    told = ["저희 직원이 4명인데 연차 줘야 하나요?", "직원 한명 더 뽑으면요?"]
    assert case_of(told).get(Slot.HEADCOUNT) == exactly(5)
    assert case_of([*told, "직원 한명 더 뽑으면 연차는요?"]).get(Slot.HEADCOUNT) == exactly(5), "one change, said twice"
    assert case_of(["직원이 6명이에요", "두 명 그만두면요?"]).get(Slot.HEADCOUNT) == exactly(4)
    assert case_of(["직원 한명 더 뽑으면요?"]).get(Slot.HEADCOUNT) is None


def test_of_another_matter_the_facts_of_the_company_remain() -> None:
    before = ["직원이 세 명인 빵집인데 하루 알바도 4대보험 들어야 하나요?", "법인이에요"]
    case = case_of(["상표 등록은 어떻게 해요?"], before=before)
    assert case.get(Slot.HEADCOUNT) == exactly(3)
    assert case.get(Slot.BUSINESS) == frozenset({"법인"})
    assert case.get(Slot.INDUSTRY) == frozenset({"음식점업"})
    assert case.get(Slot.CONTRACT) is None
    assert case_of(["개인사업자예요"], before=before).get(Slot.BUSINESS) == frozenset({"개인"})


def test_a_simplified_taxpayer_is_a_sole_trader() -> None:
    assert case_of(["간이과세자인데요"]).get(Slot.BUSINESS) == frozenset({"개인"})
