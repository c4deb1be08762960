"""Sums read from questions as owners type them; the phrasings were written before the patterns."""

from __future__ import annotations

import re

import pytest

from schemas.calculations import Calculation
from tests.support.calculations import TODAY, amounts
from tests.support.owner_sums import ASKED_ON, NO_SUMS, OWNER_SUMS
from utils.calculators.reading.from_text import MissingInputs, calculate_from_text
from utils.calculators.registry import CALCULATORS

# (calculator, question, value, amount) - each amount by hand; the articles stand in the tests of the calculators
COMPUTED = [
    ("weekly_holiday_pay", "시급 11,000원, 주 5일 하루 5시간 일하는 알바 주휴수당이 얼마예요?", "weekly", 55_000),
    ("weekly_holiday_pay", "알바 시급 만이천원에 주 20시간이면 주휴수당 얼마 줘야 하나요", "weekly", 48_000),
    ("weekly_holiday_pay", "주휴수당 계산해 주세요. 시급 10320원이고 하루 8시간씩 주5일 근무해요", "weekly", 82_560),
    ("weekly_holiday_pay", "주 14시간 일하는 알바생 시급 1만1천원인데 주휴수당 줘야 해요?", "weekly", 0),
    ("weekly_holiday_pay", "하루 4시간 일주일에 4일 나오는 알바 주휴수당? 시급은 11000", "weekly", 35_200),
    ("weekly_holiday_pay", "주말알바 하루 8시간 이틀 일하는데 시급 11000원이면 주휴수당 얼마예요", "weekly", 35_200),
    ("weekly_holiday_pay", "주말에 하루 7시간씩 일하는 알바 시급 10500원 주휴수당 얼마 줘요", "weekly", 0),
    (
        "overtime_pay",
        "직원 8명 공장인데 통상시급 13,000원 직원이 밤 8시부터 새벽 2시까지 연장근무 했어요 (낮에 8시간 일함) 수당 얼마 줘요",
        "total",
        143_000,  # 6 × 1.5 + 4 × 0.5 hours
    ),
    (
        "overtime_pay",
        "직원 6명 카페인데 시급 11500원 알바가 밤 9시부터 12시까지 3시간 더 일했어요 연장수당 얼마",
        "total",
        63_250,  # 3 × 1.5 + 2 × 0.5 hours: twelve at night is midnight
    ),
    ("overtime_pay", "직원 5명인데 추석에 8시간 일하면 시급 12000원 수당 얼마", "total", 144_000),
    ("monthly_pay", "시급 10320원에 하루 8시간 주5일이면 한달에 얼마 줘야 해요", "monthly", 2_156_880),
    ("monthly_pay", "알바 시급 만이천원 주 20시간 일하면 한 달 월급 얼마예요", "monthly", 1_248_000),
    ("monthly_pay", "시급 12000 주 15시간 월급에 주휴수당 포함하면 얼마", "monthly", 936_000),
    ("monthly_pay", "하루 5시간씩 주 4일 시급 11000원이면 한달에 주휴까지 얼마 줘야 해요?", "monthly", 1_144_000),
    ("monthly_pay", "시급 11000원 주 20시간, 주휴수당까지 주면 한 달에 얼마예요", "monthly", 1_144_000),
    ("weekly_holiday_pay", "시급 11000원 주 20시간이면 주휴수당까지 줘야 해요? 얼마예요", "weekly", 44_000),
    ("loan_payment", "정책자금 5천 연 3.5%면 거치기간에 한 달 이자 얼마예요", "interest", 145_833),
    ("loan_payment", "3천만원 대출 금리 4% 5년 원리금균등이면 매달 얼마 갚아요", "payment", 552_496),
    ("loan_payment", "은행에서 2천만원 연 6프로로 빌리면 한달 이자가 얼만가요, 얼마", "interest", 100_000),
    ("guarantee_fee", "보증서대출 3천 받는데 보증료율 1%고 5년이면 보증료 총 얼마", "fee", 1_500_000),
    ("guarantee_fee", "신용보증재단 보증료 0.8% 2천만원이면 1년에 얼마 내요", "fee", 160_000),
    ("membership_refund", "PT 20회 100만원 결제하고 5번 받았는데 환불하면 얼마 돌려줘요", "refund", 650_000),
    ("membership_refund", "헬스장 6개월 42만원 회원이 2개월 다니고 환불 요청, 얼마 환급해줘요?", "refund", 238_000),
    ("vat", "간이과세 분식집 매출 7200만원 재료매입 계산서 카드 합쳐서 3000만원이면 부가세 얼마", "tax", 930_000),
    ("deemed_interest", "대표가 회사에서 1억 빌렸는데 이자 얼마 받아야 하나요", "interest", 4_600_000),
    ("minimum_wage", "월급 200만원이면 최저임금 위반인가요?", "shortfall_hourly", 751),
    ("minimum_wage", "시급 10,500원이면 최저임금 넘나요?", "shortfall_hourly", 0),
    ("minimum_wage", "주 20시간 알바 월급 100만원인데 최저임금 맞나요", "least_monthly", 1_073_280),
    ("severance_pay", "월급 250만원 직원 3년 일하고 그만두면 퇴직금", "severance", 8_612_440),
    (
        "severance_pay",
        "월 300만원 받던 직원이 2년 6개월 근무하고 퇴사하면 퇴직금이 얼마인가요?",
        "severance",
        8_607_721,
    ),
    ("severance_pay", "8개월 일한 직원 월급 220만원인데 퇴직금 줘야 하나요?", "severance", 0),
    ("severance_pay", "1년 반 다닌 직원 급여 209만원 퇴직금 얼마", "severance", 3_603_288),  # 80,000 × 30 × 548 ÷ 365
    (
        "dismissal_notice_pay",
        "월급 209만원 직원을 당장 내보내면 해고예고수당 얼마예요? 1년 일했어요",
        "notice_pay",
        2_400_000,
    ),
    ("dismissal_notice_pay", "일한 지 2개월 된 직원 월급 200만원인데 해고예고수당 줘야 해요?", "notice_pay", 0),
    ("dismissal_notice_pay", "월급 250만원인데 해고예고수당 얼마예요?", "notice_pay", 2_870_813),
    ("annual_leave", "입사 3년 된 직원 연차 며칠이에요?", "days", 16),
    ("annual_leave", "1년 6개월 다닌 직원 연차는 몇 개인가요", "days", 15),
    ("annual_leave", "5개월 된 신입 연차 며칠 줘야 하나요?", "days", 5),
    ("annual_leave", "직원 4명인 가게에서 2년 일했는데 연차 며칠인가요", "days", 0),
    ("social_insurance", "직원 월급 230만원 4대보험 회사 부담", "employer", 229_240),
    ("social_insurance", "월급 300이면 4대보험료 얼마 떼요?", "worker", 291_520),
    ("social_insurance", "직원 월급 300이면 회사가 실제로 내는 돈 얼마예요", "employer", 299_020),
    ("social_insurance", "연봉 3600이면 월급 실수령 얼마예요", "worker", 291_520),
    ("freelancer_withholding", "월 300만원 프리랜서 3.3% 떼면", "withheld", 99_000),
    ("freelancer_withholding", "강사료 50만원 기타소득 8.8% 떼면 얼마 줘야 해요", "withheld", 44_000),
    ("freelancer_withholding", "프리랜서한테 100만원 줄 때 원천징수 얼마 하나요?", "withheld", 33_000),
    ("vat", "매출 5천만원 음식점 간이과세 부가세", "tax", 750_000),
    ("vat", "간이과세자 카페인데 1년 매출 6천만원이면 부가세 얼마 나와요?", "tax", 900_000),
    ("vat", "매출 1억에 매입 6천만원이면 부가세 얼마 내요?", "tax", 4_000_000),
    ("vat", "11만원이 부가세 포함이면 공급가액이 얼마예요?", "supply_value", 100_000),
    ("income_tax", "연봉 4천만원이면 종소세 얼마", "income_tax", 2_013_500),
    ("income_tax", "과세표준 4천만원이면 종합소득세 얼마 내나요?", "income_tax", 4_740_000),
    ("income_tax", "사업소득금액 5천만원 소득세 계산", "income_tax", 6_015_000),
    ("corporate_tax", "과세표준 3억이면 법인세 얼마예요?", "corporate_tax", 40_000_000),
    ("corporate_tax", "법인 순이익 1억 법인세 얼마 나와요", "corporate_tax", 10_000_000),
    ("lease_deposit", "보증금 5천 월세 200 환산보증금", "converted", 250_000_000),
    ("lease_deposit", "보증금5천월세200 환산보증금 얼마", "converted", 250_000_000),
    ("lease_deposit", "보증금 1억에 월세 300만원인 상가 환산보증금 얼마예요?", "converted", 400_000_000),
    ("lease_deposit", "서울 상가 보증금 5천만원 월세 250만원인데 환산보증금 기준 넘나요?", "limit", 900_000_000),
    ("lease_deposit", "상가 월세 200만원인데 5% 올리면 얼마까지 올릴 수 있나요?", "rent_rise", 100_000),
    ("late_interest", "거래처가 1,000만원을 60일 늦게 줬는데 지연이자 얼마예요?", "interest", 98_630),
    ("late_interest", "월급 300만원을 30일 늦게 주면 지연이자 얼마", "interest", 49_315),
    ("overtime_pay", "연장근로 10시간 했는데 시급 12000원이면 수당 얼마예요? 직원 6명이에요", "total", 180_000),
    ("entertainment_limit", "매출 10억 중소기업 접대비 한도 얼마예요", "limit", 39_000_000),
    ("deemed_interest", "대표가 회사 돈 1억 빌려갔는데 인정이자 얼마예요", "interest", 4_600_000),
    ("filing_penalty", "부가세 100만원 신고를 안 했는데 가산세 얼마예요?", "penalty", 200_000),
    ("tax_invoice_penalty", "공급가액 1000만원 세금계산서를 늦게 발행하면 가산세가 얼마인가요?", "penalty", 100_000),
    ("depreciation", "500만원짜리 기계 내용연수 5년 감가상각 얼마씩 해요?", "amount", 1_000_000),
    ("headcount", "연인원 100명 가동일수 20일이면 상시근로자 수는?", "headcount", 5.0),
    ("rent_conversion", "상가 보증금 1억을 월세로 돌리면 얼마예요? 기준금리 2.5%", "monthly_rent", 937_500),
]


