"""Figures of a Korean question by what they measure: prices by the word beside them, wages, hours, spans and heads."""

from __future__ import annotations

import re
from datetime import date, timedelta
from decimal import Decimal
from functools import cached_property, lru_cache

from utils.calculators.reading.canonical import canonical
from utils.calculators.reading.pay import COLLOQUIAL, NO_OTHER_UNIT, Pay, read_pay
from utils.calculators.result import MAX_WON

_A_NUMBER = r"(\d{1,14})"
_BETWEEN = r"[^\d?!\n]{0,12}?(?:1(?:일|개월|년)[^\d?!\n]{0,6}?)?"

_A_PERCENTAGE = re.compile(r"(?<!\d)(\d{1,2}(?:\.\d{1,3})?)%")
_HALF = re.compile(r"(\d{1,2})시간\s?반(?=씩|[^가-힣]|$|이|을|정도)")
_HOURS_A_DAY = re.compile(r"(?:(?<!\d)1일|매일)(?:에|은|는|당|소정근로)?\s?(\d{1,2}(?:\.\d)?)시간")
_HOURS_EACH = re.compile(r"(?<!주)(?<!주 )(?<!주에 )(?<!\d)(\d{1,2}(?:\.\d)?)시간씩")
_DAYS_A_WEEK = re.compile(r"(?:(?<![가-힣])주|1주(?:일)?|매주)(?:에|에는|당)?\s?([1-7])(?:일|번|회)")
_MONDAY_TO_FRIDAY = re.compile(r"월(?:요일)?\s?(?:~|-|부터|에서)\s?금|평일(?:에|만|마다)")
_WEEKEND = re.compile(r"주말 ?(?:알바|아르바이트|직원|근무|에만|만|마다|[^\d?!\n]{0,12}1일[^\d?!\n]{0,4}\d{1,2}시간)")
_WEEKDAYS = re.compile(r"(?<![가-힣])([월화수목금토일]{3,7}|토일)(?![가-힣])")
_HOURS_A_WEEK = re.compile(r"(?:(?<![가-힣])주|1주(?:일)?|매주)(?:에|에는|당)?\s?(\d{1,3}(?:\.\d)?)시간")
_CLOCKS = re.compile(r"(?<!\d)(\d{1,2})시(?:부터|에서|\s?[~-])?\s?(?:다음 ?날\s?)?(\d{1,2})시")
_NOT_RECENT = r"(?<!최근 )(?<!최근)(?<!지난 )(?<!직전 )(?<!연수 )(?<!수습 )(?<!수습기간 )"
_NOT_OVER = r"(?!(?:이|은|도|을|를)?\s?(?:안 ?[되된됐]|못 ?[되된채]|미만|되기 ?전|채우기 ?전|넘기 ?전|(?:해고 ?)?예고|전에? ?(?:해고 ?)?예고))"  # 1년 안 된 tells no service
_OF_PAY = r"급여|연봉|임금|월급|매출|수입|총|통상|평균|보수|세전|월세|연인원|정액|상각"
_YEARS = re.compile(
    rf"(?<![\d-]){_NOT_RECENT}(\d{{1,2}})년(?!도|\s?차|치|에|간 |\s?(?:{_OF_PAY}|동안 ?(?:매출|급여))){_NOT_OVER}(\s?반(?![가-힣]))?"
)
_NTH_YEAR = re.compile(r"(?<!\d)(\d{1,2})년\s?차")
_MONTHS = re.compile(
    rf"(?<!\d){_NOT_RECENT}(\d{{1,3}})개월(?!에|치|\s?(?:{_OF_PAY}|간 |동안 ?(?:매출|급여|연인원|최저))){_NOT_OVER}"
)
_DATE = re.compile(r"(?<!\d)(\d{4})-(\d{2})(?:-(\d{2}))?")
_BOUNDED = re.compile(r"1년(?:이|도)?\s?(?:안 ?[되된됐]|되기 ?전|미만)")
_RELATIVE = re.compile(r"(재작년|작년|지난해|올해)\s?(\d{1,2})월(?:\s?(\d{1,2})일)?")
_YEARS_AGO = {"재작년": 2, "작년": 1, "지난해": 1, "올해": 0}
_JOINED = re.compile(r"입사|들어|채용|근무|일하|일한|다니|다닌|시작|뽑")
_HEADS = re.compile(r"(?<!\d)(\d{1,6})명(\s?미만)?")
_NATIVE = ("하나", "둘", "셋", "넷", "다섯", "여섯", "일곱", "여덟", "아홉", "열")
# Without a counter: 직원이 여섯인데, 직원 넷인 식당.
_HEADS_ALONE = re.compile(
    rf"(?:직원|종업원|근로자|알바생?)(?:이|은|수가)?\s?({'|'.join(_NATIVE)})(?=인|이[고며에라야]|이서|입니다|예요|,|$)"
)
_GROUPS = re.compile(r"(직원|알바|아르바이트|파트타임)(?:생)?(?:은|이|가|만)?\s?(\d{1,4})명")
_DAYS = re.compile(r"(?<!\d)(\d{1,5})일(?!당)")
_DAYS_LATE = re.compile(
    r"(?<!\d)(\d{1,5})일(?:이나|정도|간|동안|씩|째)?\s?(?:[가-힣]{1,4}\s)?(?:늦|지연|연체|밀|지체|지나|지났|넘|초과|경과)"
)

