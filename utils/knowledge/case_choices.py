"""The choices that a question names of its case: kind of business, of taxpayer, of contract …

A choice is read only from words that say it of the asker or of those asked about. What names a person on the other side
(거래처가 법인), a document (간이지급명세서) or another thing of the same sound (총수입금액) says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from utils.knowledge.regions import place_spans, places_of
from utils.knowledge.units import Slot

_WORD = r"(?<![가-힣])"
_NOT_THIS = r"(?!(?:사업자|과세자)?(?:(?:이|가|은|는)?\s?(?:아니|아닌|말고)|만\s?(?:되|돼|해당|가능|받|하는)))"
_COUNTERPART = r"(?:거래처|상대|상대방|건물주|임대인|발주처|납품처|고객사|원청|본사)(?:이|가|은|는)?\s?"

_INDIRECT = r"구매확인서|내국신용장"  # a supply at home that counts as export (부가가치세법 제21조 제2항 제3호)
_PATTERNS: dict[Slot, dict[str, str]] = {
    Slot.BUSINESS: {
        "개인": rf"{_WORD}개인\s?(?:사업자?|기업|업체|과세자?|카페|음식점|식당|가게|택시|병원|의원|학원|업자){_NOT_THIS}"
        rf"|{_WORD}개인(?=으로|이랑|과\s|하고|에서|인데|이고|이면|이라|은요|일\s?때|\s(?:법인|vs|대)\b)|자영업자|법인\s?전환|법인으로\s?(?:바꾸|바꿀|전환|갈\s?때|돌리)",
        "법인": rf"(?:{_WORD}|(?<=1인)|(?<=신설)|(?<=신규)|(?<=개인))(?<!\d\s)법인(?!\s?(?:거래처|고객|손님|업체|인감|등기|등록|번호)){_NOT_THIS}"
        r"|주식회사|유한회사|주주총회|이사회|가지급금|자본금|대표이사|1인\s?회사",
    },
    Slot.TAXPAYER: {
        "일반": rf"{_WORD}일반(?:과세|\s?사업자|으로|이랑|인데|이면|은요|\s?간이){_NOT_THIS}|{_WORD}간이(?:랑|와|\s|하고|[·,/]\s?)일반",
        "간이": rf"{_WORD}간이(?=과세|\s?사업자|로\s|인데|이면|면\s|라\s|라서|는\s|는요|랑|에서|하고|일\s?때|도\s|\s?일반|[·/]일반)(?:과세)?{_NOT_THIS}",
        "면세": rf"{_WORD}(?<![은는]\s)면세(?:\s?사업|\s?업자|\s?업종|라\s|라서|로\s?등록|인데|이면|\s?개인|\s?법인){_NOT_THIS}",
    },
    Slot.STAGE: {
        "예비창업": r"예비\s?창업|사업자(?:등록)?(?:증|이|도|은|를|을)?\s?(?:아직\s)?(?:없는|없이|안\s?(?:낸|냈|만들|내고)|내기\s?전|등록\s?전)|(?:아직|사업자)\s(?:사업자\s)?(?:등록을?\s)?(?:안\s?(?:했|한|낸|냈))"
        r"|창업\s?(?:전(?![문체략망])|준비)|아직\s?창업",
        "창업": r"창업한\s?(?:지|뒤|후)|(?:막|작년에|올해|지난달에|이번에|최근에|얼마\s전에?)\s?(?:개업|창업|오픈|문을?\s?열)(?:한|했|하고|\s?했|었)|창업\s?\d+\s?년",
        "폐업": r"폐업(?!\s?(?:안\s|하지\s?않|말고|대신|한\s?(?:거래|업체|사람|곳|가게에서)))|(?:가게|장사|사업|식당|카페|매장|회사)(?:를|을)?\s?(?:접[었고으을는기어]|정리하|그만두|그만둔|때려치|문\s?닫)|(?<!창문\s)(?<!가게\s)문\s?닫았",
    },
    Slot.CONTRACT: {
        "정규직": rf"(?:정규직|{_WORD}정직원)(?!\s?(?:보다|의\s|과\s|와\s|처럼|만큼|으로\s?(?:전환|바꾸|바뀌|되|인정|돌)|이?\s?[되돼된]|인가))",
        "기간제": r"계약직|기간제|촉탁|기간을?\s?정(?:한|해)|\d\s?(?:년|개월)\s?(?:짜리\s)?계약(?:한|으로|을\s맺은|직)",
        "단시간": r"(?<![가-힣])알바(?!\s?(?:빼고|제외|포함|까지|생?\s?포함))|아르바이트|단시간|파트\s?타임|파트타이머",
        "일용": r"일용|(?<![가-힣])하루\s?알바|일당|날품|하루\s?(?:씩|만)\s?(?:쓰|부르|쓴|부른|일)|건당\s?부르",
        "프리랜서": r"프리랜서(?!\s?(?:빼고|제외))|3\.3|(?<![가-힣])외주\s?(?:직원|인력|디자이너|개발자|작가|기사)|위촉",
        "수습": r"수습|시용",
        "파견": r"(?<![가-힣])(?:불법\s?|근로자\s?)?파견|인력\s?(?:사무소|업체)",
    },
    Slot.PAY: {
        "시급": rf"{_WORD}시급(?:제|\s?\d|으로|\s?알바|\s?직|을\s?받|\s?[일이만구팔])",
        "일급": rf"{_WORD}(?:일급|일당)",
        "월급": rf"{_WORD}월급(?:제|쟁이|\s?(?:이\s|은\s)?(?:세전\s)?\d|으로\s?(?:주|받|계약)|\s?받는|직|을\s(?:시급|일급))",
    },
    Slot.TRADE: {
        "국내": rf"국내\s?(?:거래|판매|납품|매출|업체에\s?납품)|내수|{_INDIRECT}|수출(?:하는)?\s?(?:회사|업체|기업)에",
        "수출": rf"수출|{_INDIRECT}|해외\s?(?:판매(?!처)|바이어|고객|수주|거래처)|(?:외국|해외|미국|일본|중국|유럽|베트남)(?:에|으로|인에게|\s?(?:바이어|손님|회사|고객|거래처)(?:한테|에게|에))?\s?(?:한테\s?)?(?:파는|팔[고면아려]|판매(?!처)|납품|보내)|바이어",
        "수입": r"(?<![가-힣])수입(?=하[는려고면기여]|한\s|해[서요도\s]|했|할\s?때|품|물품|신고|통관|업(?!\s?금)|세금계산서|\s(?:화장품|식품|의류|가구|전자|물품|신고|통관|부가세|원가|허가|요건|관세|대행|규제|제품|금지|세금계산서|절차)"
        r"|화장품|식품|의류|관세|부가세|원가)|관세(?!청)|통관|직구(?!\s?(?:손님|고객))|(?:해외|중국|일본|미국|베트남)에서\s?(?:물건을?\s?|옷을?\s?|제품을?\s?)?(?:사\s?오|사와|떼|들여|가져|수입)",
    },
    Slot.FOREIGN: {
        "예": r"외국인\s?(?:직원|근로자|알바|유학생|노동자|고용|채용|인력|종업원|선원|퇴직)|외국인(?:을|를)\s?(?:쓰|고용|채용|뽑)|고용허가|불법\s?체류|(?<![A-Z])[EHFD]-?\d{1,2}(?:\s?비자|(?=\s))"
        r"|(?:베트남|중국|네팔|몽골|태국|필리핀|캄보디아|우즈베키스탄|미얀마|인도네시아|러시아|일본|미국|방글라데시|스리랑카)(?:인|사람|\s?국적|에서\s?온)?\s?(?:의\s)?(?:직원|근로자|알바|친구를?\s(?:쓰|고용)|사람을?\s(?:쓰|고용)|유학생|인부|인력)",
    },
    Slot.FAMILY: {
        "예": r"(?:와이프|아내|남편|배우자|집사람|부모님?|아버지|어머니|엄마|아빠|장모님?|장인|아들|딸(?![기려])|동생|처남|형수|시어머니|가족|친족|친척|조카)(?:이|가|은|는|을|를|도|한테|에게|께|의|랑|과|와)?"
        r"\s?(?:저희\s|제\s)?(?:(?:가게|매장|식당|회사|사무실)(?:에서|일)?(?:을|를)?\s)?(?:같이\s|함께\s)?(?:직원|일하|일을|일\s?시|월급|급여|인건비|알바|4대|사대|고용|산재|근로|도와|돕|돈을?\s?주)"
        r"|동거\s?(?:하는\s)?친족",
    },
}
_INDUSTRIES = {
    "음식점업": r"음식점|식당|(?<![가-힣])카페|커피숍|커피집|분식|김밥집|치킨집|고깃집|횟집|떡볶이|한식당|중국집|국밥집|빵집|베이커리|술집|호프집|포차|반찬가게|배달음식|레스토랑|피자집|푸드트럭",
    "통신판매업": r"쇼핑몰|스마트\s?스토어|온라인\s?(?:판매|몰|셀러)|통신판매|오픈마켓|쿠팡\s?(?:판매|셀러|입점)|라이브커머스",
    "교육서비스업": r"학원|교습소|공부방|과외",
    "미용업": r"미용실|헤어샵|네일(?:샵|숍)|피부관리실|왁싱샵|속눈썹",
    "소매업": r"편의점|슈퍼마켓|옷가게|꽃집|정육점|문구점|잡화점|약국|마트\s?(?:하|운영)|무인\s?(?:가게|매장|점포)",
    "제조업": r"제조업|제조(?:회사|업체)|(?<![가-힣])공장을?\s?(?:하|운영|돌)|인쇄소|목공방",
    "건설업": r"건설업|인테리어\s?(?:업|회사를?\s?(?:하|운영))|건축업|전기공사업|건설\s?회사",
    "숙박업": r"숙박업|펜션|게스트\s?하우스|민박|모텔|에어비앤비",
    "부동산임대업": r"(?:부동산|상가|건물|주택)\s?임대업|(?<![가-힣])임대업|임대\s?사업자|임대\s?법인|(?:상가|건물|오피스텔)(?:를|을)?\s?(?:임대(?:해|하)|세\s?(?:놓|줬|주))|월세\s?받[는아]",
    "과세유흥장소": r"유흥\s?(?:주점|업소|장소)|단란주점|룸살롱|나이트클럽",
    "육상운송업": r"개인택시|화물\s?(?:운송|기사)|용달|택배\s?(?:기사|업)|(?<![가-힣])운송업",
    "정보통신업": r"(?<![가-힣])(?:앱|소프트웨어|게임|IT)\s?(?:개발|회사|업체|스타트업)|SaaS",
    "벤처기업": r"(?<![가-힣])벤처\s?(?:기업|확인|인증)",
}
KNOWN_INDUSTRIES = frozenset(_INDUSTRIES) - {"벤처기업"}
"""Of these a business in the one is none of the other; a venture may be in any."""

_COMPILED = {slot: {value: re.compile(pattern) for value, pattern in of.items()} for slot, of in _PATTERNS.items()}
_INDUSTRY = {value: re.compile(pattern) for value, pattern in _INDUSTRIES.items()}
_OTHER_SIDE = re.compile(_COUNTERPART + "$")
_HOME = re.compile(
    r"주택|원룸|투룸|아파트|빌라|(?<![가-힣])전세|자취방|집주인|살던\s?집|(?<![가-힣])집\s?(?:월세|보증금|계약)"
)
_SHOP = re.compile(r"상가|가게|점포|매장|사무실|식당|카페|학원|미용실|공방|네일숍|편의점")
_LEASE = re.compile(
    r"(?<![가-힣])월세|보증금|임대차|임대료|임차|건물주|집주인|재계약|계약\s?갱신|갱신\s?요구|권리금|환산보증금|세\s?들|빌린\s?(?:가게|점포|매장|사무실|건물|자리)"
    r"|(?:가게|점포|매장|사무실|건물|자리)(?:를|을)?\s?(?:새로\s)?빌[린려리렸](?!\s?[주줘])"
)
_SHOP_ALONE = re.compile(r"권리금|환산\s?보증금|상가\s?(?:임대차|건물\s?임대차|보증금|월세)|상임법")


def stated_choices(text: str) -> dict[Slot, frozenset[str]]:
    """The choices that ``text`` names, by slot; several of a slot where it names several."""
    found = {
        slot: frozenset(value for value, pattern in patterns.items() if _says(text, pattern))
        for slot, patterns in _COMPILED.items()
    }
    found[Slot.INDUSTRY] = industries_of(text)
    found[Slot.REGION] = places_of(text)
    found[Slot.LEASED] = frozenset(_leased(text))
    return {slot: values for slot, values in found.items() if values}


def choice_places(text: str) -> dict[Slot, list[tuple[int, int]]]:
    """Where ``text`` names choices, lines of business and places, by slot; spans of characters."""
    found = {slot: _places(text, patterns.values()) for slot, patterns in _COMPILED.items()}
    found[Slot.INDUSTRY] = _places(text, _INDUSTRY.values())
    found[Slot.REGION] = place_spans(text)
    return {slot: spans for slot, spans in found.items() if spans}


def _places(text: str, patterns: Iterable[re.Pattern[str]]) -> list[tuple[int, int]]:
    return [match.span() for pattern in patterns for match in pattern.finditer(text)]


def industries_of(text: str) -> frozenset[str]:
    """The lines of business that ``text`` names, by the words for them in tax law where there are such."""
    return frozenset(value for value, pattern in _INDUSTRY.items() if pattern.search(text))


def _says(text: str, pattern: re.Pattern[str]) -> bool:
    """The pattern stands in the text of somebody who is not on the other side of a contract."""
    return any(
        not _OTHER_SIDE.search(text, max(0, found.start() - 8), found.start()) for found in pattern.finditer(text)
    )


def _leased(text: str) -> Iterable[str]:
    if _HOME.search(text) and _LEASE.search(text):
        yield "주택"
    if _SHOP_ALONE.search(text) or (_SHOP.search(text) and _LEASE.search(text)):
        yield "상가"
