"""Korean numerals: 1억 400만, 2천4백, 삼백오십만, 열다섯, 사흘."""

from __future__ import annotations

import re
from decimal import Decimal

SINO_DIGITS = {"일": 1, "이": 2, "삼": 3, "사": 4, "오": 5, "육": 6, "칠": 7, "팔": 8, "구": 9}
MULTIPLIERS = {"십": 10, "백": 100, "천": 1_000}
GROUPS = {"만": 10_000, "억": 100_000_000, "조": 1_000_000_000_000}
NATIVE_TENS = {"열": 10, "스물": 20, "서른": 30, "마흔": 40, "쉰": 50, "예순": 60, "일흔": 70, "여든": 80, "아흔": 90}
NATIVE_ONES = {
    "한": 1, "두": 2, "세": 3, "석": 3, "네": 4, "넉": 4, "다섯": 5, "여섯": 6, "일곱": 7, "여덟": 8, "아홉": 9,
    "하나": 1, "둘": 2, "셋": 3, "넷": 4,
}  # fmt: skip

HANJA_NUMERALS = {
    "一": "일", "二": "이", "三": "삼", "四": "사", "五": "오", "六": "육", "七": "칠", "八": "팔", "九": "구", "壹": "일", "貳": "이",
    "參": "삼", "十": "십", "拾": "십", "百": "백", "千": "천", "萬": "만", "万": "만", "億": "억", "兆": "조", "〇": "영", "零": "영",
}  # fmt: skip
_ROMAN = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1_000}
_ENGLISH = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11,
    "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19,
    "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10,
}  # fmt: skip
_ENGLISH_SCALES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}

_TOKEN = re.compile(r"\d[\d,]*(?:\.\d+)?|[십백천만억조]|[일이삼사오육칠팔구]")


def decimal_of(text: str) -> Decimal:
    """The value of an Arabic numeral with or without thousands separators; full-width digits count too."""
    return Decimal(re.sub(r"[,\s]", "", text))


def plain(value: Decimal) -> str:
    """The shortest decimal notation: ``4.50`` → ``4.5``, ``1E+3`` → ``1000``."""
    text = format(value, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def parse_amount(text: str) -> Decimal:
    """The value of a mixed Arabic and Korean numeral: ``1억 400만``, ``2천4백``, ``삼백오십만``, ``104,000,000``."""
    total = section = Decimal(0)
    current: Decimal | None = None
    for token in _TOKEN.findall(text.replace(",\n", ",")):
        if token in MULTIPLIERS:
            section += (Decimal(1) if current is None else current) * MULTIPLIERS[token]
            current = None
        elif token in GROUPS:
            section += current or Decimal(0)
            total += (section or Decimal(1)) * GROUPS[token]
            section, current = Decimal(0), None
        else:
            section += current or Decimal(0)
            current = Decimal(SINO_DIGITS[token]) if token in SINO_DIGITS else decimal_of(token)
    return total + section + (current or Decimal(0))


def parse_native(text: str) -> int:
    """The value of a native numeral before a counter: ``다섯``, ``열두``, ``스무``, ``스물네``."""
    compact = "".join(text.split()).replace("스무", "스물")
    for word, tens in NATIVE_TENS.items():
        if compact.startswith(word):
            return tens + NATIVE_ONES.get(compact[len(word) :], 0)
    return NATIVE_ONES[compact]


def parse_roman(text: str) -> int:
    """The value of a Roman numeral: ``XXVI``; letters that are none count nothing."""
    values = [_ROMAN.get(letter, 0) for letter in text.upper()]
    return sum(-value if value < after else value for value, after in zip(values, [*values[1:], 0], strict=True))


def parse_english(text: str) -> int:
    """The value of an English numeral in words: ``twenty-five``, ``one hundred and three``."""
    total = current = 0
    for word in re.split(r"[\s-]+", text.lower()):
        if scale := _ENGLISH_SCALES.get(word):
            current = max(current, 1) * scale
            if scale >= 1_000:
                total, current = total + current, 0
        else:
            current += _ENGLISH.get(word, 0)
    return total + current