_WEEKS_LATE = re.compile(r"(?<!\d)(\d{1,2})주(?:일|간|나|정도)?\s?(?:늦|지연|연체|밀|지체|지나|지났|넘|뒤|만에)")


class QuestionFigures:
    """The figures of a question that is asked on a day. Amounts are in won; what is not told is None."""

    def __init__(self, question: str, today: date) -> None:
        self.text = _HALF.sub(r"\1.5시간", canonical(question))
        self._today = today

    def __bool__(self) -> bool:
        """Return True if the question tells any figure."""
        return any(letter.isdigit() for letter in self.text)

    @cached_property
    def pay(self) -> Pay:
        """The wages that are told."""
        return read_pay(self.text)

    def money(self, labels: str) -> int | None:
        """The amount beside a word of ``labels`` (alternatives of a pattern): behind it, else before it."""
        behind, before = _money_patterns(labels)
        found = behind.search(self.text) or before.search(self.text)
        if found is None:
            return None
        value = int(found[1])
        if not found[2] and value < COLLOQUIAL:
            value *= COLLOQUIAL
        return value if 0 < value <= MAX_WON else None

    def only_money(self) -> int | None:
        """The amount of a question that tells one; the first of several."""
        found = re.search(r"(\d{1,14})원", self.text) or re.search(
            rf"(?<![\d.-])(\d{{5,14}}){NO_OTHER_UNIT}", self.text
        )
        value = int(found[1]) if found is not None else 0
        return value if 0 < value <= MAX_WON else None

    def only_percent(self) -> float | None:
        """The percentage of a question that tells one; the first of several."""
        return _number(_A_PERCENTAGE, self.text)

    def hours_a_day(self) -> float | None:
        return _number(_HOURS_A_DAY, self.text) or _number(_HOURS_EACH, self.text)

    def days_a_week(self) -> int | None:
        found = _DAYS_A_WEEK.search(self.text)
        if found is not None:
            return int(found[1])
        if _MONDAY_TO_FRIDAY.search(self.text):
            return None if "주말" in self.text else 5  # of both the hours are others
        if _WEEKEND.search(self.text):
            return 2
        names = _WEEKDAYS.search(self.text)
        return len(set(names[1])) if names is not None else None

    def hours_a_week(self) -> float | None:
        """The hours of a week, as told or by days and hours."""
        told = _number(_HOURS_A_WEEK, self.text)
        days, hours = self.days_a_week(), self.hours_a_day()
        if told is None and days is not None and hours is not None:
            return float(days * Decimal(str(hours)))
        return told

    def hours_of(self, kinds: str) -> float | None:
        """The hours behind a word of ``kinds``, such as 연장근로, or right before it."""
        behind, before = _hours_patterns(kinds)
        return _number(behind, self.text) if behind.search(self.text) else _number(before, self.text)

    def night_hours(self) -> float | None:
        """The hours between two clocks that lie between 22 and 6 o'clock (근로기준법 제56조제3항)."""
        found = _CLOCKS.search(self.text)
        if found is None:
            return None
        start, end = _between_clocks(found)
        return float(sum(hour % 24 >= 22 or hour % 24 < 6 for hour in range(start, end)))

    def clock_hours_of(self, kinds: str) -> float | None:
        """The hours between two clocks right before a word of ``kinds``: 20시부터 2시까지 연장근무."""
        found = re.search(rf"{_CLOCKS.pattern}(?:까지)?[^\d?!\n]{{0,6}}(?:{kinds})", self.text)
        if found is None:
            return None
        start, end = _between_clocks(found)
        return float(end - start)

    def months_of_service(self) -> int | None:
        """Whole months of service: of a span (3년 2개월), of an ordinal year (12년차: eleven are over), or since a day that is told."""
        span = self.span()
        if span is not None:
            return span
        if (nth := self.ordinal_year()) is not None:
            return 12 * (nth - 1)
        since = self._served()
        if since is None:
            return None
        first, behind = since
        months = (behind.year - first.year) * 12 + behind.month - first.month - (behind.day < first.day)
        return max(months, 0)

    def days_of_service(self) -> int | None:
        """Days of service; of a span by years of 365."""
        since = self._served() if self.span() is None else None
        if since is not None:
            return max((since[1] - since[0]).days, 0)
        months = self.months_of_service()
        return None if months is None else round(months * 365 / 12)

    def span(self) -> int | None:
        """Years and months that are told as such, in months."""
        years = _YEARS.search(self.text)
        if years is None:
            months = _MONTHS.search(self.text)
            return int(months[1]) if months is not None else None
        beside = _MONTHS.search(self.text, years.end(), years.end() + 9)
        return 12 * int(years[1]) + (6 if years[2] else 0) + (int(beside[1]) if beside is not None else 0)

    def ordinal_year(self) -> int | None:
        """N of N년차; none of the first, which tells no months."""
        found = _NTH_YEAR.search(self.text)
        return int(found[1]) if found is not None and int(found[1]) > 1 else None

    def _served(self) -> tuple[date, date] | None:
        """The first day of service, and the day behind the last one (tomorrow where no end is told)."""
        if not _JOINED.search(self.text) or _BOUNDED.search(self.text):
            return None
        told = [_day(int(found[1]), found[2], found[3]) for found in _DATE.finditer(self.text)]
        told += [
            _day(self._today.year - _YEARS_AGO[found[1]], found[2], found[3]) for found in _RELATIVE.finditer(self.text)
        ]
        days = sorted(day for day in told if day is not None)
        if not days:
            return None
        return days[0], (days[-1] if len(days) > 1 else self._today) + timedelta(days=1)

    def heads(self) -> int | None:
        """The people that are told; of 5명 미만 the most there may be, of 직원 3명 알바 2명 all."""
        groups = {found[1]: int(found[2]) for found in _GROUPS.finditer(self.text)}
        if len(groups) > 1:
            return sum(groups.values())
        found = _HEADS.search(self.text)
        if found is None:
            alone = _HEADS_ALONE.search(self.text)
            return None if alone is None else _NATIVE.index(alone[1]) + 1
        return int(found[1]) - 1 if found[2] and int(found[1]) else int(found[1])

    def days(self) -> int | None:
        """Days of delay: days, weeks of 7, or months of 30."""
        weeks = _WEEKS_LATE.search(self.text)
        found = _DAYS_LATE.search(self.text) or (None if weeks else _DAYS.search(self.text))
        if found is not None:
            return int(found[1])
        if weeks is not None:
            return 7 * int(weeks[1])
        months = self.span()
        return None if months is None else months // 12 * 365 + months % 12 * 30

    def count(self, labels: str) -> int | None:
        """The number behind a word of ``labels``, whatever its unit."""
        found = _count_pattern(labels).search(self.text)
        return int(found[1]) if found is not None else None

    def found(self, pattern: str) -> int | None:
        """The whole number that the first group of a pattern finds."""
        found = re.search(pattern, self.text)
        return int(found[1]) if found is not None else None

    def percent(self, labels: str) -> float | None:
        """The percentage behind a word of ``labels``."""
        return _number(_percent_pattern(labels), self.text)

    def has(self, words: str) -> bool:
        """Return True if the question has a word of ``words`` (a pattern)."""
        return re.search(words, self.text) is not None


