"""References to notices of the list before: 2번, 첫 번째, 마지막, and -1 for the last one."""

from __future__ import annotations

import re

LAST = -1
"""Index of the last notice of a list."""

NOWHERE = -2
"""Index for the number 0, which no list has."""

_ORDINALS = {
    "첫": 0, "처음": 0, "첨": 0, "맨위": 0, "제일위": 0, "두": 1, "둘": 1, "세": 2, "셋": 2, "네": 3, "넷": 3, "다섯": 4, "여섯": 5, "일곱": 6,
    "여덟": 7, "아홉": 8, "열": 9, "마지막": LAST, "맨끝": LAST, "맨아래": LAST, "제일아래": LAST, "맨밑": LAST, "끝": LAST,
}  # fmt: skip
_ASIDE = (
    r"(?!\s?(?:거|것|꺼|공고)?(?:이랑|랑|하고|과|와)?\s?(?:비슷|말고|빼고|보다|아니고|아니라|제외))"  # 2번 말고 3번
)
_NUMBER = re.compile(
    r"(?<![\d가-힣.,-])제?(\d{1,4})\s?번(?!\s?(?:이나|씩|연속|출구|이상|이하|넘|만에|정도|지각|결근|이고|더|째주))(?:째)?"
    + _ASIDE
    + r"|(?<![\d가-힣])#(\d{1,3})(?!\d)"
)
_FROM_END = re.compile(r"(?<![\d가-힣])-1\s?번?(?!\d)")
_ORDINAL = re.compile(
    r"(?<![가-힣])(첫|두|세|네|다섯|여섯|일곱|여덟|아홉|열)\s?번\s?[째재쨰쩨]"
    + _ASIDE
    + r"|(?<![가-힣])(첫|둘|셋|넷|다섯|여섯)째(?!\s?주)"
    r"|(?<![가-힣])(마지막|맨\s?끝|끝(?=에\s?[거것꺼])|맨\s?아래|맨\s?밑|맨\s?위|제일\s?위|제일\s?아래|처음|첨)\s?(?:에\s?)?(?:(?:나온|나왔던|있는|있던|보여준|본)\s?)?"
    r"(?=것|거|걸|건|공고|사업|주택|번|은|는|이\s|꺼|$|[?.!]|\s(?:공고|거|것|자세|신청|알려))"
)
_SPOKEN = re.compile(r"\s*(일|삼|사|오|육|칠|팔|구|십)\s?번(?:이?요|[이]?라고|\s?(?:거|것|꺼|공고))?\s*[.?!~]*\s*")
_SPOKEN_NUMBERS = "일이삼사오육칠팔구십"
_BARE = re.compile(r"\s*(\d{1,2})\s*[.?!]?\s*")

_NEXT_TO = re.compile(
    r"(?:(?:그|바로)\s?)?(?:(다음)|(이전|앞|바로\s?위|바로\s?전))(?:에)?\s?(?:거|것|꺼|걸|건|번|공고)(?:는|은|도|요|로|를)?"
    r"(?:\s?(?:보여|알려|볼)[가-힣\s]{0,8})?\s*[.?!]*"
)


def step_in(text: str) -> int:
    """Return 1 for a message that asks for the notice after the selected one (그 다음 거), -1 for the one before it, else 0."""
    match = _NEXT_TO.fullmatch(text.strip())
    return 0 if match is None else 1 if match[1] else -1


def references_in(text: str) -> tuple[int, ...]:
    """Return the indexes that a message names, from 0; `LAST` for the last one. A bare number counts."""
    if match := _BARE.fullmatch(text):
        return (_index(int(match[1])),)
    if match := _SPOKEN.fullmatch(text):
        return (_SPOKEN_NUMBERS.index(match[1]),)
    found = [(match.start(), _index(int(match[1] or match[2]))) for match in _NUMBER.finditer(text)]
    for match in _ORDINAL.finditer(text):
        name = "".join((match[1] or match[2] or match[3]).split())
        found.append((match.start(), _ORDINALS[name]))
    found += [(match.start(), LAST) for match in _FROM_END.finditer(text)]
    return tuple(dict.fromkeys(index for _, index in sorted(found)))


def _index(number: int) -> int:
    return number - 1 if number else NOWHERE


def without_references(text: str) -> str:
    """Return a message without its references, blanks in their place."""
    if _BARE.fullmatch(text) or _SPOKEN.fullmatch(text):
        return ""
    return _FROM_END.sub(" ", _ORDINAL.sub(" ", _NUMBER.sub(" ", text)))
