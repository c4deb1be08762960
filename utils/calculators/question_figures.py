"""Figures of a Korean question by what they measure: wages and prices by the word beside them, hours, spans and heads."""

from __future__ import annotations

import re
from decimal import Decimal
from functools import lru_cache

from utils.calculators.result import MAX_WON
from utils.figures.figures import find_figures
from utils.figures.numeral_words import legible

_COLLOQUIAL = 10_000  # 월세 200 and 연봉 4천 are told in units of 10,000 won
_A_NUMBER = r"(\d{1,14})"
_NO_OTHER_UNIT = (
    r"(?![\d.%-]|일|시간|년|개월|명|세|주|번|회|분|월(?![세급])|건|평|층)"  # a count stands without a blank by now
)
_BETWEEN = r"[^\d?!\n]{0,12}?"

_HOURS_A_DAY = re.compile(r"(?:1일|매일)(?:에|은|는|당)?\s?(\d{1,2}(?:\.\d)?)시간")
_DAYS_A_WEEK = re.compile(r"(?:(?<![가-힣])주|1주(?:일)?|매주)(?:에|에는|당)?\s?([1-7])(?:일|번|회)")
_HOURS_A_WEEK = re.compile(r"(?:(?<![가-힣])주|1주(?:일)?|매주)(?:에|에는|당)?\s?(\d{1,3}(?:\.\d)?)시간")
_YEARS = re.compile(r"(?<![\d-])(\d{1,2})년(?!도|\s?매출|\s?동안\s?매출|\s?수입)(\s?반(?![가-힣]))?")
_MONTHS = re.compile(r"(?<!\d)(\d{1,3})개월")
_HEADS = re.compile(r"(?<!\d)(\d{1,6})명")
_DAYS = re.compile(r"(?<!\d)(\d{1,5})일")
_SPANS_OF_SALES = re.compile(r"1년(?=\s?(?:매출|동안|에|간))")


class QuestionFigures:
    """The figures of a question. Amounts are in won; what is not told is None."""

    def __init__(self, question: str) -> None:
        self.text = _canonical(question)

    def __bool__(self) -> bool:
        """Return True if the question tells any figure."""
        return any(letter.isdigit() for letter in self.text)

    def money(self, labels: str, *, colloquial: bool = True) -> int | None:
        """The amount beside a word of ``labels`` (alternatives of a pattern): behind it, else before it."""
        behind, before = _money_patterns(labels)
        found = behind.search(self.text) or before.search(self.text)
        if found is None:
            return None
        value = int(found[1])
        if not found[2] and colloquial and value < _COLLOQUIAL:
            value *= _COLLOQUIAL
        return value if 0 < value <= MAX_WON else None

    def only_money(self) -> int | None:
        """The amount of a question that tells one; the first of several."""
        found = re.search(r"(\d{1,14})원", self.text) or re.search(r"(?<![\d.])(\d{5,14})(?![\d.%])", self.text)
        value = int(found[1]) if found is not None else 0
        return value if 0 < value <= MAX_WON else None

    def hours_a_day(self) -> float | None:
        return _number(_HOURS_A_DAY, self.text)

    def days_a_week(self) -> int | None:
        found = _DAYS_A_WEEK.search(self.text)
        return int(found[1]) if found is not None else None

    def hours_a_week(self) -> float | None:
        """The hours of a week, as told or by days and hours."""
        told = _number(_HOURS_A_WEEK, self.text)
        days, hours = self.days_a_week(), self.hours_a_day()
        if told is None and days is not None and hours is not None:
            return float(days * Decimal(str(hours)))
        return told

    def hours_of(self, kinds: str) -> float | None:
        """The hours behind a word of ``kinds``, such as 연장근로."""
        return _number(_hours_pattern(kinds), self.text)

    def months_of_service(self) -> int | None:
        """Years and months of a span, in months."""
        text = _SPANS_OF_SALES.sub("", self.text) if "매출" in self.text else self.text
        years, months = _YEARS.search(text), _MONTHS.search(text)
        if years is None and months is None:
            return None
        whole = 12 * int(years[1]) + (6 if years[2] else 0) if years is not None else 0
        return whole + (int(months[1]) if months is not None else 0)

    def heads(self) -> int | None:
        found = _HEADS.search(self.text)
        return int(found[1]) if found is not None else None

    def days(self) -> int | None:
        """Days of delay: days, or months of 30."""
        found = _DAYS.search(self.text)
        if found is not None:
            return int(found[1])
        months = self.months_of_service()
        return None if months is None else months // 12 * 365 + months % 12 * 30

    def count(self, labels: str) -> int | None:
        """The number behind a word of ``labels``, whatever its unit."""
        found = _count_pattern(labels).search(self.text)
        return int(found[1]) if found is not None else None

    def percent(self, labels: str) -> float | None:
        """The percentage behind a word of ``labels``."""
        return _number(_percent_pattern(labels), self.text)

    def has(self, words: str) -> bool:
        """Return True if the question has a word of ``words`` (a pattern)."""
        return re.search(words, self.text) is not None


def _canonical(question: str) -> str:
    """The question with every figure in its canonical form: 만이천원 → 12000원, 다섯 시간 → 5시간, 하루 → 1일."""
    text = legible(question)
    parts, end = [], 0
    for figure in find_figures(text):
        parts += [text[end : figure.start], figure.canonical]
        end = figure.end
    return "".join([*parts, text[end:]])


def _number(pattern: re.Pattern[str], text: str) -> float | None:
    found = pattern.search(text)
    return float(found[1]) if found is not None else None


@lru_cache(maxsize=256)
def _money_patterns(labels: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    return (
        re.compile(rf"(?:{labels}){_BETWEEN}{_A_NUMBER}(?:(원)|{_NO_OTHER_UNIT})"),
        re.compile(rf"(?<![\d.]){_A_NUMBER}(?:(원)|{_NO_OTHER_UNIT})\s?(?:의\s?|짜리\s?)?(?:{labels})"),
    )


@lru_cache(maxsize=64)
def _hours_pattern(kinds: str) -> re.Pattern[str]:
    return re.compile(rf"(?:{kinds})[^\d?!\n]{{0,8}}?(\d{{1,3}}(?:\.\d)?)시간")


@lru_cache(maxsize=64)
def _count_pattern(labels: str) -> re.Pattern[str]:
    return re.compile(rf"(?:{labels})[^\d?!\n]{{0,6}}?(\d{{1,7}})")


@lru_cache(maxsize=64)
def _percent_pattern(labels: str) -> re.Pattern[str]:
    return re.compile(rf"(?:{labels})[^\d?!\n]{{0,10}}?(\d{{1,2}}(?:\.\d{{1,3}})?)%")