def _day(year: int, month: str, day: str | None) -> date | None:
    """A day, the first of the month where none is told; None where the calendar has no such day."""
    try:
        return date(year, int(month), int(day or 1))
    except ValueError:
        return None


def _between_clocks(found: re.Match[str]) -> tuple[int, int]:
    """The hours of two clocks, the second on the next day where it is not later; 12 o'clock after an afternoon is midnight."""
    start, end = int(found[1]) % 24, int(found[2]) % 24
    if start > 12 and end == 12:
        end = 24
    return start, end + 24 if end <= start else end


def _number(pattern: re.Pattern[str], text: str) -> float | None:
    found = pattern.search(text)
    return float(found[1]) if found is not None else None


@lru_cache(maxsize=256)
def _money_patterns(labels: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    return (
        re.compile(rf"(?:{labels}){_BETWEEN}{_A_NUMBER}(?:(원)|{NO_OTHER_UNIT})"),
        re.compile(rf"(?<![\d.-]){_A_NUMBER}(?:(원)|{NO_OTHER_UNIT})\s?(?:의\s?|짜리\s?)?(?:{labels})"),
    )


@lru_cache(maxsize=64)
def _hours_patterns(kinds: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    return (
        re.compile(rf"(?:{kinds})[^\d?!\n]{{0,14}}?(\d{{1,3}}(?:\.\d)?)시간"),
        re.compile(rf"(?<![\d.])(\d{{1,3}}(?:\.\d)?)시간(?:씩|을|이나|정도|\s){{0,2}}(?:{kinds})"),
    )


@lru_cache(maxsize=64)
def _count_pattern(labels: str) -> re.Pattern[str]:
    return re.compile(rf"(?:{labels})[^\d?!\n]{{0,6}}?(\d{{1,7}})")


@lru_cache(maxsize=64)
def _percent_pattern(labels: str) -> re.Pattern[str]:
    return re.compile(rf"(?:{labels})[^\d?!\n]{{0,10}}?(\d{{1,2}}(?:\.\d{{1,3}})?)%")
