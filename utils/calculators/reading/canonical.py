"""A question with every figure in its canonical form: 만이천원 → 12000원, 다섯 시간 → 5시간, 하루 → 1일, 1억 2천 → 120000000."""

from __future__ import annotations

import re

from utils.figures.figures import Figure, FigureKind, find_figures
from utils.figures.numeral_words import legible

# Nobody means two thousand won by 1억 2천: the thousands behind 억 are told in units of 10,000 won.
_THOUSANDS = re.compile(r"(?<=억)(\s?(?:\d{1,4}[천백]){1,2})(?![\d만억천백]|\s만)")
# 3억인 법인 and 월급 300인데 count no people, 250 주는 no weeks; 5인 미만 and 주 3일 do.
_PEOPLE = re.compile(r"\s?(?:이상|이하|미만|초과|이내|사업장|사업체|기업|회사|가게|규모)")
_GIVING = re.compile(r"(?:는|고|면|려|기|었|니|던|자)")


def canonical(question: str) -> str:
    """The question in canonical figures; what a word only looks like a unit of stays a word."""
    text = _THOUSANDS.sub(r"\1만", legible(question))
    parts, end = [], 0
    for figure in find_figures(text):
        parts += [text[end : figure.start], _written(figure, text)]
        end = figure.end
    return "".join([*parts, text[end:]])


def _written(figure: Figure, text: str) -> str:
    raw = text[figure.start : figure.end]
    if figure.kind is not FigureKind.COUNT:
        return figure.canonical
    if raw.endswith("인") and not _PEOPLE.match(text, figure.end):
        return figure.canonical.removesuffix("명") + "인"
    if raw.endswith("주") and _GIVING.match(text, figure.end):
        return figure.canonical.removesuffix("주") + " 주"
    return figure.canonical
