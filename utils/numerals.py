"""Korean numerals: 1억 400만, 2천4백, 삼백오십만, 열다섯, 사흘."""

from __future__ import annotations

import re
from decimal import Decimal

SINO_DIGITS = {"일": 1, "이": 2, "삼": 3, "사": 4, "오": 5, "육": 6, "칠": 7, "팔": 8, "구": 9}
MULTIPLIERS = {"십": 10, "백": 100, "천": 1_000}
GROUPS = {"만": 10_000, "억": 100_000_000, "조": 1_000_000_000_000}
NATIVE_TENS = {"열": 10, "스물": 20, "서른": 30, "마흔": 40, "쉰": 50}
NATIVE_ONES = {
    "한": 1, "두": 2, "세": 3, "석": 3, "네": 4, "넉": 4, "다섯": 5, "여섯": 6, "일곱": 7, "여덟": 8, "아홉": 9,
}  # fmt: skip

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