@pytest.mark.parametrize(("key", "question", "value", "amount"), COMPUTED)
def test_the_sum_of_a_question(key: str, question: str, value: str, amount: float) -> None:
    found = calculate_from_text(key, question, TODAY)
    assert found is not None
    assert not isinstance(found, MissingInputs), found.fields
    assert amounts(found)[value] == amount


@pytest.mark.parametrize(("key", "question", "amount"), OWNER_SUMS)
def test_the_sum_that_an_owner_asks(key: str, question: str, amount: float) -> None:
    """Of all calculators the one that is asked runs, and no other, so that none answers for it."""
    found = {other: calculate_from_text(other, question, ASKED_ON) for other in CALCULATORS}
    computed = [calculation for calculation in found.values() if isinstance(calculation, Calculation)]
    assert [calculation.calculator for calculation in computed] == [key]
    (calculation,) = computed
    said = "\n".join(
        [calculation.conclusion, *calculation.steps, *(f"{value.amount:,}" for value in calculation.values)]
    )
    assert re.search(rf"(?<![\d,.]){amount:,}(?![\d,])", said)
    if not amount:
        assert calculation.values[0].amount == 0


@pytest.mark.parametrize("question", NO_SUMS)
def test_figures_alone_ask_for_no_sum(question: str) -> None:
    found = [calculate_from_text(key, question, ASKED_ON) for key in CALCULATORS]
    assert not [calculation for calculation in found if isinstance(calculation, Calculation)]


