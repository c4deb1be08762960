"""Patterns of figures in Korean text, one rule for each way of writing them (see `utils.figures.figures`)."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from enum import StrEnum
from math import gcd

from utils.figures.numerals import decimal_of, parse_amount, parse_native, plain


class FigureKind(StrEnum):
    """Quantities that a figure can measure."""

    ARTICLE = "article"  # 제48조의2
    CLAUSE = "clause"  # 제1항, 제2호, and the paragraph numbers ① ② of a statute
    MONEY = "money"
    PERCENT = "percent"  # also 100분의 5, 2분의 1, 3배: every ratio whose percentage is a finite decimal
    FRACTION = "fraction"  # 3분의 2, in lowest terms
    DATE = "date"
    COUNT = "count"  # a number with a unit: 25일, 5명, 40시간, 3개월
    NUMBER = "number"  # a bare number


Classified = tuple[FigureKind, str]
Match = re.Match[str]

_UNIT_ALIASES = {
    "인": "명", "사람": "명", "달": "개월", "개년": "년", "주일": "주", "년간": "년", "일간": "일", "주간": "주", "해": "년",
    "년도": "년", "연도": "년", "개월간": "개월", "살": "세", "평방미터": "㎡", "제곱미터": "㎡", "m²": "㎡", "m2": "㎡",
    "개사": "개", "차례": "번", "군데": "곳", "개소": "곳", "세대": "가구", "킬로미터": "km", "킬로그램": "kg", "㎏": "kg",
    "미터": "m", "톤": "t",
}  # fmt: skip
_WORDS = {
    "하루": "1일", "이틀": "2일", "사흘": "3일", "나흘": "4일", "닷새": "5일", "열흘": "10일", "보름": "15일",
    "일주일": "1주", "반년": "6개월",
}  # fmt: skip

NUMBER = r"(?:\d{1,3}(?:,\n?\d{3})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?)"
_SCALE = r"(?:[천백십만억조]|\s[천백십]?[만억조](?=\s?원))"
# Atomic: 천만 has one reading only, so a long run of such digits that ends in no unit is given up at once.
_AMOUNT = rf"(?>{NUMBER}(?:{_SCALE}++(?:{NUMBER}|\s{NUMBER}(?=[천백십만억]|\s?원))?)*+)"
_SINO = "[일이삼사오육칠팔구십백천만억]"
_WON = r"\s?원(?!천징|고\s|칙|재료|심)"
# A unit that also begins a common noun must not be followed by the rest of that noun: 5 개인, 1세금, 3회사.
_UNITS = r"""(?:
    개월간|개월|개년|개사|개소|개국|개(?![인정선발업시설최])|년간|년도|년차|년|연도|영업일|근무일|일간|일(?!반|정|부\b)
    |주일|주간|주택|주(?![택주식소요])|시간|시(?![간작장설행도기정험세])|분기|분(?![의류야할양담쟁])|반기|초(?![과기])
    |명(?!령|의신탁)|사람|인(?![상하건력적정증격원출허재])|세대|세(?![금무액율대부])|살|회차|회(?![사계원비])
    |건(?![물강설축])|번째|번(?!호)|가지|곳|군데|차례|층|호실|대(?![표상금출체응])|종(?![류업합사])|장(?![애소기])
    |점(?![포수])|통(?![신상지보합])|단계|학점|등급|급(?![여식부])|기(?![간업준본술존한타록재관계초능금부소회반숙])
    |차(?![량용입감이익단별액임주손례])|배(?![당우상송])|가구|필지|평방미터|제곱미터|㎡|m²|m2|평(?!균)|킬로미터
    |킬로그램|미터|km|kg|㎏|톤|리터|달러|유로|엔|위안|포인트|과목|자리|박)"""
# Without a space 네일, 세종 and 한해 are words, not counts.
_NATIVE_UNITS = (
    r"(?:\s?(?:달|명(?!령)|개월|개(?![인정선발업시설최])|번째|번(?!호)|살|배(?![우당상송])|곳|시간|사람|가지|차례|군데)"
    r"|\s(?:해(?![당석제지고외산결])|주(?![택주식소요])))"
)
# In 제48조의 2분의 1 and 제60조의 15일 the number after 의 counts something and is no part of the article.
_NOT_COUNTED = r"(?!\d)(?!\s?(?:분의|%|퍼센트|[만천억]|원|일\b|일[간이까부전후의을]|년|개|명|회|배|시간|가지|세))"

_YEAR = r"(?:(?<!\d)(?P<year>(?:19|20)\d\d)|['’‘](?P<year2>\d\d))"
_MONTH = r"(?:1[0-2]|0?[1-9])"
_DAY = r"(?:3[01]|[12]\d|0?[1-9])"


def _article(match: Match) -> Classified:
    sub = match["sub"]
    return FigureKind.ARTICLE, f"제{int(match['art'])}조" + (f"의{int(sub)}" if sub else "")


def _clause(match: Match) -> Classified:
    sub = f"의{int(match['item_sub'])}" if match["item_sub"] else ""
    return FigureKind.CLAUSE, f"제{int(match['item'])}{match['item_unit']}{sub}"


def _date(match: Match) -> Classified:
    year = int(match["year"] or "20" + match["year2"])
    day = f"-{int(match['day']):02d}" if match["day"] else ""
    return FigureKind.DATE, f"{year}-{int(match['month']):02d}{day}"


def _ratio(part: Decimal, whole: Decimal) -> Classified:
    if not whole:
        return FigureKind.FRACTION, f"{plain(part)}/0"
    scale = 10 ** max(0, -int(part.as_tuple().exponent), -int(whole.as_tuple().exponent))
    top, bottom = int(part * scale), int(whole * scale)
    divisor = gcd(top, bottom)
    top, bottom = top // divisor, bottom // divisor
    if _is_finite_decimal(bottom):
        return _percent(Decimal(top * 100) / bottom)
    return FigureKind.FRACTION, f"{top}/{bottom}"


def _is_finite_decimal(denominator: int) -> bool:
    """Return True if a fraction in lowest terms has a finite decimal expansion: only 2 and 5 divide its denominator."""
    for prime in (2, 5):
        while denominator % prime == 0:
            denominator //= prime
    return denominator == 1


def _clock(match: Match) -> Classified:
    hour = int(match["hour"])
    afternoon = match["half"] in ("오후", "저녁") or (match["half"] in ("밤", "낮") and hour >= 6)
    return FigureKind.COUNT, f"{hour + 12 if afternoon and hour < 12 else hour}시"


def _counted(value: Decimal, unit: str) -> Classified:
    if unit == "배":
        return FigureKind.PERCENT, plain(value * 100) + "%"
    return FigureKind.COUNT, plain(value) + _UNIT_ALIASES.get(unit, unit)


def _money(text: str) -> Classified:
    return FigureKind.MONEY, plain(parse_amount(text)) + "원"


def _percent(value: Decimal) -> Classified:
    return FigureKind.PERCENT, plain(value) + "%"


# Name of a rule, what it matches, what that means. The first that matches at a place wins.
_RULES: tuple[tuple[str, str, Callable[[Match], Classified]], ...] = (
    (
        "article",
        (
            rf"(?:제\s?)?(?P<art>\d{{1,4}})\s?조(?!\s?(?:원|규모|\d[\d,]*[천백십]?(?:[억만]|\s?원)))"
            rf"(?:\s?의\s?(?P<sub>\d{{1,2}}){_NOT_COUNTED})?"
        ),
        _article,
    ),
    (
        "clause",
        (
            r"(?:제\s?(?=\d+\s?[항호목장절관편])|(?=\d+\s?항(?!목)))(?P<item>\d{1,3})\s?(?P<item_unit>[항호목장절관편])"
            r"(?:\s?의\s?(?P<item_sub>\d{1,2})(?!\d))?"
        ),
        _clause,
    ),
    (
        "paragraph",
        "[①-⑳]",
        lambda m: (FigureKind.CLAUSE, f"제{ord(m.group()) - 0x245F}항"),
    ),
    (
        "date",
        rf"{_YEAR}\s?(?:년|[.\-/])\s?(?P<month>{_MONTH})\s?(?:월|[.\-/])(?:\s?(?P<day>{_DAY})(?!\d)(?:\s?일)?)?",
        _date,
    ),
    (
        "month_day",
        rf"(?P<month3>{_MONTH})\s?월\s?(?P<day3>{_DAY})\s?일",
        lambda m: (FigureKind.DATE, f"{int(m['month3'])}월{int(m['day3'])}일"),
    ),
    (
        "months",
        r"(?P<months_n>\d{1,2})월(?=\s?(?:이내|내에|이상|이하|미만))",
        lambda m: _counted(decimal_of(m["months_n"]), "개월"),
    ),
    (
        "month_only",
        rf"(?P<month4>{_MONTH})\s?월(?!\s?\d)(?P<end_of_month>\s?말일?)?",
        lambda m: (
            FigureKind.DATE,
            f"{int(m['month4'])}월" + ("말" if m["end_of_month"] else ""),
        ),
    ),
    (
        "ratio",
        rf"(?P<whole>{_AMOUNT}|[백천만])\s?분의\s?(?P<part>{NUMBER})",
        lambda m: _ratio(decimal_of(m["part"]), parse_amount(m["whole"])),
    ),
    (
        "slash",
        r"(?<![\d./])(?P<part2>\d{1,3})[/／](?P<whole2>\d{1,4})(?![\d/])",
        lambda m: _ratio(decimal_of(m["part2"]), decimal_of(m["whole2"])),
    ),
    (
        "percent",
        rf"(?P<percent_n>{NUMBER})\s?(?:[%％]|퍼센트|프로(?![그젝모필세토]))",
        lambda m: _percent(decimal_of(m["percent_n"])),
    ),
    ("money", rf"(?P<money_n>{_AMOUNT}){_WON}", lambda m: _money(m["money_n"])),
    (
        "count",
        rf"(?P<count_n>{_AMOUNT})\s?(?:여\s?)?(?P<unit>{_UNITS})",
        lambda m: _counted(parse_amount(m["count_n"]), m["unit"]),
    ),
    ("number", _AMOUNT, lambda m: (FigureKind.NUMBER, plain(parse_amount(m.group())))),
)
# These begin with a syllable that words contain as well, so they must begin a word.
_WORD_RULES: tuple[tuple[str, str, Callable[[Match], Classified]], ...] = (
    (
        "clock",
        r"(?P<half>오전|오후|새벽|아침|낮|저녁|밤)\s?(?P<hour>\d{1,2})\s?시(?!간)",
        _clock,
    ),
    (
        "sino_money",
        rf"{_SINO}{{0,16}}[십백천만억](?:\s{_SINO}{{0,16}}[십백천만억]){{0,5}}{_WON}",
        lambda m: _money(m.group()),
    ),
    (
        "sino_percent",
        rf"{_SINO}+\s?퍼센트",
        lambda m: _percent(parse_amount(m.group())),
    ),
    (
        "sino_count",
        (
            r"(?P<sino>[일이삼사오육칠팔구](?=\s?개월)"
            r"|(?:[이삼사오육칠팔구][십백천]|[십백천](?=[이삼사오육칠팔구십백]))(?:[이삼사오육칠팔구]?[십백])*[일이삼사오육칠팔구]?)"
            r"\s?(?P<sino_unit>개월|년|일|명|인|시간|회|세)"
        ),
        lambda m: _counted(parse_amount(m["sino"]), m["sino_unit"]),
    ),
    (
        "word",
        r"하루(?![빨아종살라])|이틀|사흘|나흘|닷새|열흘|보름|일주일|반년",
        lambda m: (FigureKind.COUNT, _WORDS[m.group()]),
    ),
    ("half_of", "절반", lambda m: _percent(Decimal(50))),
    (
        "native",
        (
            r"(?P<native_n>(?:열|스물|서른|마흔|쉰)\s?(?:한|두|세|네|다섯|여섯|일곱|여덟|아홉)"
            rf"|스무|열|서른|마흔|쉰|다섯|여섯|일곱|여덟|아홉|[한두세네석넉])(?P<native_unit>{_NATIVE_UNITS})"
        ),
        lambda m: _counted(Decimal(parse_native(m["native_n"])), m["native_unit"].strip()),
    ),
)

# Meaning of a match by the name of its rule (``match.lastgroup``).
CLASSIFY = {name: classify for name, _, classify in (*_RULES, *_WORD_RULES)}


def _alternatives(
    rules: tuple[tuple[str, str, Callable[[Match], Classified]], ...],
) -> str:
    return "|".join(f"(?P<{name}>{pattern})" for name, pattern, _ in rules)


PATTERN = re.compile(
    rf"(?=[0-9제①-⑳'’‘백천만])(?:{_alternatives(_RULES)})"
    rf"|(?<![가-힣])(?=[일이삼사오육칠팔구십백천만억하이사나닷열보반절스서마쉰다여아한두세네석넉전후새벽침낮저녁밤])"
    rf"(?:{_alternatives(_WORD_RULES)})",
    re.VERBOSE,
)
