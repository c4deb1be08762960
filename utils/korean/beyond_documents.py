"""Questions that no document of law and procedure answers, however near its words are: a telephone number, a recommendation, the
price of a service, the law of another country."""

from __future__ import annotations

import re

_WANTED = r"(?:[이가을를은는도좀]|\s){0,3}(?:뭐|뭔|몇\s?번|무엇|어떻게\s?(?:되|돼)|어디|알려|알\s?수|가르쳐|찾|[?？]|$)"
_NUMBER_OF_SOMEBODY = re.compile(
    rf"(?:(?:전화|직통|내선|휴대폰|핸드폰)\s?번호|연락처|담당자\s?(?:번호|이메일|메일)){_WANTED}", re.MULTILINE
)
_RECOMMENDATION = re.compile(
    r"추천\s?(?:해|좀|부탁|받)|골라\s?(?:줘|주세요)|중에\s?(?:\S{1,8}\s){0,2}(?:뭐가|어디가|어느\s?게|누가)\s?(?:더\s?)?(?:나아|나은|낫|좋)"
)
_MARKET_PRICE = re.compile(r"시세|(?:이면|면)\s?(?:싼|비싼)|(?:싼|비싼)\s?(?:건가|거|편)")
_COUNTRIES = (
    "베트남 미국 중국 일본 태국 인도네시아 필리핀 말레이시아 싱가포르 홍콩 대만 캐나다 호주 뉴질랜드 영국 독일 프랑스 이탈리아 스페인 네덜란드 "
    "스위스 러시아 우크라이나 몽골 카자흐스탄 우즈베키스탄 캄보디아 미얀마 라오스 네팔 방글라데시 두바이 사우디 멕시코 브라질 유럽"
).split()
# Names stand at the beginning of a word; 인도 alone is also the handing over of goods.
_COUNTRY = re.compile(rf"(?<![가-힣])(?:{'|'.join(_COUNTRIES)}|인도(?=에|\s?(?:회사|법인|사람|시장|산|현지)))")
_LAW_ABROAD = re.compile(
    rf"{_COUNTRY.pattern}\s?(?:현지\s?)?(?:의\s?)?(?:법(?!인)|세법|노동법|연방|세관|국세청|관세청|이민국|정부)"
)
_ABROAD = re.compile(r"외국|해외|국외|수출|수입|직구|관세|국적")


def asks_beyond_documents(question: str) -> bool:
    """Return True if ``question`` wants a telephone number, a recommendation, a market price or the law of another country."""
    patterns = (_NUMBER_OF_SOMEBODY, _RECOMMENDATION, _MARKET_PRICE, _LAW_ABROAD)
    return any(pattern.search(question) for pattern in patterns)


def is_of_another_country(question: str, text: str) -> bool:
    """Return True if ``question`` names a country and ``text`` speaks neither of it nor of anything abroad."""
    countries = set(_COUNTRY.findall(question))
    return bool(countries) and not any(country in text for country in countries) and not _ABROAD.search(text)