MISSING = [
    ("weekly_holiday_pay", "주휴수당이 얼마예요?", ("시급", "1주 소정근로시간")),
    ("weekly_holiday_pay", "시급 만원 알바 주휴수당 얼마예요", ("1주 소정근로시간",)),
    ("severance_pay", "퇴직금 얼마나 줘야 해요? 월급은 300이에요", ("근속기간",)),
    ("severance_pay", "3년 일한 직원 퇴직금 얼마예요?", ("월급",)),
    ("dismissal_notice_pay", "1년 다닌 직원 해고예고수당 얼마예요?", ("월급이나 시급, 하루 통상임금",)),
    (
        "deposit_cancellation",
        "계약금 1천만원인데 해제하면 얼마예요?",
        ("계약금을 준 쪽과 받은 쪽 가운데 누가 해제하는지",),
    ),
    ("incorporation_tax", "자본금 5천만원 법인 설립 등록면허세 얼마예요?", ("본점을 둘 지역(과밀억제권역인지)",)),
    ("delay_damages", "조달청 계약 3천만원 5일 늦으면 지체상금 얼마예요?", ("계약의 종류(공사, 물품, 용역 등)",)),
    ("overtime_pay", "시급 11000원 야근 4시간 수당 얼마", ("상시근로자 수",)),
    ("vat", "간이과세 연매출 5천만원 부가세 얼마예요", ("업종",)),
    ("lease_deposit", "월세 200만원이면 환산보증금이 얼마예요?", ("보증금",)),
    ("rent_conversion", "보증금 1억을 월세로 전환하면 얼마", ("한국은행 기준금리",)),
    ("late_interest", "물품대금 1000만원 지연이자 얼마예요?", ("늦은 일수",)),
    ("income_tax", "종소세 얼마 나와요?", ("과세표준이나 소득금액 또는 연봉",)),
]


