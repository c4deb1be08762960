"""A question asked again of another case: 간이과세자는요? after a question on general taxpayers, 여섯 명이면요? after one on three staff.

Such a follow-up names one fact and asks nothing else, so it asks what was asked before: the fact takes the place of the one of
its kind, or is put before the sentence that asks where the earlier question names none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from utils.knowledge.bounds import COUNTED, WON
from utils.knowledge.case_choices import choice_places
from utils.knowledge.headcount import headcount_change, headcount_place, stated_headcount
from utils.knowledge.units import Slot

_LONGEST = 60  # characters of a follow-up that names nothing but a fact
_LEAD = r"(?:그럼|그러면|그렇다면|그런데|근데|그리고|또|혹시|아니면|만약에?|만일|아니|저희가?|저희는)"
_TAIL = (
    r"(?:\s(?:최대|최소|언제까지|언제|어떻게|얼마까지|얼마나|얼마))+"
    r"(?:\s?(?:되나요|되죠|돼요|되는데요|하나요|해요|하죠|하는데요|내나요|이에요|에요|예요|인가요|이죠|나와요))?"
)
_FRAGMENT = re.compile(
    rf"(?:{_LEAD}[,\s]\s?){{0,3}}(?P<what>[^?!\n]{{1,30}}?)\s?(?P<end>이라면|라면|이면|면|은|는|도|일\s?때는?|인\s?경우에?는?|이?에요|예요|인데|입니다)"
    rf"(?:은요|는요|요)?(?P<tail>{_TAIL})?\s?[?.!~]{{0,3}}"
)
_STATEMENTS = frozenset({"이에요", "에요", "예요", "입니다"})
_OF_A_CHOICE = r"(?:사업자|과세자|업자|자|기업|회사|업체|가게|직원|근로자|생|들|분들?)?"
_CHOICE_ENDS = re.compile(rf"{_OF_A_CHOICE}(?:의)?")
_WORD_ENDS = re.compile(
    rf"(?P<more>{_OF_A_CHOICE})(?P<particle>인데요?|이고|이면|이랑|에서|으로|은|는|이|가|을|를|도|의|에|로|랑)?[,?.!]*(?=\s|$)"
)
_WORKER = re.compile(
    r"(?<![가-힣])(?:직원|근로자|종업원|정규직)(?=(?:이|가|은|는|을|를|도|한테|에게)?\s(?!\d|[가-힣]{1,2}\s?명|수))"
)
_EMPLOYMENT = re.compile(r"직원|알바|근로|해고|연차|수당|퇴직|월급|임금|4대\s?보험|취업규칙|휴직")
_HEADS = re.compile(
    rf"(?:(?:직원|근로자|종업원|사람|상시\s?근로자)(?:이|은|수가)?\s?)?(?P<heads>(?:{COUNTED})\s?(?:명|인|사람)(?:\s?(?:미만|이하|이상|초과))?)"
)
_QUANTITY = re.compile(
    rf"(?:(?P<label>[가-힣]{{1,8}}?)\s?)?(?P<number>{WON}|{COUNTED})\s?(?P<unit>개월|년|시간|일|살|세|만\s?원|원|%|퍼센트)?"
)
_KINDS = {
    "개월": "span",
    "년": "span",
    "시간": "hours",
    "일": "days",
    "살": "age",
    "세": "age",
    "%": "share",
    "퍼센트": "share",
}
_MONEY = re.compile(rf"(?<![\d.])(?P<number>{WON})(?P<unit>\s?만?\s?원)")
_SAID = {
    "span": re.compile(rf"(?<![\d.가-힣])(?:{COUNTED})\s?(?:개월|년)(?!도|\s?[매])"),
    "hours": re.compile(rf"(?<![\d.가-힣])(?:{COUNTED})\s?시간"),
    "days": re.compile(rf"(?<![\d.가-힣])(?:{COUNTED})\s?일(?![가-힣])"),
    "age": re.compile(rf"(?<![\d.가-힣])(?:{COUNTED})\s?(?:살|세(?![가-힣]))"),
    "share": re.compile(r"(?<![\d.])\d{1,3}(?:\.\d{1,3})?\s?(?:%|퍼센트)"),
}
_PAIRS = {"은": "는", "이": "가", "을": "를", "이면": "면", "이라면": "라면", "이랑": "랑", "으로": "로"}


@dataclass(frozen=True, slots=True)
class _Fact:
    """The fact that a follow-up names, and the ending that puts it before a question: 법인은, 여섯 명이면."""

    what: str
    end: str

    @property
    def lead(self) -> str:
        return self.what + ("인데" if self.end in _STATEMENTS else self.end)


def with_replaced_fact(question: str, earlier: str, asks_at: int) -> str | None:
    """``earlier`` as it is asked of the case that ``question`` names; None where ``question`` does not name a fact alone.

    ``asks_at`` is where the first sentence of ``earlier`` that asks begins.
    """
    text = question.strip()
    if len(text) > _LONGEST:
        return None
    if changed := _with_change(text, earlier):
        return changed
    match = _FRAGMENT.fullmatch(text)
    if match is None:
        return None
    fact = _Fact(match["what"].strip(), match["end"])
    for replace in (_with_headcount, _with_quantity, _with_choice):
        if made := replace(fact, earlier, asks_at):
            return made
    return None


def _with_change(text: str, earlier: str) -> str | None:
    """직원 한 명 더 뽑으면요? after four: the same question of five."""
    change, known, place = headcount_change(text), stated_headcount(earlier), headcount_place(earlier)
    if change is None or known is None or known.exact is None or place is None:
        return None
    rest = text[text.index(change[1]) + len(change[1]) :]
    if re.fullmatch(rf"요?(?:{_TAIL})?\s?[?.!~]{{0,3}}", rest) is None:
        return None
    return _put(earlier, place, f"{max(int(known.exact) + change[0], 0)}명")


def _with_headcount(fact: _Fact, earlier: str, asks_at: int) -> str | None:
    heads = _HEADS.fullmatch(fact.what)
    if heads is None:
        return None
    if place := headcount_place(earlier):
        return _put(earlier, place, heads["heads"])
    staff = "직원이 " if _EMPLOYMENT.search(earlier) else ""
    return _before(earlier, asks_at, staff + heads["heads"] + ("이면" if fact.end != "도" else "도"))


def _with_quantity(fact: _Fact, earlier: str, asks_at: int) -> str | None:
    found = _QUANTITY.fullmatch(fact.what)
    if found is None:
        return None
    label, unit = found["label"], found["unit"]
    kind = _KINDS.get(unit or "")
    amount = found["number"] + (unit or "")
    if kind is not None:
        places = [match.span() for match in _SAID[kind].finditer(earlier)]
        if len(places) == 1:
            return _put(earlier, places[0], amount)
    elif place := _money_place(earlier, label, with_unit=unit is not None):
        if unit is None and found["number"].isdecimal() and "만" in earlier[slice(*place)]:
            amount += "만"  # 200만원, then 300
        return _put(earlier, place, amount)
    return _before(earlier, asks_at, fact.lead) if label and label in earlier else None


def _money_place(earlier: str, label: str | None, *, with_unit: bool) -> tuple[int, int] | None:
    """Where the amount stands that another one replaces: behind its word, or the only one where no word was said."""
    if label:
        behind = re.compile(rf"{re.escape(label)}(?:이|은|는|가)?\s?(?P<number>{WON})(?P<unit>\s?만?\s?원)?")
        found = list(behind.finditer(earlier))
    else:
        found = list(_MONEY.finditer(earlier))
    if len(found) != 1:
        return None
    return found[0].start("number"), found[0].end("unit" if with_unit and found[0]["unit"] else "number")


def _with_choice(fact: _Fact, earlier: str, asks_at: int) -> str | None:
    slot = _slot_of(fact.what)
    if slot is None:
        return None
    places = choice_places(earlier).get(slot, [])
    if slot is Slot.CONTRACT and not places:
        places = [match.span() for match in _WORKER.finditer(earlier)][:1]
    if len(places) == 1 and (made := _in_the_place_of(earlier, places[0], fact)):
        return made
    return _before(earlier, asks_at, fact.lead)


def _slot_of(what: str) -> Slot | None:
    """The slot of which ``what`` is a choice, and says nothing else."""
    for particle in ("은요", "는요", "인데"):
        for slot, places in choice_places(what + particle).items():
            if any(start == 0 and _CHOICE_ENDS.fullmatch(what, min(end, len(what))) for start, end in places):
                return slot
    return None


def _in_the_place_of(earlier: str, place: tuple[int, int], fact: _Fact) -> str | None:
    """The fact instead of the word at ``place``; None where that is part of a longer word."""
    start, end = place
    rest = _WORD_ENDS.match(earlier, end)
    if rest is None or (start and not earlier[start - 1].isspace()):
        return None
    particle = rest["particle"] or ""
    if fact.end == "도" and particle in ("은", "는", "이", "가"):
        particle = "도"
    return _put(
        earlier,
        (start, rest.end("particle") if particle and rest["particle"] else rest.end("more")),
        fact.what + _fitting(fact.what, particle),
    )


def _fitting(word: str, particle: str) -> str:
    """The form of a particle behind ``word``: 은 after a final consonant, 는 after a vowel."""
    last = word[-1]
    closed = "가" <= last <= "힣" and (ord(last) - ord("가")) % 28 != 0
    for with_final, without in _PAIRS.items():
        if particle in (with_final, without):
            return with_final if closed else without
    return particle


def _put(text: str, place: tuple[int, int], words: str) -> str:
    return text[: place[0]] + words + text[place[1] :]


def _before(text: str, place: int, words: str) -> str:
    return f"{text[:place]}{words} {text[place:]}"
