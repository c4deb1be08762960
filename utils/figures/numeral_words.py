"""Numerals in words, written in Arabic digits: 스무엿새, 예순 명, 삼분의 일, 1할 5푼, 갑절, twenty-five percent, July 26th.

Korean words are read where they cannot be anything else: at the beginning of a word, and short ones (이, 일, 사, 오) only with
a unit and what follows a figure (이내, 미만, 까지), so that 이 일, 사회, 열심히 and 하나의 stay words.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal

from utils.figures.numeral_scripts import in_arabic_digits
from utils.figures.numerals import NATIVE_ONES, SINO_DIGITS, parse_amount, parse_english, parse_native, plain

_Match = re.Match[str]

_DAYS = {
    "하루": 1, "이틀": 2, "사흘": 3, "나흘": 4, "닷새": 5, "엿새": 6, "이레": 7, "여드레": 8, "아흐레": 9, "열흘": 10,
    "사흗": 3, "나흗": 4, "닷샛": 5, "엿샛": 6, "이렛": 7,
}  # fmt: skip
_DAYS_BEFORE = {"초": 0, "열": 10, "스무": 20}
_MONTHS = {
    "삼": 3,
    "사": 4,
    "오": 5,
    "유": 6,
    "칠": 7,
    "팔": 8,
    "구": 9,
    "시": 10,
    "십일": 11,
    "십이": 12,
    "이": 2,
    "일": 1,
}
_ENGLISH_UNITS = {
    "percent": "%", "per cent": "%", "day": "일", "days": "일", "month": "개월", "months": "개월", "year": "년", "years": "년",
    "week": "주", "weeks": "주", "hour": "시간", "hours": "시간", "won": "원", "krw": "원", "people": "명", "persons": "명",
    "employees": "명", "workers": "명",
}  # fmt: skip
_ENGLISH_MONTHS = tuple("january february march april may june july august september october november december".split())

_DIGIT = "[일이삼사오육칠팔구]"
_SINO = "[일이삼사오육칠팔구십백천만억]"
_ONES = "(?:하나|한|둘|두|셋|세|석|넷|네|넉|다섯|여섯|일곱|여덟|아홉)"
_LIMIT = r"(?:이내|이상|이하|미만|초과)"
# Words that stand behind a figure and not behind a word that only sounds like one.
_MEANT = rf"(?=\s?(?:{_LIMIT}|동안|까지|안에|마다|이\s?(?:지|경과|넘)|입니다|이다|이며|이고|이면|이라면|이어야|내에))"
_PARTICLE = (
    r"(?=[을를은는에의씩만로]|이[\s고며면다내하상므]|입니다|까지|부터|미만|초과|간[\s의]|마다|동안|[\s.,)·~%]|$)"
)

_RULES: tuple[tuple[str, str, Callable[[_Match], str]], ...] = (
    (
        "days",
        rf"(?P<before>초|열|스무)(?P<day>{'|'.join(_DAYS)})(?!째)|(?P<alone>엿새|이레|여드레|아흐레)"
        r"(?=날|\s?(?:이내|안에|내에|전|후|뒤|동안|까지|만에)|[간를만에의로]|[\s.,)]|입니다|$)",
        lambda m: f"{_DAYS_BEFORE[m['before']] + _DAYS[m['day']] if m['before'] else _DAYS[m['alone']]}일",
    ),
    ("twentieth", r"스무날", lambda m: "20일"),
    (
        "month",
        r"(?P<month>십[일이]|[일이삼사오유칠팔구시])월(?=\s?(?:\d{1,2}|[일이삼사오육칠팔구십]+)\s?일)"
        r"|(?P<month_alone>십[일이]|[유시칠팔구])월(?=\s?(?:말|까지|부터|중)|에\s)",
        lambda m: f"{_MONTHS[m['month'] or m['month_alone']]}월",
    ),
    (
        "ratio",
        rf"(?P<whole>{_SINO}+)\s?분의\s?(?P<part>{_SINO}+){_PARTICLE}",
        lambda m: f"{_sino(m['whole'])}분의 {_sino(m['part'])}",
    ),
    (
        "tenths",
        rf"(?P<tenths>[삼오육칠팔]|{_DIGIT}\s?(?=할\s?{_DIGIT}\s?푼))\s?할(?:\s?(?P<hundredths>{_DIGIT}|\d)\s?푼)?{_PARTICLE}",
        lambda m: _tenths(m["tenths"], m["hundredths"]),
    ),
    (
        "native_ten",
        rf"(?P<ten>스물|서른|마흔|예순|일흔|여든|아흔)\s?(?P<one>{_ONES}?)(?![가-힣]*(?:살림|마리))",
        lambda m: str(parse_native(m["ten"] + m["one"])),
    ),
    (
        "native_teen",
        r"(?P<teen>(?:열|쉰)(?:하나|둘|셋|넷|다섯|여섯|일곱|여덟|아홉))",
        lambda m: str(parse_native(m["teen"])),
    ),
    (
        "native_one",
        rf"(?P<small>둘|셋|넷|다섯|여섯|일곱|여덟|아홉|열)(?=\s?{_LIMIT})"
        rf"|(?P<five>다섯|여섯|일곱|여덟|아홉){_MEANT}"
        rf"|(?P<counted>한|두|세|네|다섯|여섯|일곱|여덟|아홉|열)\s(?=(?:건|장|대|채|마리|통|권|쪽|시){_PARTICLE})",
        lambda m: str(parse_native(m["small"] or m["five"] or m["counted"])) + (" " if m["counted"] else ""),
    ),
    (
        "sino",
        rf"(?P<sino>{_SINO}{{2,}})\s?(?P<sino_unit>배|주|개|건|차례|번|장|대|평|년|일|명|인|개월|시간|회|세|박|프로|분(?!의)){_PARTICLE}",
        lambda m: _sino_count(m["sino"], m["sino_unit"], m.group()),
    ),
    (
        "positional",
        rf"(?P<digits>[영공]?{_DIGIT}[영공일이삼사오육칠팔구]+)(?=\s?(?:퍼센트|프로(?![그젝모필세토])|%|년[도에의부까\s]))",
        lambda m: "".join(str("영일이삼사오육칠팔구".index(syllable.replace("공", "영"))) for syllable in m["digits"]),
    ),
    (
        "sino_one",
        rf"(?P<one_digit>{_DIGIT})(?:(?P<one_unit>년|개월|일|명|인|주|회|시간|배|세){_MEANT}"
        rf"|\s?(?P<safe_unit>개월|퍼센트|프로(?![그젝모필세토]|가|이|는|의|를)))",
        lambda m: f"{SINO_DIGITS[m['one_digit']]}{m['one_unit'] or m['safe_unit']}",
    ),
    ("double", r"(?P<times>[두세네]\s)?(?:곱절|갑절)", lambda m: f"{NATIVE_ONES[(m['times'] or '두').strip()]}배"),
    ("doubled", r"배(?=액|로\s(?:늘|증가|오르|커|배상))", lambda m: "2배 "),
    ("half", r"반(?=(?:으로|을|만|은)\s|\s?(?:이상|이하)|[액값]|으로[.,])", lambda m: "50% "),
)
_REPLACE = {name: replace for name, _, replace in _RULES}
_WORDS = re.compile(
    "(?<![가-힣])(?=[초열스엿이여아십일삼사오유칠팔구시육백천만억서마예쉰둘셋넷다한두세네영공곱갑배반])(?:"
    + "|".join(f"(?P<rule_{name}>{pattern})" for name, pattern, _ in _RULES)
    + ")"
)
_DIGIT_TENTHS = re.compile(
    r"(?<![\d.])(?P<tenths>\d)\s?할(?:\s?(?P<hundredths>\d|[일이삼사오육칠팔구])\s?푼)?(?![가-힣]{2,3}율)"
)
_DAY_OF_MONTH = re.compile(r"(?<=\d월)\s?(?P<day>[일이삼사오육칠팔구십]{1,3})일")
_LATIN_WORD = re.compile(r"[A-Za-z]{3}")
_SMALL_ENGLISH = "one|two|three|four|five|six|seven|eight|nine"
_LARGE_ENGLISH = (
    "ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy"
    "|eighty|ninety"
)
_SCALES = "hundred|thousand|million|billion"
_ORDINALS = "first|second|third|fourth|fifth|sixth|seventh|eighth|ninth"
_ENGLISH = re.compile(
    rf"(?<![A-Za-z])(?:(?:{_LARGE_ENGLISH})(?![A-Za-z])|(?:{_SMALL_ENGLISH})(?=[\s-](?:{_SCALES}|{'|'.join(_ENGLISH_UNITS)})))"
    rf"(?:[\s-](?:and\s)?(?:{_LARGE_ENGLISH}|{_SMALL_ENGLISH}|{_ORDINALS}|{_SCALES})(?![A-Za-z]))*+",
    re.IGNORECASE,
)
_ENGLISH_UNIT = re.compile(
    rf"(?<=\d)[\s-]?(?P<unit>{'|'.join(sorted(_ENGLISH_UNITS, key=len, reverse=True))})(?![a-z])", re.IGNORECASE
)
_ENGLISH_DATE = re.compile(
    rf"(?<![A-Za-z])(?P<month>{'|'.join(_ENGLISH_MONTHS)})\s(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?![a-z\d])"
    rf"|(?<!\d)(?P<day_first>\d{{1,2}})(?:st|nd|rd|th)?\s(?:of\s)?(?P<month_last>{'|'.join(_ENGLISH_MONTHS)})(?![a-z])",
    re.IGNORECASE,
)


def legible(text: str) -> str:
    """``text`` with all its numerals in Arabic digits; other words, and circled numbers of paragraphs, stay."""
    text = in_arabic_digits(text)
    if not text.isascii():
        text = _WORDS.sub(_word, text)
        text = _DAY_OF_MONTH.sub(lambda match: f" {_sino(match['day'])}일", text)
        text = _DIGIT_TENTHS.sub(lambda match: _tenths(match["tenths"], match["hundredths"]), text)
    if not _LATIN_WORD.search(text):
        return text
    text = _ENGLISH.sub(lambda match: str(parse_english(match.group())), text)
    text = _ENGLISH_DATE.sub(_english_date, text)
    return _ENGLISH_UNIT.sub(lambda match: _ENGLISH_UNITS[match["unit"].lower()], text)


def _word(match: _Match) -> str:
    name = match.lastgroup
    assert name is not None  # every rule is named
    return _REPLACE[name.removeprefix("rule_")](match)


def _sino(text: str) -> str:
    return plain(parse_amount(text))


def _sino_count(numeral: str, unit: str, written: str) -> str:
    """이십육일 is 26일; without a tens syllable (이일, 사이) it is a word, and 십분 is one too."""
    if not re.search("[십백천만억]", numeral) or not re.search(_DIGIT, numeral + "일" * (len(numeral) > 2)):
        return written
    return _sino(numeral) + unit


def _tenths(tenths: str, hundredths: str | None) -> str:
    """1할 5푼 is 15%."""
    value = 10 * parse_amount(tenths) + (parse_amount(hundredths) if hundredths else Decimal(0))
    return f"{plain(value)}%"


def _english_date(match: _Match) -> str:
    month = (match["month"] or match["month_last"]).lower()
    return f"{_ENGLISH_MONTHS.index(month) + 1}월 {int(match['day'] or match['day_first'])}일"
