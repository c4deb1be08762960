"""Where a text speaks to the model (see `utils.sanitizing.injection_patterns`)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from utils.sanitizing.folded_text import Squeezed, fold
from utils.sanitizing.injection_patterns import DELIMITERS, ENGLISH_ORDERS, KOREAN_ORDERS, KOREAN_ROLES

Language = Literal["ko", "en"]

_REACH = 40  # characters before an order in which its owner or subject is looked for
_FORESIGHT = 60  # characters behind an order in which is looked for what it leads to
# 직원이 이전 지시를 무시하고, 상사의 이전 지시를: the order is somebody's, or somebody did it.
_OF_SOMEBODY = re.compile(r"(?:^|[^가-힣])(?P<who>[가-힣]{1,12})(?:이|가|은|는|께서|들이|도|의)[\s\"'“‘]*$")
_MODEL = re.compile(
    r"너|당신|넌|네|니|이제|지금|오늘|앞으로|ai|챗봇|봇|모델|인공지능|어시스턴트|부터|[가-힣]*(?:하|되|있|없)"
)
# Can I ignore …?, if we disregard …: a question, no order.
_ASKED = re.compile(
    r"\b(?:can|may|could|should|must|do|does|did|if|when|how|we|they|he|she|i|employees?|workers?|legal|illegal|allowed|required|need)"
    r"(?:[ \t]+(?:i|we|they|you|he|she|my|our|the|an?|employees?|workers?|staff|to|not|simply|just|ever|legally|have)){0,4}[ \t]*$"
)
# … 무시하고 퇴근한 직원, 무시하고 퇴근했는데, 무시하고 계약해도 되나요: told or asked of somebody.
_TOLD = re.compile(
    r"[^.?!]{0,40}?(?:[했았었였렸갔왔겼졌됐샀](?:는데|다|으|고|나|을|습|던|음|지|어)|(?:[가-힣]면|[가-힣]도)[가-힣]{0,6}?(?:되|괜찮|문제|효력|될)|수있|되나|될까|효력|가능"
    r"|[한은던할린른된운긴친킨난간온는](?:직원|근로자|사람|알바|아르바이트|거래처|업체|임대인|임차인|건물주|세입자|사장|상사|팀장|대표|동업자|가맹점|하청|사업주|회사|고객|손님|계약|경우))"
)


@dataclass(frozen=True, slots=True)
class _Order:
    """A possible order to the model in a folded text; ``behind`` is the rest of its sentence."""

    start: int
    end: int
    language: Language
    behind: str | None = None

    def is_meant(self, text: str, floor: int) -> bool:
        """Return True if the order is addressed to the model. Text before ``floor`` has been taken out already."""
        first, last = text[self.start - 1 : self.start], text[self.end : self.end + 1]
        is_cut_off = last.isascii() and last.isalpha() and text[self.end - 1].isascii()
        if is_cut_off or (self.start > floor and first.isalnum()):
            return False
        before = text[max(floor, self.start - _REACH) : self.start]
        if self.language == "en":
            return not _ASKED.search(before)
        owner = _OF_SOMEBODY.search(before)
        if owner is not None and not _MODEL.fullmatch(owner["who"]):
            return False
        return self.behind is None or not _TOLD.match(self.behind)


def addressed_spans(text: str) -> list[tuple[int, int]]:
    """Return where ``text`` gives orders to the model or sets a delimiter of its prompts, in order and not overlapping."""
    folded = fold(text)
    delimiters = [match.span() for match in DELIMITERS.finditer(folded)]
    orders = {(order.start, order.end): order for order in _orders(Squeezed(folded))}
    spans: list[tuple[int, int]] = []
    for start, end in sorted({*delimiters, *orders}):
        floor = spans[-1][1] if spans else 0
        order = orders.get((start, end))
        if order is not None and start >= floor and not order.is_meant(folded, floor):
            continue
        if start < floor:
            spans[-1] = spans[-1][0], max(end, floor)
        else:
            spans.append((start, end))
    return spans


def _orders(squeezed: Squeezed) -> Iterator[_Order]:
    rules: tuple[tuple[Language, tuple[re.Pattern[str], ...]], ...] = (
        ("ko", KOREAN_ORDERS),
        ("ko", KOREAN_ROLES),
        ("en", ENGLISH_ORDERS),
    )
    for language, patterns in rules:
        for pattern in patterns:
            for match in pattern.finditer(squeezed.text):
                start, end = squeezed.span(*match.span())
                groups = match.groupdict()
                leads_on = groups.get("and") or groups.get("and2")
                behind = squeezed.text[match.end() : match.end() + _FORESIGHT] if leads_on else None
                yield _Order(start, end, language, behind)
