"""Wages that a question tells, each by the time it is paid for: 통상임금이 하루 9만원 is a day's, 한 달에 세전 250 a month's."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from decimal import Decimal

from utils.calculators.result import MAX_WON

COLLOQUIAL = 10_000  # 월급 250 and 연봉 4천 are told in units of 10,000 won
NO_OTHER_UNIT = r"(?![\d.%-]|일|시간|년|개|명|조|항|호|차|등|째|대|세(?!전|후)|주(?!는|고|면|\s?\d)|번|회|분|월(?![세급])|건|평|층|시|배)"  # a count stands without a blank by now
_AN_AMOUNT = re.compile(rf"(?<![\d.제-])(\d{{1,14}})(?:(원)|{NO_OTHER_UNIT})")
_WINDOW = 40
_NEAR = 8  # letters between a word and a number without 원
_UNIT = re.compile(
    r"(?P<least>최저 ?(?:임금|시급|월급))"
    r"|(?P<hourly>시급|시간급|시간당|통상시급|1시간(?:에|당)?(?!\s?\d))"
    r"|(?P<daily>일당|일급|(?<!\d)1일(?:에|치|당|은|이)?(?!\s?(?:\d|소정|늦|전|지연|쉬|근무|일하)))"
    r"|(?P<of_3_months>3개월(?!\s?(?:일|근무|다니|된|늦|지연|전|수습)))"
    r"|(?P<monthly>월급|월 ?보수|월 ?통상임금|월 ?평균|1개월(?!\s?(?:일|근무|다니|다닌|된|전|늦|지연|밀))|매월|매달|봉급|세전|(?<![가-힣\d])월(?=\s?$))"
    r"|(?P<yearly>연봉|총급여|1년(?:에|치|간)(?!\s?근무))"
    r"|(?P<pay>급여|임금|보수)"
    r"|(?P<other>매출|매입|월세|보증금|임대료|퇴직금|세금|대출|이자|수수료|벌금|과태료|공급가|계약금|가지급금|대금|자본금|과세표준|소득금액)"
)
_BEHIND = re.compile(
    r"\s?(?:짜리\s?|의\s?|정도\s?)?(?:(?P<hourly>시급)|(?P<daily>일당)|(?P<monthly>월급)|(?P<yearly>연봉))"
)
_IN_ALL = re.compile(r"총(?!급여)|합계|합쳐|합해|합하|합친|더하|전부|모두")
_NO_PAY = re.compile(r"(?:씩|을|를)\s?(?:퇴직금|보증금|월세)")
_HOURLY_BELOW, _DAILY_BELOW = 60_000, 1_000_000  # a wage whose time is not told is known by its size


@dataclass(frozen=True, slots=True)
class Pay:
    """Wages before tax in won by the time they are for; None where a question tells none."""

    hourly: int | None = None
    daily: int | None = None
    monthly: int | None = None
    yearly: int | None = None
    of_3_months: int | None = None

    def a_month(self) -> int | None:
        """A month's pay, as told or a twelfth of the year's."""
        if self.monthly is None and self.yearly is not None:
            return round(self.yearly / 12)
        return self.monthly

    def a_year(self) -> int | None:
        """A year's pay, as told or twelve months'."""
        if self.yearly is None and self.monthly is not None:
            return self.monthly * 12
        return self.yearly

    def a_day(self, hours_a_day: float | None) -> int | None:
        """A day's ordinary wage: as told, of hours (8 unless told), or of a month's 209 (근로기준법 시행령 제6조)."""
        if self.daily is not None:
            return self.daily
        hours = min(Decimal(str(hours_a_day or 8)), Decimal(8))
        if self.hourly is not None:
            return round(self.hourly * hours)
        return None if self.monthly is None else round(Decimal(self.monthly) / 209 * 8)


def read_pay(text: str) -> Pay:
    """The wages of a text in canonical figures; of each time the first."""
    pay, end = Pay(), 0
    for amount in _AN_AMOUNT.finditer(text):
        start = max(end, amount.start() - _WINDOW)
        unit = _unit(text[start : amount.start()], amount, text)
        end = amount.end()
        if unit is None or getattr(pay, unit[0]) is not None or not 0 < unit[1] <= MAX_WON:
            continue
        pay = replace(pay, **{unit[0]: unit[1]})
    return pay


def _unit(before: str, amount: re.Match[str], text: str) -> tuple[str, int] | None:
    """The time that an amount is paid for, by the words before it or else right behind it, and its value."""
    words = list(_UNIT.finditer(before))
    if not amount[2] and int(amount[1]) < COLLOQUIAL and (not words or len(before) - words[-1].end() > _NEAR):
        words = []
    kinds = [] if _NO_PAY.match(text, amount.end()) else [str(word.lastgroup) for word in words]
    if not kinds or kinds[-1] in ("other", "least"):
        behind = _BEHIND.match(text, amount.end())
        kinds = [str(behind.lastgroup)] if behind is not None else []
    if not kinds:
        return None
    told = [kind for kind in kinds if kind not in ("pay", "other", "least")]
    if "of_3_months" in told:
        monthly = "monthly" in told[told.index("of_3_months") :]
        if not monthly and not _IN_ALL.search(before):
            return None  # 최근 3개월 급여 300만원 may be each month's or all three's
        told = ["of_3_months"] if _IN_ALL.search(before) else ["monthly"]
    value = int(amount[1])
    is_colloquial = not amount[2] and value < COLLOQUIAL
    if told:
        return told[-1], value * COLLOQUIAL if is_colloquial and told[-1] != "hourly" else value
    if is_colloquial:
        return "monthly", value * COLLOQUIAL
    return ("hourly" if value < _HOURLY_BELOW else "daily" if value < _DAILY_BELOW else "monthly"), value
