"""Readers of the sums of leases, debts, loans, sales, memberships and claims."""

from __future__ import annotations

import re

from utils.calculators.reading.figures import QuestionFigures
from utils.calculators.reading.reading import Reading

_REGIONS = (
    ("서울", "서울"),
    ("부산", "부산"),
    ("광역시등", "대구|대전|광주|울산|세종|파주|화성|안산|용인|김포"),
)
_RENT = r"월세|임대료|차임|(?<![가-힣\d])월(?=\s?\d)"
_SIDES = re.compile(
    r"(?P<own>제가|내가|저는|저희|우리)"
    r"|(?P<other>상대|그쪽|저쪽|매수인|매도인|건물주|판매자|구매자|사려던 ?사람|사기로 ?한 ?사람|팔기로 ?한 ?사람|판 ?사람|산 ?사람)"
)
_BUYER_IS_OTHER = "(?:사기로 ?한|사려던|사겠다는|사겠다던|산다는) ?(?:사람|분|쪽|손님)|매수인[이은]|구매자[가는]"
_SELLER_IS_OTHER = "(?:팔기로 ?한|팔겠다는|팔겠다던|판다는) ?(?:사람|분|쪽)|매도인[이은]|판매자[가는]|건물주[가는]"
_LOAN = "대출금?|융자|자금|빌리|빌려|빌린|원금"
_TERM = re.compile(r"(?<!\d)(?:(\d{1,2})년(?:\s?(\d{1,2})개월)?|(\d{1,3})개월)")
_USED = r"(?:만|정도|쯤|밖에)?\s?(?:이용|사용|쓰|썼|쓴|하고|했|한|받|다니|다녔|나오|나왔|출석|수업)"
_WITHDRAWS = "물리|물러|무르|취소|해제|해약|파기|깨|엎|포기|변심|번복|마음"


def lease(asked: QuestionFigures) -> Reading:
    region = next((name for name, words in _REGIONS if asked.has(words)), None)
    deposit, rent = asked.money("보증금"), asked.money(_RENT)
    inputs = {"deposit": deposit, "monthly_rent": rent, "region": region}
    if asked.has("환산"):
        needed = {"deposit": "보증금"} if region is not None else {"deposit": "보증금", "monthly_rent": "월세"}
        return Reading(inputs, needed)
    if deposit is None or rent is None:
        inputs["region"] = None  # one of both does not tell the converted deposit that the region limits
    if deposit is None:
        inputs["deposit"] = 0
        return Reading(inputs, {"monthly_rent": "월세"})
    return Reading(inputs, {"deposit": "보증금"})


def conversion(asked: QuestionFigures) -> Reading:
    part = asked.money("[을를만]? ?월세로")  # 보증금 1억 중 5천을 월세로
    less = asked.money(
        "(?:으로|로|까지) ?(?:낮추|낮춰|줄이|줄여|내리|내려|깎)"
    )  # 보증금 2억을 1억으로 낮추고 나머지를 월세로
    whole = asked.money("보증금|전세금?")
    if part is None and less is not None and whole is not None and whole > less:
        part = whole - less
    inputs = {
        "deposit": part or whole,
        "base_rate_percent": asked.percent("기준 ?금리"),
        "kind": "house" if asked.has("주택|아파트|빌라|원룸|오피스텔|전세") else "shop",
    }
    return Reading(inputs, {"deposit": "월세로 바꿀 보증금", "base_rate_percent": "한국은행 기준금리"})


def late_interest(asked: QuestionFigures) -> Reading:
    wages = asked.has("월급|임금|급여|퇴직금")
    suit = asked.has("소송|판결|소장|지급명령")
    lent = asked.has("빌려|빌린|지인|친구|개인 ?간|보증금")
    inputs = {
        "principal": asked.only_money() or asked.pay.monthly or asked.money("대금|원금|값"),
        "days": None if asked.has(r"\d(?:년|개월|일) ?전") else asked.days(),  # a loan of a year ago is not a year late
        "kind": "wage" if wages else "lawsuit" if suit else "civil" if lent else "commercial",
        "agreed_percent": asked.percent("약정|이율|이자율|연(?=\\s?[0-9])"),
    }
    return Reading(inputs, {"principal": "밀린 금액", "days": "늦은 일수"})


def deposit_cancellation(asked: QuestionFigures) -> Reading:
    receiver = asked.has("계약금[^?!]{0,14}(?:받았|받은|받고|들어왔)|팔기로|팔려고|파는 ?쪽|매도하")
    giver = asked.has(
        "계약금[^?!]{0,14}(?:걸었|걸고|줬|주고|냈|내고|넣|보냈|보내|입금|지급|이체)|사기로|사려고|인수하기로|매수하"
    )
    if asked.has(_BUYER_IS_OTHER) or asked.has(_SELLER_IS_OTHER):
        receiver = asked.has(_BUYER_IS_OTHER)
        giver = not receiver
    other = _is_other_side(asked.text)
    mine = None if receiver == giver else "receiver" if receiver else "giver"
    others = {"receiver": "giver", "giver": "receiver"}
    withdrawing = None if mine is None else others[mine] if other else mine
    return Reading(
        {"deposit": asked.money("계약금") or asked.only_money(), "withdrawing": withdrawing},
        {"deposit": "계약금", "withdrawing": "계약금을 준 쪽과 받은 쪽 가운데 누가 해제하는지"},
    )


