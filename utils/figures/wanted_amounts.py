"""Questions that want to know a sum of money or a rate, and texts that tell one or what it depends on."""

from __future__ import annotations

import re
from enum import StrEnum

from utils.figures.figure_patterns import FigureKind
from utils.figures.figures import find_figures

_MONEY_NOUN = r"(?:돈|비용|수수료|보수|요금|이용료|사용료|보험료|보증료|과태료|벌금|과징금|가산세|세금|세액|이자|급여|수당|월급|임금|보상금|지원금|장려금|위약금)"
_MONEY = re.compile(
    rf"얼마(?!나|마다|\s?(?:동안|안에|만에|전에|뒤에|후에|간\s))|{_MONEY_NOUN}\S{{0,2}}\s{{0,2}}얼마나|얼마나\s{{0,2}}(?:내|벌|물|들어)|몇\s?(?:천|백|십)?\s?만?\s?원"
)
_RATE = re.compile(r"몇\s?(?:프로|퍼센트|퍼|%)")
# What a sum depends on is an answer to how much it is.
_DEPENDS = re.compile(
    r"금액은?\s?\S{0,8}\s?(?:정해|다르|다릅)|정해진\s?금액이\s?없|(?:율|료|액|금액|항목|비용)\S{0,2}\s?(?:\S{1,12}\s){0,4}(?:다르|다릅|달라|정해)|낮은\s?금액|상당액|상당한|정당한|통상임금|평균임금|공고|[로을를]\s?(?:\S{1,8}\s)?계산(?:해|하|한|합|됩)|비례"
)
_PRICE = re.compile(
    r"수수료|보수|수임료|기장료|요금|이용료|발급비|제작비|설치비|운영비|로열티|단가|임대료|관리비|보험료|금리|환율|용역비|대행료|참가비|수강료|유지비"
)
_NOTHING = re.compile(r"무료|면제|(?:붙|내|들|물)지\s?않|없습니다")


class Amount(StrEnum):
    """An amount that is asked for."""

    MONEY = "money"
    RATE = "rate"


_TELLING = {
    Amount.MONEY: frozenset({FigureKind.MONEY, FigureKind.PERCENT, FigureKind.FRACTION}),
    Amount.RATE: frozenset({FigureKind.PERCENT, FigureKind.FRACTION}),
}


def wanted_amount(ask: str) -> Amount | None:
    """Return the kind of amount that ``ask`` wants to know; None where it wants none."""
    if _RATE.search(ask):
        return Amount.RATE
    return Amount.MONEY if _MONEY.search(ask) else None


def names_another_price(ask: str, text: str) -> bool:
    """Return True if ``ask`` wants to know a price by a name that ``text`` does not have."""
    named = set(_PRICE.findall(ask))
    return bool(named) and wanted_amount(ask) is not None and not any(name in text for name in named)


def tells(text: str, wanted: Amount) -> bool:
    """Return True if ``text`` has an amount of the kind that is wanted, or says that there is none or what it depends on."""
    if any(figure.kind in _TELLING[wanted] for figure in find_figures(text)) or _DEPENDS.search(text):
        return True
    return wanted is Amount.MONEY and _NOTHING.search(text) is not None
