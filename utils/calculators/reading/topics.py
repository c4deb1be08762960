"""The sum that a question asks for: the words of each calculator's topic, and those by which another sum is meant."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from utils.calculators.reading.labour import HOLIDAY

# An executive is no worker whose severance 근로자퇴직급여 보장법 sets, unless a worker is spoken of too (대표인데 직원 퇴직금이 ...).
_EXECUTIVE = r"임원|등기 ?이사|정관|손금|^(?!.*(?:직원|알바|아르바이트|근로자|사원|일용)).*(?:대표|이사(?! ?[가간갔온]|를|하|비)|감사(?!합))"
_OVERTIME = rf"연장|야간|야근|잔업|초과 ?근무|특근|심야|{HOLIDAY}"
_A_MONTH = "(?:월 ?급|한 ?달|매달|매월|월 ?얼마)"
# A month's pay of which the weekly holiday is a part: 한 달에 주휴까지 얼마. Asked for alone, it is a sum of its own.
_HOLIDAY_IN_A_MONTH = rf"{_A_MONTH}.{{0,30}}주휴(?: ?수당)?까지|주휴(?: ?수당)?까지.{{0,30}}{_A_MONTH}"
_NOT_FILED = (
    "무신고|과소|수정 ?신고|기한 ?후|신고.{0,12}(?:안|못|깜빡|늦|누락|적게|덜|빠뜨|빼먹)|납부.{0,10}(?:안|못|늦|지연)"
    "|적게 ?신고|덜 ?신고|늦게 ?(?:내|냈|납부)|(?:세금|세를?).{0,20}(?:늦|안 ?냈|못 ?냈)"
)


@dataclass(frozen=True, slots=True)
class Topic:
    """``words`` that a question must have, and those of ``others`` that it must not. ``needs_amount``: a sum is given only to who
    asks how much, since whoever tells sales or pay and asks whether something must be done wants none."""

    words: str
    others: str | None = None
    needs_amount: bool = False

    def is_of(self, question: str) -> bool:
        return re.search(self.words, question, re.DOTALL) is not None and (
            self.others is None or re.search(self.others, question, re.DOTALL) is None
        )


def _amount(words: str, others: str | None = None) -> Topic:
    return Topic(words, others, needs_amount=True)


TOPICS: Mapping[str, Topic] = MappingProxyType(
    {
        "weekly_holiday_pay": Topic("주휴", rf"최저 ?(?:임금|시급|월급)|주휴[^?!]{{0,4}}포함|{_HOLIDAY_IN_A_MONTH}"),
        "overtime_pay": Topic(
            rf"(?:{_OVERTIME}).{{0,40}}(?:수당|임금|얼마)|(?:수당|임금).{{0,40}}(?:{_OVERTIME})",
            "주휴|연차|최저 ?(?:임금|시급|월급)|해고|휴업|퇴직금|보험|일용",
        ),
        "minimum_wage": Topic(
            "최저 ?(?:임금|시급|월급|급여)",
            "퇴직금|연차|4대|보험|해고|연장|야간|휴일|휴업|가산|실업|육아|주휴 ?수당|낮추|낮춰|깎|맞추(?!면)|포괄|밥값|식대|상여|교통비|산입|각서|효력|벌칙",
        ),
        "annual_leave": _amount(
            "연차",
            "수당|미사용|보상|돈으로|(?:안|못) ?쓴|남은|남았|촉진|통보|만료|퇴사|퇴직|그만|나가면|회계연도|계약직|인원",
        ),
        "unused_leave_pay": Topic(
            "연차.{0,40}(?:수당|보상|돈)|(?:수당|보상|돈).{0,30}연차"
            "|(?:남은|미사용|(?:안|못) ?[쓴쓰썼]).{0,12}연차.{0,40}얼마|연차.{0,14}(?:남|(?:안|못) ?[쓴쓰썼]).{0,40}얼마",
            "연차별|야간|연장근로",
        ),
        "severance_pay": Topic(
            "퇴직금",
            f"퇴직금[^?!]{{0,12}}포함|포함[^?!]{{0,10}}퇴직금|지연 ?이자|연체 ?이자|늦|퇴직소득세|중간 ?정산|한도|횡령|연금|세금|빼도|공제|{_EXECUTIVE}",
        ),
        "dismissal_notice_pay": Topic("해고 ?예고 ?수당|예고 ?수당|해고 ?수당"),
        "social_insurance": Topic(
            "4대 ?보험|사대 ?보험|(?:국민연금|건강보험|고용보험).{0,30}(?:얼마|부담|떼)|(?:월급|연봉).{0,20}(?:실수령|세후)"
            "|월급.{0,20}(?:회사|사장|가게)[가이은는]? ?(?:실제로|총|진짜)? ?(?:내는|부담하는|나가는|드는) ?(?:돈|비용|금액)",
            "일용|일당|환급|지원금|두루누리|고지서|피부양|지역 ?가입|얼마나? ?받|(?<!실)수령|돌려받|퇴직금",
            needs_amount=True,
        ),
        "freelancer_withholding": Topic(
            "3[.]3|8[.]8|원천 ?징수|원천세|프리랜서|기타소득",
            "종소세|종합소득세|4대|일용|일당|퇴직|이자 ?소득|배당|가산세|환급|월급 ?(?:에서|받는)",
            needs_amount=True,
        ),
        "day_labour_withholding": _amount(
            "(?:일용|일당|날일).{0,60}(?:세금|원천|소득세|떼|공제)|(?:세금|원천|소득세|떼).{0,40}(?:일용|일당)",
            "4대|보험|주휴|최저|3[.]3|가산세|퇴직",
        ),
        "vat": Topic(
            "부가세|부가가치세|공급가액",
            "가산세|의제 ?매입|비율|한도|조기 ?환급|관세|통관|공제(?!.{0,15}(?:없|빼|제외))",
            needs_amount=True,
        ),
        "card_sales_credit": _amount(
            "(?:카드|현금 ?영수증).{0,30}공제|1[.]3 ?(?:%|퍼)",
            "소득 ?공제|연말 ?정산|매입|불공제|종소세|종합소득세|공제.{0,15}(?:없|빼|제외)|내년|줄어",
        ),
        "tax_invoice_penalty": _amount(
            "계산서.{0,60}가산세|가산세.{0,60}계산서",
            "(?:안|못) ?(?:끊어|발급해|발행해) ?(?:줬|주|준|줘)|못 ?받|비용(?:으로| ?처리)|송금|매입자",
        ),
        "filing_penalty": _amount(
            rf"(?:{_NOT_FILED}).{{0,80}}가산세|가산세.{{0,60}}(?:{_NOT_FILED})",
            "계산서|지급명세서|현금 ?영수증|등록|적격 ?증빙|원천|지방세|취득세|증빙|영수증|장부|명세서|관세|수입 ?신고|고지서|체납|보관|상한|한도",
        ),
        "unregistered_penalty": _amount(
            "(?:등록.{0,10}(?:안|않|없이|못|늦|전에)|미등록|무등록).{0,60}가산세|가산세.{0,40}(?:미등록|등록.{0,8}(?:안|않|못|늦))",
            "계산서|현금 ?영수증",
        ),
        "cash_receipt_penalty": _amount(
            "현금 ?영수증.{0,60}가산세|가산세.{0,40}현금 ?영수증", "가맹점? ?(?:가입|미가입)|세금 ?계산서"
        ),
        "income_tax": Topic(
            "종소세|종합 ?소득|소득세",
            "법인|양도|원천|퇴직소득|3[.]3|지방소득세만|가산세|중간예납|일용|증여|상속|권리금|떼",
            needs_amount=True,
        ),
        "corporate_tax": Topic("법인세", "가산세|중간예납|원천", needs_amount=True),
        "entertainment_limit": Topic("접대비|업무추진비", "가산세|증빙|영수증"),
        "deemed_interest": _amount(
            "인정 ?이자|가지급금|(?:대표|사장|임원|이사).{0,20}(?:회사|법인)(?:에서|한테|돈).{0,20}(?:빌|꺼내|가져).{0,30}이자"
        ),
        "depreciation": _amount("감가 ?상각|상각비"),
        "executive_severance_limit": _amount(
            "(?:임원|대표|이사|감사|사장).{0,80}퇴직(?:금|급여)|퇴직(?:금|급여).{0,60}(?:임원|대표|이사)",
            "^(?!.*(?:한도|손금|비용|경비|인정)).*$|정관(?:에|상)? ?(?:있|정해져 ?있|규정이? ?있|정한)",
        ),
        "incorporation_tax": _amount(
            "(?:등록 ?면허세|등록세).{0,60}(?:설립|세우|법인|자본)|(?:설립|세우|세울|법인|차리|회사).{0,60}(?:등록 ?면허세|등록세|설립 ?(?:비용|세금)|등기.{0,10}세금)",
            "면허분|증자|지점|이전|부동산|근저당",
        ),
        "lease_deposit": Topic(
            "환산 ?보증금|(?:월세|임대료|차임|보증금).{0,60}(?:올리|올려|올릴|올린|올라|인상|5 ?(?:%|프로))",
            "전환|월세로|주택|아파트|빌라|원룸|전세|최우선|소액|먼저|곱하기|우선 ?변제",
        ),
        "rent_conversion": Topic(
            "월세로|전환율|(?:전세|보증금).{0,30}월세.{0,10}(?:전환|바꾸)", "환산|월세로 ?(?:내|살|들어)"
        ),
        "late_interest": Topic(
            r"지연 ?이자|지연 ?손해금|연체 ?이자|소송 ?촉진|(?:늦|밀린|연체|못 ?받|안 ?줘|안 ?줬|안 ?갚).{0,80}이자|이자.{0,20}(?:청구|늦)",
            "가지급금|인정 ?이자|가산세|대출|은행|카드값|지체 ?상금|까지 ?받|최고 ?이자|무신고|세금|국세",
        ),
        "headcount": Topic("상시 ?근로자|연인원", "가산|수당|연차|해고"),
        "wage_cut_limit": _amount("감봉|감급", "무효|공무원|구제"),
        "shutdown_pay": _amount(
            "휴업 ?수당|(?:휴업|문 ?닫|쉬게).{0,40}(?:임금|수당|월급)", "실업|육아|산재|휴업 ?급여|지원금"
        ),
        "deposit_cancellation": _amount(
            "계약금.{0,80}(?:물리|물러|무르|취소|해제|해약|파기|깨|엎|포기|변심|번복|돌려|마음)|(?:취소|해제|해약|파기).{0,40}계약금",
            r"가계약|중도금[을도]? ?(?:까지 ?)?(?:냈|줬|받았|넣|치)|위약금|사기 ?당|전세|월세|임대차|예약금",
        ),
        "delay_damages": _amount("지체 ?상금|지연 ?배상금", "민간|하도급|원청|거래처"),
        "brokerage_fee": _amount(
            "(?:중개|복덕방|부동산).{0,10}(?:수수료|보수|비)|복비", "주택|아파트|빌라|원룸|오피스텔|전세|플랫폼|배달"
        ),
        "monthly_pay": _amount(
            rf"(?:시급|시간당).{{0,60}}{_A_MONTH}|{_A_MONTH}.{{0,60}}(?:시급|시간당)",
            rf"주휴 ?수당(?!까지|[^?!]{{0,6}}포함)|최저 ?(?:임금|시급|월급)|퇴직|연차|해고|4대|보험|세금|{_OVERTIME}",
        ),
        "suit_stamp": _amount(
            "인지대|인지액|인지 ?값|(?:소송|지급 ?명령).{0,20}인지",
            "항소|상고|송달료만|현지|외국|해외|국제|미국|중국|일본|베트남",
        ),
        "membership_refund": _amount(
            r"(?:회원권|이용권|횟수권|정기권|\d+ ?(?:회|번|개월|달)|피티|PT).{0,60}(?:환불|환급|돌려|해지)",
            "학원|교습|과외|수강|강의|세금|부가세|보증금|계약금|택배|배송",
        ),
        "loan_payment": _amount(
            "(?:대출|융자|자금|빌리|빌려|빌린).{0,60}(?:이자|원리금|상환|갚)|(?:이자|원리금|상환).{0,40}(?:대출|융자|자금)",
            "지연|연체|밀린|가지급금|인정 ?이자|비용|경비|손금|세금|원천|떼|못 ?갚|안 ?갚|(?:이자|보증료) ?지원|보전|한도|최고"
            "|(?:대표|사장|임원|이사).{0,20}(?:회사|법인)|(?:회사|법인)(?:에서|한테).{0,12}빌",
        ),
        "guarantee_fee": _amount("보증료", "지원|임대보증|전세|비용 ?처리|경비"),
    }
)