def _is_other_side(text: str) -> bool:
    """Return True if the last side named before a withdrawal is not the asker's own."""
    withdrawal = re.search(_WITHDRAWS, text)
    sides = list(_SIDES.finditer(text, 0, withdrawal.start())) if withdrawal is not None else []
    return bool(sides) and sides[-1].lastgroup == "other"


def delay_damages(asked: QuestionFigures) -> Reading:
    kinds = (
        ("works", "공사(?! ?에 ?(?:납품|물))|시공|건축"),
        ("transport", "운송|운반|보관|양곡"),
        ("goods", "물품|물건|납품|제조|구매|제품|기계|비품"),
        ("services", "용역|수리|가공|대여|개발|디자인|청소|컨설팅|유지보수"),
    )
    local = asked.has("시청|구청|군청|도청|지자체|지방자치|교육청|주민센터|시에서|구에서|학교")
    state = asked.has(
        "조달청|국가|정부|중앙|국방|세무서|경찰|부처|청(?=[과이에와의])|공공기관|공사(?= ?에 ?납품)|우체국"
    )
    assumptions = () if local or state else ("국가기관과 맺은 계약의 비율로 계산했습니다.",)
    inputs = {
        "contract": asked.only_money(),
        "days": asked.days(),
        "work": next((name for name, words in kinds if asked.has(words)), None),
        "client": "local" if local else None,
    }
    return Reading(
        inputs,
        {"contract": "계약금액", "days": "지체일수", "work": "계약의 종류(공사, 물품, 용역 등)"},
        assumptions,
    )


def brokerage(asked: QuestionFigures) -> Reading:
    deposit, rent = asked.money("보증금"), asked.money(_RENT)
    is_lease = deposit is not None or rent is not None
    price = None if is_lease or not asked.has("매매|사면|살 ?때|샀|팔면|팔 ?때|팔았") else asked.only_money()
    inputs = {"deposit": deposit, "monthly_rent": rent, "price": price}
    return Reading(inputs, {} if is_lease or price is not None else {"amount": "보증금과 월세나 매매가격"})


def suit_stamp(asked: QuestionFigures) -> Reading:
    inputs = {
        "claim": asked.only_money(),
        "kind": "payment_order" if asked.has("지급 ?명령") else None,
        "electronic": asked.has("전자 ?소송") or None,
    }
    return Reading(inputs, {"claim": "청구할 금액"})


def membership_refund(asked: QuestionFigures) -> Reading:
    visits = (
        asked.found(rf"(?<!\d)(\d{{1,4}})(?:회|번)(?!{_USED})"),
        asked.found(rf"(?<!\d)(\d{{1,4}})(?:회|번){_USED}"),
    )
    months = asked.found(rf"(?<!\d)(\d{{1,3}})개월(?!{_USED})"), asked.found(rf"(?<!\d)(\d{{1,3}})개월{_USED}")
    total, used = visits if None not in visits else months
    inputs = {
        "paid": asked.only_money(),
        "total": total,
        "used": used,
        "penalty_percent": asked.percent("위약금"),
    }
    told = () if inputs["penalty_percent"] is not None else ("위약금은 총금액의 10%로 계산했습니다.",)
    return Reading(
        inputs, {"paid": "받은 금액", "total": "계약한 횟수나 개월 수", "used": "이용한 횟수나 개월 수"}, told
    )


def loan_payment(asked: QuestionFigures) -> Reading:
    kinds = (
        ("interest_only", "거치|만기 ?일시|이자만"),
        ("equal_payment", "원리금"),
        ("equal_principal", "원금 ?균등"),
    )
    method = next((name for name, words in kinds if asked.has(words)), "interest_only")
    inputs = {
        "principal": asked.money(_LOAN) or asked.only_money(),
        "annual_percent": asked.only_percent(),
        "method": method,
        "months": _term(asked),
    }
    needed = {"principal": "빌린 돈", "annual_percent": "연이율"}
    if method != "interest_only":
        needed["months"] = "갚는 기간"
    return Reading(inputs, needed)


def guarantee_fee(asked: QuestionFigures) -> Reading:
    inputs = {
        "guaranteed": asked.money(f"{_LOAN}|보증") or asked.only_money(),
        "annual_percent": asked.only_percent(),
        "months": _term(asked),
    }
    told = () if inputs["months"] is not None else ("1년분으로 계산했습니다.",)
    return Reading(inputs, {"guaranteed": "보증금액", "annual_percent": "보증료율"}, told)


def _term(asked: QuestionFigures) -> int | None:
    """The months of the first span that is told: 5년, 3년 6개월, 36개월."""
    found = _TERM.search(asked.text)
    if found is None:
        return None
    months = int(found[3]) if found[3] else 12 * int(found[1]) + int(found[2] or 0)
    return months or None
