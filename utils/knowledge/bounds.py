"""Words behind a number that say on which side of it the true number lies: 5명 미만, 3억 넘는, 1년 못 채우고, 열 명쯤."""

from __future__ import annotations

import re
from decimal import Decimal

from utils.figures.numerals import decimal_of, parse_amount, parse_native
from utils.knowledge.ranges import Range, at_least, at_most, exactly, less_than, more_than

_PARTICLE = r"(?:이|가|을|를|도|은|는|에서|에|보다|간|동안)?\s?"
BOUND = (
    rf"(?P<bound>{_PARTICLE}(?:"
    r"(?P<below>미만|(?:채\s?)?(?:안|못)\s?(?:되|돼|된|됐|됩|채[우워]|넘긴\s?채)|[이가]?\s?(?:채\s?)?안\s?(?:되|돼|된|됐|됩)|모자|밑|되기)"
    r"|(?P<most>이하|이내|까지는|안\s?넘|넘지\s?(?:않|못|안)|넘기지\s?(?:않|못)|이하로)"
    r"|(?P<above>초과|넘|더\s?(?:되|돼|된|됐))"
    r"|(?P<least>이상|부터|이라도|라도|만\s?있어도)"
    r"|(?P<about>쯤|정도|가량|남짓|안팎|내외)))?"
)
"""To stand behind a number in a pattern; a pattern has it once."""
_WORDS = re.compile(BOUND)

ONES = "하나|둘|셋|넷|다섯|여섯|일곱|여덟|아홉|열(?:하나|둘|셋|넷|다섯|여섯|일곱|여덟|아홉)?|스물(?:하나|둘|셋|넷|다섯|여섯|일곱|여덟|아홉)?"
"""Native numerals that stand alone."""
COUNTED = (
    r"\d{1,5}(?:\.\d{1,2})?|(?:열|스물|서른|마흔|쉰)\s?(?:한|두|세|네|다섯|여섯|일곱|여덟|아홉)"
    r"|스무|열|서른|마흔|쉰|예순|다섯|여섯|일곱|여덟|아홉|[한두세네석넉]"
)
"""Numerals before a counter."""
WON = r"\d[\d,]{0,14}(?:\.\d{1,2})?(?:\s?[십백천만억조]{1,2}(?:\s?\d[\d,]{0,6}(?:\.\d)?)?){0,4}|[일이삼사오육칠팔구십백천]{1,4}[만억](?:\s?[일이삼사오육칠팔구십백천]{1,4}만)?"
"""An amount as owners type it: 8천, 3억5천, 1억 400만, 50,000,000, 오천만."""
_NATIVE_BEGINNING = re.compile("[한두세네석넉하둘셋넷다여일아열스서마쉰예]")


def number_of(text: str) -> Decimal:
    """The value of a numeral that `COUNTED` or `ONES` found."""
    return Decimal(parse_native(text)) if _NATIVE_BEGINNING.match(text) else decimal_of(text)


def won_of(text: str, *, in_won: bool) -> Decimal:
    """The value of an amount that `WON` found, ``in_won`` where 원 stands behind it.

    Without 원 what is below 만 counts in ten thousands, as owners speak: 8천 is 80,000,000, 3억5천 is 350,000,000 and 500
    is 5,000,000; 0 and digits from 100,000 on are won.
    """
    head, scale, rest = text.rpartition("억")
    spoken = rest.strip()
    if in_won or not spoken or "만" in spoken or (("," in spoken or len(spoken) > 5) and spoken.isdecimal()):
        return parse_amount(text)
    if "," in spoken and not re.search("[십백천]", spoken):
        return parse_amount(text)
    return (parse_amount(head + scale) if scale else Decimal(0)) + parse_amount(spoken) * 10_000


def bounded(number: Decimal, words: re.Match[str] | None, about: Decimal | None = None) -> Range:
    """The span that a number and the words behind it (a match of a pattern with `BOUND`) tell.

    ``about`` is how far the number may lie from the one said where it is said to be rough; None takes it as said.
    """
    if words is None:
        return exactly(number)
    if words["below"]:
        return less_than(number)
    if words["most"]:
        return at_most(number)
    if words["above"]:
        return more_than(number)
    if words["least"]:
        return at_least(number)
    if words["about"] and about is not None:
        return Range(max(number - about, Decimal(0)), number + about)
    return exactly(number)
