"""Figures of an English question as owners write them in Korean: 3 employees, 10 million won, 15 hours a week, January 25."""

from __future__ import annotations

import calendar
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation

from utils.english.lexicon import Lexicon, stem

_SCALES = {"thousand": 10**3, "k": 10**3, "million": 10**6, "mil": 10**6, "m": 10**6, "billion": 10**9}
_WON = ("won", "krw", "₩")
_DOLLARS = ("$", "usd", "dolar")
_MONTHS = {
    stem(name.lower()): number
    for names in (calendar.month_name, calendar.month_abbr)
    for number, name in enumerate(names)
    if name
}
_PER = ("per", "each", "every")
_EOK, _MAN = 10**8, 10**4
_LARGEST = Decimal(10**14)
_ORDINALS = ("st", "nd", "rd", "th")


def figure_at(words: Sequence[str], place: int, lexicon: Lexicon) -> tuple[str, int] | None:
    """The figure that begins at ``place``, in Korean, and the number of its words; an empty one where it means nothing alone."""
    if (date := _date_at(words, place)) is not None:
        return date
    sign = words[place] if words[place] in (*_WON, *_DOLLARS) else ""
    at = place + bool(sign)
    number = _number(words, at, lexicon)
    if number is None:
        return None
    at += 1
    scale = _SCALES.get(_word(words, at), 1)
    number, at = number * scale, at + (scale > 1)
    spelled = words[place] in lexicon.numbers
    if (sign in _WON and sign) or _word(words, at) in _WON or (scale > 1 and not sign and not spelled):
        return _per(f"{won(number)}", words, at + (_word(words, at) in _WON), place, lexicon)
    if sign or _word(words, at) in _DOLLARS:
        return _per(f"{number:,f}달러", words, at + (_word(words, at) in _DOLLARS), place, lexicon)
    if (counted := lexicon.counted.at(words, at)) is not None:
        return f"{counted[0]} {number:f}명", at + counted[1] - place
    if (unit := lexicon.units.at(words, at)) is not None:
        return _per(f"{number:f}{unit[0]}", words, at + unit[1], place, lexicon)
    if spelled:
        return None
    return _alone(number, words, place), at - place


def won(number: Decimal) -> str:
    """An amount of won as it is written in Korean: 1,000만원, 1억 5,000만원, 11,000원."""
    if number > _LARGEST or number != number.to_integral_value():
        return f"{number:,f}원"
    whole = int(number)
    if whole % _MAN or not whole:
        return f"{whole:,}원"
    eok, man = divmod(whole, _EOK)
    return " ".join([*([f"{eok:,}억"] if eok else []), *([f"{man // _MAN:,}만"] if man else [])]) + "원"


def _word(words: Sequence[str], at: int) -> str:
    return words[at] if at < len(words) else ""


def _number(words: Sequence[str], at: int, lexicon: Lexicon) -> Decimal | None:
    word = _word(words, at)
    if word in lexicon.numbers:
        return Decimal(lexicon.numbers[word])
    if not word[:1].isdigit():
        return None
    try:
        return Decimal(word.replace(",", ""))
    except InvalidOperation:  # 25th
        return None


def _per(figure: str, words: Sequence[str], at: int, place: int, lexicon: Lexicon) -> tuple[str, int]:
    """The figure with the period that it is for: 주 15시간, 연 8,000만원."""
    start = at + (_word(words, at) in _PER)
    period = lexicon.periods.at(words, start) if start < len(words) else None
    if period is None:
        return figure, at - place
    return f"{period[0]} {figure}", start + period[1] - place


def _alone(number: Decimal, words: Sequence[str], place: int) -> str:
    """A number without a unit: an age behind "I'm", a year, else nothing."""
    before = tuple(words[max(0, place - 2) : place])
    if before[-1:] in (("i'm",), ("aged",)) or before == ("i", "am"):
        return f"{number:f}세"
    return f"{number:f}년" if 2000 <= number < 2100 else ""


def _date_at(words: Sequence[str], place: int) -> tuple[str, int] | None:
    """January 25, 25 January and 25th of January as 1월 25일."""
    for month, day, length in ((place, place + 1, 2), (place + 1, place, 2), (place + 2, place, 3)):
        between = length < 3 or _word(words, place + 1) == "of"
        digits = _word(words, day)
        digits = digits[:-2] if digits.endswith(_ORDINALS) else digits
        if between and _word(words, month) in _MONTHS and digits.isdecimal() and len(digits) <= 2:
            return f"{_MONTHS[words[month]]}월 {int(digits)}일", length
    return None
