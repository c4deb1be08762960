"""Places that questions name, and the larger areas in which they lie.

수도권 is 서울, 인천 and 경기 (수도권정비계획법 제2조 제1호, 시행령 제2조), 과밀억제권역 what 별표 1 of its 시행령 lists (제9조). Of 인천,
남양주 and 시흥 parts are left out there, so a question that names the city decides nothing.
"""

from __future__ import annotations

import re

SEOUL, GYEONGGI, INCHEON = "서울", "경기", "인천"
CAPITAL_AREA, OVERCROWDED, ELSEWHERE = "수도권", "과밀억제권역", "비수도권"

_DISTRICTS_OF_SEOUL = (
    "강남 강북 강서 관악 마포 송파 성수 성수동 홍대 이태원 여의도 종로 영등포 용산 잠실 구로 노원 은평 서초".split()
)
_OVERCROWDED_CITIES = "의정부 구리 하남 고양 일산 수원 성남 판교 분당 안양 부천 광명 과천 의왕 군포".split()
_PARTLY_OVERCROWDED = "남양주 시흥".split()
_CITIES_OF_GYEONGGI = "용인 화성 동탄 평택 안산 김포 파주 오산 이천 안성 여주 포천 양주 동두천 가평 양평 연천".split()
_ELSEWHERE = (
    "부산 대구 대전 광주 울산 세종 강원 강원도 충북 충남 충청도 전북 전남 전라도 경북 경남 경상도 제주 제주도 춘천 원주 강릉 청주 충주 천안 아산 전주 "
    "군산 익산 목포 여수 순천 포항 경주 구미 안동 창원 김해 진주 양산 거제".split()
)
# These are other words as well: copper, two thousand, a sort of liquor, that place.
_AMBIGUOUS = frozenset("구리 이천 양주 여주 화성 고양 안성 세종 성수 광명 구로 하남 경주 아산 강서 강북 양산".split())

_WITHIN = {
    SEOUL: {SEOUL, CAPITAL_AREA, OVERCROWDED},
    GYEONGGI: {GYEONGGI, CAPITAL_AREA},
    INCHEON: {INCHEON, CAPITAL_AREA},
    CAPITAL_AREA: {CAPITAL_AREA},
    OVERCROWDED: {OVERCROWDED, CAPITAL_AREA},
    ELSEWHERE: {ELSEWHERE},
    **{name: {SEOUL, CAPITAL_AREA, OVERCROWDED} for name in _DISTRICTS_OF_SEOUL},
    **{name: {name, GYEONGGI, CAPITAL_AREA, OVERCROWDED} for name in _OVERCROWDED_CITIES},
    **{name: {name, GYEONGGI, CAPITAL_AREA} for name in (*_PARTLY_OVERCROWDED, *_CITIES_OF_GYEONGGI)},
    **{name: {name, ELSEWHERE} for name in _ELSEWHERE},
}
_UNSURE = {
    GYEONGGI: {OVERCROWDED},
    INCHEON: {OVERCROWDED},
    CAPITAL_AREA: {SEOUL, GYEONGGI, INCHEON, OVERCROWDED},
    OVERCROWDED: {SEOUL, GYEONGGI, INCHEON},
    **{name: {OVERCROWDED} for name in _PARTLY_OVERCROWDED},
}
_SAFE = "|".join(sorted(_WITHIN.keys() - _AMBIGUOUS - {ELSEWHERE, *_DISTRICTS_OF_SEOUL}, key=len, reverse=True))
_UNSAFE = "|".join(sorted(_AMBIGUOUS.union(_DISTRICTS_OF_SEOUL), key=len, reverse=True))
_PLACE = re.compile(
    rf"(?<![가-힣])(?:(?P<safe>{_SAFE})(?:특별자치|특별|광역)?[시도]?(?=에서|에|은|는|이[고면라에]|인데|의\s|로\s|까지|[\s,.?!·/]|$)"
    rf"(?!(?:은|는|이|가)?\s?(?:밖|아닌|이\s아닌|외(?:에|의|\s)|말고|이외|빼고|옆|근처|근교|인근))"
    rf"|(?P<unsafe>{_UNSAFE})(?:시|구|동)?(?:에서|에\s(?:있|위치|사업장|공장|가게|본점))"
    r"|(?P<elsewhere>비수도권|(?:수도권|서울)\s?(?:밖|이\s?아닌|아닌|외의?\s지역)|지방(?=에서|에\s|의\s|\s(?:공장|회사|가게|소도시|중소기업|사업장|기업))|시골|읍내|군\s?지역)(?![가-힣]*세))"
)


def places_of(text: str) -> frozenset[str]:
    """The places that ``text`` names, each as `lies_in` knows it."""
    found = set()
    for match in _PLACE.finditer(text):
        name = match["safe"] or match["unsafe"] or ("비서울" if "서울" in match["elsewhere"] else ELSEWHERE)
        found.add(SEOUL if name in _DISTRICTS_OF_SEOUL else name)
    return frozenset(found)


def place_spans(text: str) -> list[tuple[int, int]]:
    """Where ``text`` names the places that `places_of` finds."""
    return [match.span() for match in _PLACE.finditer(text)]


def lies_in(place: str, area: str) -> bool | None:
    """The truth of ``place`` lying in ``area``; None where it is larger than the area, partly in it, or not known."""
    if place == area:
        return True
    if place == "비서울":  # anywhere but there
        return False if area == SEOUL else None
    if place not in _WITHIN or area not in {*_WITHIN, *(name for names in _WITHIN.values() for name in names)}:
        return None
    if area in _WITHIN[place]:
        return True
    if area in _UNSURE.get(place, ()) or place in _WITHIN.get(area, ()):
        return None
    return False
