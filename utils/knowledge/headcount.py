"""The number of staff that a question names, counted as labour law counts.

Counted are all who work for wages, part-timers and those of a day among them (근로기준법 제11조 제3항, 시행령 제7조의2 제4항 제1호).
Not counted are the owner and other partners, who are no workers (법 제2조 제1항 제1호), freelancers, and dispatched workers
(시행령 제7조의2 제4항). Relatives who live with the owner are counted where they work for wages beside at least one other worker
(제2호), so with them the number is a span; a business of such relatives alone has no staff (법 제11조 제1항 단서).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal

from utils.knowledge.bounds import BOUND, COUNTED, ONES, bounded, number_of
from utils.knowledge.ranges import Range, at_least, at_most, exactly, less_than, more_than

_STAFF = (
    r"(?:상시\s?)?근로자|임직원|정직원|직원|종업원|정규직|계약직|알바생?|아르바이트생?|스태프|스탭|사원|인원"
    r"|(?<![가-힣])(?:홀|주방|서빙|배달|생산직|사무직|현장직)(?=에?\s)"
)
_ROUGHLY = {
    "한두": (1, 2),
    "두세": (2, 3),
    "두어": (2, 3),
    "서너": (3, 4),
    "네댓": (4, 5),
    "너댓": (4, 5),
    "대여섯": (5, 6),
    "예닐곱": (6, 7),
}
_NUMBER = (
    rf"(?:(?P<count>{'|'.join(_ROUGHLY)}|{COUNTED})\s?(?:명|인(?![가-힣])|인(?=[이은는도인가짜미이])|사람)"
    rf"|(?P<alone>{ONES})(?!\s?(?:[달살번개주배해날곳끼장째]|시간|가지|차례|명))(?![가-힣]*째))"
)
# The rest of a group, and changes of it, are no headcount: 직원 5명을 더 뽑으려고, 직원 한 명이 그만뒀어요.
_PART = re.compile(
    r"(?:을|를)(?!\s?(?:쓰|써|두고|둔|데리|데려|고용하고|거느|포함|합))"
    r"|이(?=\s)(?!\s(?:있|일하|일해|근무|하는|하고|전부|다\s|다예|다야|안|채|넘|되|돼|됐|함께|같이|돌아))"
    r"|(?:에게|한테|의\s|보다|씩|분의|분\s)"
    r"|(?:을|를|이|가|도|만)?\s?(?:더|추가|새로|신규|채용|고용(?!하고|한\s)|뽑|해고|내보|자르|자를|잘랐|짜르|짜를|줄[었어이여인일]|늘|감소|증가|그만|나간|나갔|나가[서는]"
    r"|나오고|퇴사|퇴직하|퇴직했|모집|구하|구인|결근|다쳤|아파|빠[지져졌]|동의)"
)
_OTHERS = re.compile(
    r"(?:손님|고객|학생|원생|수강생|회원|주주|이사|감사|임원|조합원|연구원|연구자|동업자|창업자|투자자|친구|지원자|환자|아이|자녀|부양가족"
    r"|청년|장애인|외국인|여자|남자|신입|경리|수습|대상자|위원|대표|발기인|설립자|중개보조원|보조원|면접자|사외이사|세대)(?:이|가|은|는|만|도|를|을|수가|수는)?\s?(?:총|모두|전부|각)?\s?$|(?<![가-힣])[저나]\s?$"
)
_COMPANY = re.compile(r"\s?(?:이서?\s)?[^.?!\n]{0,12}?(?:동업|공동|창업|주주|이사회|조합|투자|모여|모이|출자|발기)")
_BETWEEN = r"(?:\s?수)?(?:이|은|는|가|만|도|에)?\s?(?:다\s?(?:해서|합쳐서?|합해서?)\s?|총|모두|전부|전체|딱|달랑|겨우|현재|지금|대략|약|한\s(?=\d)|평균|통틀어)?\s?"
_STATED = re.compile(rf"(?P<who>{_STAFF}){_BETWEEN}{_NUMBER}{BOUND}")
_WORKPLACE = (
    r"(?:사업장|사업체|회사|기업|가게|매장|점포|업체|공장|공방|사무실|식당|음식점|카페|편의점|빵집|병원|의원|치과|약국|미용실|학원|쇼핑몰|농장|식구|규모"
    r"|[가-힣]{1,4}(?:집|소|점|관|사)(?=[은는이가도인에의예입,\s]|$))"
)
_WORKING = r"(?:이|이서|이\s)?\s?(?:일하는|일하고|근무하는|쓰는|있는|되는|넘는|뿐인|짜리|데리고\s하는|규모의?)?\s?"
_STAFFED = re.compile(
    rf"(?<![\d가-힣.])(?P<count>{COUNTED})\s?(?:명|인){BOUND}{_WORKING}[은는]?\s?(?:[가-힣]{{1,5}}\s)?(?:{_WORKPLACE})(?![을를])"
    rf"|(?<![\d가-힣.])(?P<working>{COUNTED})\s?명이\s(?:일하는|일하고|일해|근무)"
)
_LIMIT = re.compile(
    r"(?<![\d가-힣.])(?P<count>\d{1,3}(?:\.\d)?|네|다섯|열|서른)\s?(?P<unit>명|인)\s?(?P<side>미만|이하|이상)"
)
_AVERAGE = re.compile(rf"평균[이은]?\s?(?P<count>\d{{1,4}}(?:\.\d{{1,2}})?)\s?명{BOUND}")
_OF_STAFF = re.compile(
    r"\s?(?:사업|회사|기업|업체|가게|식당|매장|은|는|도|면|이면|이라면|인데|이에요|예요|이야|입니다|이어야|여도|이라도|이고|해고|연차|휴|주휴|가산|구제"
    r"|괴롭|근로|난임|적용|연장|[,.?!]|$)"
)
_REGULAR = re.compile(r"상시\s?$")
_COUNTER = re.compile(r"\s?(?:명|인|사람)")
_SIDES: dict[str, Callable[[Decimal], Range]] = {"미만": less_than, "이하": at_most, "이상": at_least}
_ALONE = re.compile(r"[1일]\s?인\s?(?!이상|미만|이하|초과)")
_OF_OTHERS = re.compile(r"\s?(?:가족|가구|승|테이블|단체|모임|교습|수업|예약|손님|연구|이사|주주|발기|조합|동의)")

_OWNER = r"저희|저|나|제가|본인|사장님?|대표님?|원장님?|점장|동업자|공동대표|임원"
_NO_WORKER = r"프리랜서|외주|파견(?:직원|직|근로자)?|용역|도급"
_RELATIVE = r"아내|와이프|남편|배우자|집사람|신랑|처|어머니|아버지|엄마|아빠|부모님|장모님?|장인|아들|딸|동생|형|누나|언니|오빠|처남|가족"
_WORKER = r"알바생?|아르바이트생?|단시간|일용직?|계약직|수습|외국인(?:\s?직원)?|인턴"
_WITH = r"까지|포함"
_WITHOUT = r"빼고|제외|말고|빼면"
_PARTY = (
    rf"(?<![가-힣])(?:(?P<owner>{_OWNER})|(?P<no_worker>{_NO_WORKER})|(?P<relative>{_RELATIVE})|(?P<worker>{_WORKER}))"
    rf"(?:은|는|를|을|도|랑|하고)?\s?(?:(?P<counted>{_WITH})|(?P<left_out>{_WITHOUT}))(?:해서|해|하면|하여|하고|치면|쳐서|세면|한)?(?=\s)"
)
_PARTIES = re.compile(_PARTY)
_UNNAMED = re.sub(r"\?P<\w+>", "?:", _PARTY)
_RECKONED = re.compile(
    rf"(?P<parties>{_UNNAMED}(?:\s{_UNNAMED}){{0,2}})\s?(?:다|모두|총|전부|전체|합쳐서?|합해서?|해서|세면|치면|딱|다\s해서)?\s?"
    rf"(?:(?:{_STAFF})(?:이|은|는|가|수가|만)?\s?)?(?:총|모두|전부|딱)?\s?{_NUMBER}{BOUND}"
)

_NOBODY = re.compile(
    r"(?P<nobody>(?<![가-힣])(?:직원|종업원))(?:이|은|도|을|는)?\s?(?:(?:아직|한\s?명도|하나도|아무도)\s?)?(?:없이|없는|없고|없어|없다|없습|없음|없을|안\s?쓰|안\s?두)"
    r"|(?<![가-힣\d])[1일]인\s?(?:사업장|사업자|사업|기업|창조기업|법인|가게|매장|미용실|회사|셀러|샵|숍|카페|쇼핑몰|디자인|스튜디오|개발|자영업|대표)"
    r"|(?<![가-힣])(?:나|저)?\s?혼자서?\s?(?:[가-힣]{1,8}(?:을|를)?\s)?(?:일하는|일해|일하고|하는|해요|합니다|하고|하는데|운영|꾸리|장사)"
    r"(?!\s?(?:직원|알바|사람))"
    rf"|(?:(?:{_RELATIVE})(?:랑|하고|와|이랑)|부부(?:가|끼리)?|가족끼리(?:만)?|가족만)\s?(?:단?둘이서?|둘만|만|하는|운영|일)(?!\s?동업)"
)
_OF_A_KIND = re.compile(r"(?<!저)(?<!희)(?<!리)(?<!나)[는은인한된할진]\s$")
_ALONE_ON_DUTY = re.compile(r"혼자서?\s?[^.?!\n]{0,16}?(?:보는|있는|근무하는|일하는)\s?(?:직원|알바|사람|시간)")
_ADDED = re.compile(
    r"(?:이고|이랑|하고|에다?|과|와|,|있고)?\s?(?:(?:그리고|또|주말|평일|야간|새벽|오전|오후|단기|월|하루|\d{1,3}시간|짜리)\s?){0,4}"
)
_ALTERNATING = re.compile(rf"\s?이?\s?(?:됐다|되었다|였다|이었다)가?\s?(?P<count>{COUNTED})\s?명")
_INCLUDED = re.compile(r"\s?(?:을|를)?\s?포함")
_WORDS_BEFORE = 16
_AMONG = re.compile(r"중|가운데|포함")
_NOW = re.compile(r"지금|이제|현재|올해")
_RENAMED = re.compile(
    rf"(?:그럼|그러면|만약에?|만일|혹시|근데|그런데|아니|그렇다면)?,?\s?(?:저희가?\s)?(?:(?:{_STAFF})(?:이|은|수가)?\s?)?{_NUMBER}{BOUND}"
    r"\s?(?:이면|이라면|면|라면|일\s?때|인\s?경우|이\s?되면|되면|으로\s?늘면|은|는|도|인데)(?:요|은요|는요|어떻게\s?(?:되나요|돼요|해요))?\s?[?.!~]*"
)
# A change that is asked about, not one that has happened: 한 명 더 뽑으면, 두 명 그만두면.
_CHANGED = re.compile(
    rf"(?<![\d가-힣.])(?P<count>{COUNTED})\s?(?:명|사람)(?:을|를|이|만|도)?\s?"
    r"(?:(?P<more>(?:더|추가로|새로)\s?(?:뽑으|채용하|고용하|쓰|늘리|늘|들어오|들이|구하|오|생기))|(?:더\s?)?(?:그만두|나가|줄이|줄|빠지|퇴사하))면"
)


def stated_headcount(text: str) -> Range | None:
    """The staff that ``text`` says the asker has, None where it says nothing of them.

    Other people (customers, students, partners) and changes (더 뽑으려고, 그만뒀어요) are none. Numbers of several kinds of
    staff in a row are added; of others that differ the span is known, or the one that is said to hold now.
    """
    if reckoned := _reckoned(text):
        return reckoned
    if stated := _stated(text):
        return stated
    return exactly(0) if _nobody(text) else _of_workplace(text)


def renamed_headcount(text: str) -> Range | None:
    """The staff of a second case, asked about in a short follow-up that names the number alone: 그럼 여섯 명이면요?"""
    match = _RENAMED.fullmatch(text.strip())
    return _span(match) if match else None


def headcount_change(text: str) -> tuple[int, str] | None:
    """The number of staff more, or fewer (negative), that ``text`` asks about, and the words that say so; None for no change."""
    match = _CHANGED.search(text)
    if match is None:
        return None
    number = int(number_of(match["count"]))
    return (number if match["more"] else -number), match.group()


def headcount_place(text: str) -> tuple[int, int] | None:
    """Where ``text`` says the number of staff, with its counter and what bounds it (다섯 명 미만); None where it says none or several."""
    found = [
        match
        for match in (*_STATED.finditer(text), *_STAFFED.finditer(text))
        if not _is_other(text, match) and not _PART.match(text, match.end())
    ]
    places = {match.span(_number_in(match)) for match in found}
    if len(places) != 1:
        return None
    start, end = places.pop()
    if found[0]["bound"]:
        return start, found[0].end("bound")
    counter = _COUNTER.match(text, end)
    return start, counter.end() if counter else end


def _number_in(match: re.Match[str]) -> str:
    """The name of the group that holds the number."""
    return next(name for name in ("count", "alone", "working") if match.groupdict().get(name))


def _span(match: re.Match[str]) -> Range:
    number = match[_number_in(match)]
    if number in _ROUGHLY:
        low, high = _ROUGHLY[number]
        return Range(Decimal(low), Decimal(high))
    return bounded(number_of(number), match, Decimal(1))


def _reckoned(text: str) -> Range | None:
    """A number with or without those who are named: 저까지 여섯, 아내 빼고 셋, 알바 포함 네 명."""
    for match in _RECKONED.finditer(text):
        if _is_other(text, match) or _PART.match(text, match.end()):
            continue
        span = _span(match)
        for party in _PARTIES.finditer(match["parties"] + " "):
            span = _without(span, party)
        return span
    return None


def _without(span: Range, party: re.Match[str]) -> Range:
    """The span of those who are counted by law where the number said holds, or lacks, a party."""
    counted = party["counted"] is not None
    if party["owner"]:
        return span.plus(-1) if counted else span
    if party["no_worker"]:
        return less_than(span.high) if counted and span.high is not None else span
    if party["worker"]:
        return span if counted or span.low is None else more_than(span.low)
    if counted:
        return Range(span.plus(-1).low, span.high, span.open_low, span.open_high)
    return Range(span.low, span.plus(1).high, span.open_low, span.open_high)


def _stated(text: str) -> Range | None:
    found: list[tuple[re.Match[str], Range]] = []
    for match in _STATED.finditer(text):
        if _is_other(text, match) or _PART.match(text, match.end()) or _counted_already(text, match):
            continue
        found.append((match, _span(match)))
    if not found:
        return None
    (last, total), *others = found
    for match, span in others:
        gap = text[last.end() : match.start()]
        if match["who"] != last["who"] and _ADDED.fullmatch(gap):
            total = _sum(total, span)
        elif _AMONG.search(gap):
            continue
        elif _NOW.search(gap) or None in (total.low, total.high, span.low, span.high):
            total = span
        else:
            total = total.spanning(span)
        last = match
    return _alternating(text, last, total)


def _alternating(text: str, last: re.Match[str], total: Range) -> Range:
    """다섯 명 됐다 네 명 됐다: what follows counts as well."""
    other = _ALTERNATING.match(text, last.end())
    return total.spanning(exactly(number_of(other["count"]))) if other and total.exact is not None else total


def _counted_already(text: str, match: re.Match[str]) -> bool:
    """직원 5명 (알바 2명 포함): the second is part of the first."""
    return _INCLUDED.match(text, match.end()) is not None


def _nobody(text: str) -> bool:
    """The text says that there are no staff; 자격 있는 직원이 없는데 says that there are none of a kind."""
    if _ALONE_ON_DUTY.search(text):
        return False
    return any(not (none["nobody"] and _stands_before(_OF_A_KIND, text, none)) for none in _NOBODY.finditer(text))


def _stands_before(words: re.Pattern[str], text: str, match: re.Match[str]) -> bool:
    """The match is preceded by words whose pattern ends in ``$``."""
    return words.search(text, max(0, match.start() - _WORDS_BEFORE), match.start()) is not None


def _sum(first: Range, second: Range) -> Range:
    low = None if first.low is None or second.low is None else first.low + second.low
    high = None if first.high is None or second.high is None else first.high + second.high
    return Range(low, high, first.open_low or second.open_low, first.open_high or second.open_high)


def _is_other(text: str, match: re.Match[str]) -> bool:
    """The number is one of other people, or of those who found a company together."""
    return _stands_before(_OTHERS, text, match) or _COMPANY.match(text, match.end()) is not None


def _of_workplace(text: str) -> Range | None:
    for pattern in (_STAFFED, _AVERAGE):
        for match in pattern.finditer(text):
            if not _stands_before(_OTHERS, text, match):
                return exactly(0) if _ALONE.match(match.group()) else _span(match)
    return _limited(text)


def _limited(text: str) -> Range | None:
    """A threshold that stands for the asker's business: 5인 미만도, 상시 10명 미만, 네 명 이하면."""
    for match in _LIMIT.finditer(text):
        if _stands_before(_OTHERS, text, match) or _OF_OTHERS.match(text, match.end()):
            continue
        small = match["unit"] == "인" and match["side"] != "이상"
        if small or _stands_before(_REGULAR, text, match) or _OF_STAFF.match(text, match.end()):
            return _SIDES[match["side"]](number_of(match["count"]))
    return None