@pytest.mark.parametrize(("key", "question", "fields"), MISSING)
def test_a_figure_that_is_missing_is_asked_for(key: str, question: str, fields: tuple[str, ...]) -> None:
    found = calculate_from_text(key, question, TODAY)
    assert isinstance(found, MissingInputs)
    assert found.fields == fields
    assert all(field in found.sentence for field in fields)
    assert found.sentence.endswith("알려 주세요.")


NO_SUM = [
    ("weekly_holiday_pay", "주휴수당은 어떻게 계산하나요?"),
    ("weekly_holiday_pay", "주휴수당 안 주면 벌금이 얼마예요?"),
    ("weekly_holiday_pay", "월급 250만원 직원 3년 일하고 그만두면 퇴직금"),
    ("minimum_wage", "2026년 최저임금 얼마예요?"),
    ("severance_pay", "퇴직금은 언제까지 줘야 하나요?"),
    ("severance_pay", "퇴직금 14일 안에 안 주면 처벌받나요?"),
    ("social_insurance", "4대보험 가입 안 하면 과태료 얼마예요?"),
    ("income_tax", "종소세 언제 내요"),
    ("vat", "부가세 신고 기한이 언제예요?"),
    ("vat", "부가세 100만원 신고를 안 했는데 가산세 얼마예요?"),
    ("annual_leave", "연차 안 쓰면 수당 줘야 하나요?"),
    ("corporate_tax", "법인세 중간예납은 언제 내나요?"),
    ("lease_deposit", "권리금은 얼마까지 보호되나요?"),
    ("vat", "매출 1억인데 부가세 신고는 꼭 해야 하나요?"),
    ("social_insurance", "월급 100만원 알바도 4대보험 들어야 하나요?"),
    ("freelancer_withholding", "월 300만원 프리랜서도 퇴직금 줘야 하나요?"),
    ("headcount", "상시근로자 수는 어떻게 계산하나요?"),
]


@pytest.mark.parametrize(("key", "question"), NO_SUM)
def test_a_question_that_wants_no_such_sum_gets_none(key: str, question: str) -> None:
    assert calculate_from_text(key, question, TODAY) is None


@pytest.mark.parametrize("key", CALCULATORS)
@pytest.mark.parametrize(
    "question", ["", "안녕하세요", "9" * 400, "시급 " * 300, "월급 99999999999999999999원 3년 퇴직금 얼마"]
)
def test_nothing_is_too_odd_to_read(key: str, question: str) -> None:
    calculate_from_text(key, question, TODAY)


def test_what_was_assumed_is_told() -> None:
    found = calculate_from_text("severance_pay", "월급 250만원 직원 3년 일하고 그만두면 퇴직금", TODAY)
    assert found is not None
    assert not isinstance(found, MissingInputs)
    assert any("월급 전액을 통상임금으로" in assumption for assumption in found.assumptions)


def test_a_year_that_is_not_known_is_no_sum() -> None:
    """The rates of the day are asked for; where there are none, the documents answer."""
    assert (
        calculate_from_text("social_insurance", "직원 월급 230만원 4대보험 회사 부담", TODAY.replace(year=2027)) is None
    )
