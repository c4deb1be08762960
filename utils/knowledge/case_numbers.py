"""The numbers that a question names of its case: sales, ages, hours, months of service, a deposit."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal

from utils.figures.numerals import decimal_of
from utils.knowledge.bounds import BOUND, COUNTED, WON, bounded, number_of, won_of
from utils.knowledge.ranges import Range, exactly, less_than, more_than
from utils.knowledge.units import Slot

_NO_UNIT = r"(?!\s?(?:[\d.%배번건]|년|개월|월\s|분기|퍼센트))"
_CHANGED = (
    _NO_UNIT
    + r"(?!\s?원?(?:어치|짜리)?(?:이|가|을|를|만큼)?\s?(?:누락|빠뜨|늘|줄|감소|증가|채권|취소|환불|떼|못\s?받))"
)
_PER = {
    "월": 12,
    "한 달": 12,
    "한달": 12,
    "매달": 12,
    "달": 12,
    "분기": 4,
    "반년": 2,
    "반기": 2,
    "상반기": 2,
    "하반기": 2,
}
_SALES = re.compile(
    r"(?:(?<![가-힣])(?P<per>월\s?평균|월|한\s?달에?|매달|분기|반년|반기|상반기|하반기)\s?)?(?:연\s?)?매출액?(?!\s?(?:채권|원가|세액|누락|취소))"
    rf"(?:이|은|가|도)?\s?(?:한|약|총|대략|연간?|일\s?년에|1년에)?\s?(?P<won>{WON})(?P<unit>\s?원)?{_CHANGED}{BOUND}"
)
_EARNED = re.compile(
    rf"(?<![가-힣])(?P<per>월|한\s?달에?|매달|연|1년에|일\s?년에)\s?(?P<won>{WON})(?P<unit>\s?원)?{_NO_UNIT}{BOUND}(?:을|를)?\s?(?:정도\s?)?(?:벌|팔|매출)"
)
_NO_SALES = re.compile(r"매출이?\s?(?:아예\s|하나도\s|전혀\s|아직\s)?(?:없|0\s?원|영원)")

_TENS = r"(?:스물|서른|마흔|쉰|예순|일흔)"
_AGE = re.compile(
    rf"(?<![\d.가-힣])(?:만\s?)?(?:(?P<years>\d{{2}})\s?(?:살|세(?![금무액율대법관기부]))|(?P<native>{COUNTED}|{_TENS}{{1,1}})\s?살"
    rf"|(?P<bare>{_TENS}(?:하나|둘|셋|넷|다섯|여섯|일곱|여덟|아홉)?)(?=\s?(?:인데|이고|이에요|에\s|이면|\s?(?:직원|청년|창업|사장|먹)))(?!\s?명)){BOUND}"
)
_YOUNG = re.compile(r"(?<![가-힣])청년(?!\s?(?:아닌|이\s?아닌|내일|도약|창업사관|몰|기본법|다방|들?의\s?거리|층))")
_NOT_YOUNG = re.compile(r"청년이?\s?(?:은\s|는\s)?(?:아닌|아니[고면라])")
_MINOR = re.compile(
    r"(?<![가-힣])(?:(?P<child>중학생)|(?P<pupil>고등학생|고딩))(?!\s?(?:학부모|자녀|아이|아들|딸|엄마))|(?P<labour>연소자|연소근로자)|(?P<minor>미성년|청소년(?!\s?(?:출입|게임|유해)))"
)

_FOUNDED = r"(?:창업|개업|오픈|설립|개원|장사\s?시작|사업\s?시작|가게\s?연|사업자\s?낸|문\s?연|가게를?\s?연)"
_YEARS = r"(?P<number>\d{1,3}|일|이|삼|사|오|육|칠|팔|구|십)\s?(?P<period>년|개월)"
_BUSINESS_YEAR = re.compile(rf"(?:{_FOUNDED}(?:한\s?지|하고|한|\s)?\s?|사업\s?|업력\s?)(?P<year>\d{{1,2}})\s?년\s?차")
_BUSINESS_AGE = re.compile(
    rf"(?:{_FOUNDED}(?:한\s?지|한\s?뒤|하고|한|된\s?지|지)?\s?(?:이제|벌써|만|아직)?\s?|업력\s?(?:이|은)?\s?){_YEARS}(?!\s?(?:차|안에|동안|이내에\s?(?:신고|갚)|계약)){BOUND}"
)
_OLD_COMPANY = re.compile(rf"{_YEARS}\s?된\s?(?:회사|법인|가게|업체|기업|스타트업|카페|식당){BOUND}")
_LAST_YEAR = re.compile(
    rf"(?P<last>작년|지난해)에?\s?(?:[가-힣]{{1,6}}(?:을|를)?\s)?{_FOUNDED}|(?:올해|지난달에?|이번\s?달에?|이번에|막|갓)\s?(?:[가-힣]{{1,6}}(?:을|를)?\s)?{_FOUNDED}(?:한|했|하고|된)"
)

_WEEK = r"(?<![가-힣])(?:1?주일에|일주일에|한\s?주에|주당|주에|주)\s?"
_HOURS = re.compile(
    rf"{_WEEK}(?:평균\s)?(?P<hours>\d{{1,3}}(?:\.\d)?)\s?시간(?!\s?(?:제|한도|상한|지켜|연장|초과|외|근무제|근로제)){BOUND}"
)
_DAY_HOURS = re.compile(r"(?:하루(?:에)?\s?)?(?P<hours>\d{1,2}(?:\.\d)?)\s?시간(?:씩|\s)?")
_WEEK_DAYS = re.compile(
    rf"(?:{_WEEK}(?P<days>[1-7])\s?(?:일|번|회)(?!\s?근무제))|일주일에\s?(?P<native>[이사나]틀|사흘|나흘|닷새)|(?P<weekend>토\s?일|주말\s?이틀)"
)
_SHORT = re.compile(r"초단시간")
_NATIVE_DAYS = {"이틀": 2, "사틀": 0, "나틀": 0, "사흘": 3, "나흘": 4, "닷새": 5}

# 2024년 is a year of the calendar, not one of service
_SPAN = rf"(?<!\d)(?!\d{{3,5}}\s?년)(?:(?P<years>\d{{1,2}})\s?년\s)?(?:(?P<number>\d{{1,3}}|{COUNTED}|반)\s?(?P<period>년|개월|달|주일?))"
_WORKED = re.compile(
    rf"{_SPAN}(?:(?P<half>\s?반)?)(?:간|을|를|도|이)?\s?(?:정도|쯤|가까이|넘게|이상|미만|이하|동안|밖에|만)?\s?(?:안\s|못\s)?"
    r"(?:일한|일하[고다던]|일했|근무|다닌|다녔|다니[고던다]|근속|재직|채우|채운|채웠|만에\s?(?:그만|나[가간갔]|퇴사|관[두둔]))"
)
_EMPLOYED = re.compile(
    rf"(?:일한\s?지|입사한?\s?지?|들어온\s?지|근무한\s?지|다닌\s?지|근속|재직)\s?(?:이제\s|겨우\s|아직\s|만\s?)?{_SPAN}{BOUND}(?!\s?이내에)"
)
_OLD_STAFF = re.compile(
    rf"(?<!한 지 )(?<!간 지 ){_SPAN}(?P<half>\s?반)?{BOUND}(?:이|가)?\s?(?:된|되는|됐던|차)?\s?(?:직원|알바생?|근로자|사원|아르바이트)"
)
_SHORTER = re.compile(
    r"(?:도|이|가|을|를|은|간)?\s?(?:채\s?)?(?:미만|안\s?(?:되|돼|된|됐|채)|못\s?(?:되|돼|된|채|다)|밖에|되기)"
)
_MONTHS = {
    "년": Decimal(12),
    "개월": Decimal(1),
    "달": Decimal(1),
    "주": Decimal(7) / Decimal("30.4375"),
    "주일": Decimal(7) / Decimal("30.4375"),
}
_DEPOSIT = re.compile(
    rf"(?:(?<![가-힣])|(?<=전세)|(?<=임대)|(?<=임차))(?<!환산 )보증금(?:이|은)?\s?(?:한|약|총)?\s?(?P<won>{WON})(?P<unit>\s?원)?{_NO_UNIT}(?!\s?원?을?\s?(?:더|올려)){BOUND}"
)

YOUNG = Range(Decimal(15), Decimal(34))
"""청년 of the tax reductions (조세특례제한법 시행령 제5조 제1항 제1호); programmes may go further."""


def stated_numbers(text: str) -> dict[Slot, Range]:
    """The numbers that ``text`` names, by slot: amounts in won (sales a year), ages in years, hours a week, months of service."""
    found = {slot: read(text) for slot, read in _READERS.items()}
    return {slot: span for slot, span in found.items() if span is not None}


def _sales(text: str) -> Range | None:
    for pattern in (_SALES, _EARNED):
        if match := pattern.search(text):
            per = "".join((match["per"] or "").removesuffix("에").split()).removesuffix("평균")
            span = bounded(won_of(match["won"], in_won=bool(match["unit"])), match)
            return span.times(_PER.get(per, 1))
    return exactly(0) if _NO_SALES.search(text) else None


def _deposit(text: str) -> Range | None:
    match = _DEPOSIT.search(text)
    return bounded(won_of(match["won"], in_won=bool(match["unit"])), match) if match else None


def _age(text: str) -> Range | None:
    if match := _AGE.search(text):
        number = match["years"] or match["native"] or match["bare"]
        return bounded(number_of(number), match, Decimal(2))
    if _NOT_YOUNG.search(text):
        return more_than(34)
    if _YOUNG.search(text):
        return YOUNG
    if minor := _MINOR.search(text):
        # 초·중등교육법 leaves the age open, so pupils of middle and high school are of the ages that are usual there.
        spans = {
            "child": Range(Decimal(12), Decimal(15)),
            "pupil": Range(Decimal(15), Decimal(18)),
            "labour": less_than(18),
        }
        return spans.get(str(minor.lastgroup), less_than(19))
    return None


def _business_age(text: str) -> Range | None:
    if match := _BUSINESS_YEAR.search(text):
        year = int(match["year"])
        return Range(Decimal(year - 1), Decimal(year), open_high=True)
    for pattern in (_BUSINESS_AGE, _OLD_COMPANY):
        if match := pattern.search(text):
            number = match["number"]
            value = decimal_of(number) if number.isdecimal() else Decimal("일이삼사오육칠팔구십".index(number) + 1)
            if match["period"] == "개월":
                value = (value / 12).quantize(Decimal("0.01"))
            return bounded(value, match)
    if match := _LAST_YEAR.search(text):
        return Range(Decimal(0), Decimal(2 if match["last"] else 1), open_low=bool(match["last"]), open_high=True)
    return None


def _weekly_hours(text: str) -> Range | None:
    if match := _HOURS.search(text):
        return bounded(decimal_of(match["hours"]), match) if match["hours"] != "52" else None
    if (week := _WEEK_DAYS.search(text)) and (day := _DAY_HOURS.search(text)):
        days = int(week["days"]) if week["days"] else _NATIVE_DAYS.get(week["native"], 2)
        return exactly(days * decimal_of(day["hours"])) if days else None
    return less_than(15) if _SHORT.search(text) else None


def _months_of_service(text: str) -> Range | None:
    for pattern in (_EMPLOYED, _WORKED, _OLD_STAFF):
        if match := pattern.search(text):
            return _months(text, match)
    return None


def _months(text: str, match: re.Match[str]) -> Range:
    number, end = match["number"], match.end("period")
    value = Decimal("0.5") if number == "반" else number_of(number)
    if match.groupdict().get("half"):
        value, end = value + Decimal("0.5"), match.end("half")
    if match["years"]:
        value += int(match["years"]) * _MONTHS["년"] / _MONTHS[match["period"]]
    months = (value * _MONTHS[match["period"]]).quantize(Decimal("0.1"))
    if _SHORTER.match(text, end):
        return less_than(months)
    if re.match(r"\s?차(?![가-힣])", text[end:]):  # in the third year: two are past
        return Range(months - _MONTHS[match["period"]], months, open_high=True)
    rest = text[end : match.end() + 8]
    if re.match(r"(?:을|를|이|도)?\s?(?:넘|초과)", rest):
        return more_than(months)
    return Range(low=months) if re.match(r"\s?이상", rest) else exactly(months)


_READERS: dict[Slot, Callable[[str], Range | None]] = {
    Slot.SALES: _sales,
    Slot.DEPOSIT: _deposit,
    Slot.AGE: _age,
    Slot.BUSINESS_AGE: _business_age,
    Slot.WEEKLY_HOURS: _weekly_hours,
    Slot.MONTHS_OF_SERVICE: _months_of_service,
}
