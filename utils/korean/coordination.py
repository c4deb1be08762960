"""Nouns that share a predicate: 사업자등록 방법과 세무 처리 알려 주세요 asks for two things, 직원과 합의하면 for none.

The particle alone does not tell: 랑 and 하고 are tagged as often "with" as "and". What follows does: who does something with
whom, what is compared or chosen between, stays together.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from utils.korean.asked_clauses import TELLING, is_noun_and
from utils.korean.clause_frames import CONDITIONS, NOMINAL, PEOPLE, is_asking_word
from utils.protocols import Morpheme

_MOST = 4
_AND = frozenset("과 와 랑 이랑 하고".split())
_SPOKEN_AND = frozenset("랑 이랑 하고".split())  # tagged JC or JKB at random
_BETWEEN = frozenset("및 그리고".split())
_TOGETHER = frozenset(
    "중 가운데 차이 차이점 다르 달리 같 같이 함께 동시 동시에 한꺼번에 합치 합산 합하 합계 비교 구분 구별 관계 사이 간 중복 병행 겹치 유리 낫 대신 포함 상관 "
    "무관 비슷 비슷하 어느 반대 비율 우선 헷갈리 바꾸 전환".split()
)  # of what is compared, added up or chosen between
_WITH_SOMEBODY = frozenset("계약 합의 협의 협상 분쟁 다툼 거래 동업 소송 연락 회의".split())
_ASPECTS = frozenset(
    "방법 법 절차 기한 기간 기준 금액 세율 요율 한도 서류 비용 수수료 시기 요건 조건 대상 자격 혜택 신고 납부 계산 계산법 처리 신청 발급 날짜 마감 과태료 벌금 처벌 "
    "불이익 의무 책임 종류 양식 주의 사항 주의점 장점 단점 효력 지원 필요 준비 유의 점 감면 환급 등록 설립 작성 지급 발행 출원 인상 해지 정산 공제 가입 제출 일정 금리 이율 급여 이자 가산세 전략 계획".split()
)
_HAVING = frozenset("어야 아야".split())  # 둘 다 있어야 열 수 있나요
_ARGUMENTS = frozenset("JKS JKC JKO".split())
_EVERYTHING = re.compile(r"\s?(?:[둘셋넷] ?다|모두|각각|전부|각자)(?=\s)")
_PARTICLES = (("은", "는"), ("이", "가"), ("을", "를"))
_MODIFYING = frozenset("MAG VV VA VX XSV XSA EP VCP VCN VV-I VA-I VV-R VA-R".split())
_FRAMES = frozenset("때 시 후 전 경우".split())
_QUANTIFIERS = frozenset("둘 셋 넷 각각 모두 전부 각자 좀".split())
_REQUESTED = frozenset("문의 부탁 설명 안내 추천 상담 궁금 질문".split())


@dataclass(frozen=True, slots=True)
class Conjunct:
    """A noun of several that share a clause: the clause with it alone, and the character spans that this is taken from."""

    text: str
    spans: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class _Phrase:
    """Morphemes ``first`` to ``stop`` (exclusive)."""

    first: int
    stop: int


def conjuncts(text: str, morphemes: Sequence[Morpheme], first: int, core: int, stop: int) -> list[Conjunct]:
    """The clause of morphemes ``first`` to ``stop`` once for each of its coordinated nouns; empty where it has none.

    ``core``: where its condition ends; what stands in a condition is not asked for.
    """
    phrases = _coordinated(text, morphemes, core, stop)
    if not 2 <= len(phrases) <= _MOST or not _can_part(morphemes, phrases, stop):
        return []
    begin, last = morphemes[first].start, phrases[-1]
    lead = (begin, morphemes[phrases[0].first].start)
    is_described = phrases[0].first > core and morphemes[phrases[0].first - 1].tag == "ETM"
    after = morphemes[last.stop - 1].end
    tail = _EVERYTHING.sub("", text[after : morphemes[stop - 1].end], count=1)
    parted = []
    for phrase in phrases:
        spans = _completed(text, morphemes, phrase, phrases)
        own_lead = lead
        if is_described and phrase is not phrases[0] and _is_described(morphemes, phrase):
            own_lead = (begin, morphemes[core].start)  # 입찰 없이 계약하는 기준과 늦었을 때 벌칙
        noun = " ".join(text[start:end].strip() for start, end in spans)
        whole = f"{text[slice(*own_lead)]}{noun}{_with_particle(noun, tail)}".strip()
        parted.append(Conjunct(whole, (own_lead, *spans, (after, morphemes[stop - 1].end))))
    return parted


def _is_described(morphemes: Sequence[Morpheme], phrase: _Phrase) -> bool:
    return any(m.tag == "ETM" for m in morphemes[phrase.first : phrase.stop])


def _coordinated(text: str, morphemes: Sequence[Morpheme], core: int, stop: int) -> list[_Phrase]:
    """The last row of coordinated noun phrases of a clause."""
    connectors: list[tuple[int, int]] = []
    depth, number = 0, core
    while number < stop:
        depth += {"SSO": 1, "SSC": -1}.get(morphemes[number].tag, 0)
        end = 0 if depth or number == core else _connector(text, morphemes, number, stop)
        if end:
            connectors.append((number, end))
        number = end or number + 1
    phrases: list[_Phrase] = []
    begin_of_next = stop
    for begin, end in reversed(connectors):
        following = _phrase_after(morphemes, end, phrases[0].first if phrases else stop)
        is_joined = following.first < following.stop and _ends_alike(morphemes, begin, following.stop, stop)
        if not phrases and not is_joined:
            continue
        if not is_joined or (phrases and following.stop != begin_of_next):
            break
        phrases.insert(0, following)
        begin_of_next = begin
    if not phrases:
        return []
    leading = _phrase_before(morphemes, begin_of_next, core)
    return [leading, *phrases] if leading.first < leading.stop else []


def _ends_alike(morphemes: Sequence[Morpheme], connector: int, end: int, stop: int) -> bool:
    """퇴직금도 연차수당도: what 도 joins has it on both sides."""
    return morphemes[connector].form != "도" or (end < stop and morphemes[end].form == "도")


def _connector(text: str, morphemes: Sequence[Morpheme], number: int, stop: int) -> int:
    """Where the connector that begins at ``number`` ends; 0 where none does."""
    own, before = morphemes[number], morphemes[number - 1]
    if number + 1 >= stop or (before.tag not in NOMINAL and before.tag != "SSC"):
        return 0
    after = number + 1
    if (own.tag == "JC" and own.form in _AND) or (
        own.tag == "JKB" and (own.form in _SPOKEN_AND or _is_thing_and(own, before))
    ):
        return after + 1 if after + 1 < stop and morphemes[after].tag == "SP" else after
    if own.form == "하" and is_noun_and(text, morphemes, after):
        return after + 1
    if own.tag == "SP" and own.form == ",":
        return after + 1 if morphemes[after].form in _BETWEEN else after
    if own.form in _BETWEEN:
        return after
    return after if own.form == "도" and own.tag == "JX" and morphemes[after].tag in NOMINAL else 0


def _is_thing_and(particle: Morpheme, noun: Morpheme) -> bool:
    """금액 기준과: nobody does anything with a standard."""
    return particle.form in _AND and noun.form in _ASPECTS


def _phrase_before(morphemes: Sequence[Morpheme], stop: int, core: int) -> _Phrase:
    first = stop
    while first > core and (_is_of_phrase(morphemes[first - 1]) or morphemes[first - 1].tag in ("SSO", "SSC")):
        if morphemes[first - 1].form in _FRAMES and morphemes[first - 1].tag in ("NNG", "NNB"):
            break
        first -= 1
    return _Phrase(first, stop)


def _phrase_after(morphemes: Sequence[Morpheme], first: int, stop: int) -> _Phrase:
    """The noun phrase from ``first`` on, with the clauses that modify its nouns."""
    number = end = first
    while number < stop:
        own = morphemes[number]
        if own.form in _QUANTIFIERS or (own.form in _REQUESTED and number > first):
            break
        if _is_of_phrase(own) and not is_asking_word(own):
            number = end = number + 1
        elif own.tag == "SSO":
            number = end = _closed(morphemes, number, stop)
        elif own.tag in _MODIFYING and (noun := _modified(morphemes, number, stop)):
            number = noun
        else:
            break
    if end == number and end < stop and morphemes[end].tag in ("XSV", "XSA"):
        end = _word_before(morphemes, end, first)  # 연차수당 계산하다: the verb's own noun
    return _Phrase(first, end)


def _is_of_phrase(morpheme: Morpheme) -> bool:
    return morpheme.tag in NOMINAL or morpheme.tag in ("JKG", "SO") or morpheme.form in "·・ㆍ"


def _closed(morphemes: Sequence[Morpheme], number: int, stop: int) -> int:
    while number < stop and morphemes[number].tag != "SSC":
        number += 1
    return min(number + 1, stop)


def _modified(morphemes: Sequence[Morpheme], number: int, stop: int) -> int:
    """Where the noun stands that an adnominal clause from ``number`` on modifies; 0 where there is none."""
    while number < stop and morphemes[number].tag in _MODIFYING:
        number += 1
    if number + 1 >= stop or morphemes[number].tag != "ETM":
        return 0
    noun = morphemes[number + 1]
    return number + 1 if noun.tag in ("NNG", "NNP") or noun.form == "법" else 0


def _word_before(morphemes: Sequence[Morpheme], number: int, first: int) -> int:
    """Where the word begins that ends at ``number``."""
    number -= 1
    while number > first and morphemes[number - 1].end == morphemes[number].start:
        number -= 1
    return number


def _can_part(morphemes: Sequence[Morpheme], phrases: Sequence[_Phrase], stop: int) -> bool:
    """Return True if each of the phrases is asked about alone."""
    rest = morphemes[phrases[-1].stop : stop]
    if any(m.form in _TOGETHER for m in morphemes[phrases[0].first : stop]):
        return False
    if any(not _nouns(morphemes, phrase) for phrase in phrases):
        return False
    heads = [morphemes[phrase.stop - 1].form in PEOPLE for phrase in phrases]
    if heads[0] and (not all(heads) or any(m.form in _WITH_SOMEBODY for m in rest)):
        return False
    if rest and rest[0].tag.startswith("J") and not _is_argument(rest[0]):
        return False
    if any(m.tag == "EC" and m.form in (CONDITIONS | TELLING) for m in rest):
        return False
    if any(m.form in _HAVING and after.form not in ("하", "되") for m, after in pairwise(rest)):
        return False
    modifies = (m.tag == "ETM" and after.tag != "NNB" for m, after in pairwise(rest))
    return not any(modifies)


def _is_argument(particle: Morpheme) -> bool:
    return particle.tag in _ARGUMENTS or (particle.tag == "JX" and particle.form in ("은", "는", "도", "ᆫ"))


def _nouns(morphemes: Sequence[Morpheme], phrase: _Phrase) -> list[str]:
    return [m.form for m in morphemes[phrase.first : phrase.stop] if m.tag in ("NNG", "NNP", "SL", "XR", "NNB")]


def _completed(
    text: str, morphemes: Sequence[Morpheme], phrase: _Phrase, phrases: Sequence[_Phrase]
) -> tuple[tuple[int, int], ...]:
    """The spans of ``phrase`` with what it leaves to the others: 부가세랑 종소세 신고 기한, 신고 방법 및 비용."""
    own = _span(morphemes, phrase)
    head, last = phrases[0], phrases[-1]
    nouns = _nouns(morphemes, phrase)
    if phrase is not last and _ASPECTS.isdisjoint(nouns):
        shared = _aspect_tail(morphemes, last)
        if not last.first < shared.first < shared.stop:
            return (own,)
        # 마케팅 전략과 초기 회계 처리: what is longer than what the tail hangs on has none to share
        hung_on = text[morphemes[last.first].start : morphemes[shared.first].start].split()
        return (own, _span(morphemes, shared)) if len(text[slice(*own)].split()) <= len(hung_on) else (own,)
    if phrase is head:
        return (own,)
    words = [match.span() for match in re.finditer(r"\S+", text[slice(*_span(morphemes, head))])]
    missing = len(words) - len(text[slice(*own)].split())
    if _ASPECTS.issuperset(nouns):
        missing = len(words) - 1
    elif nouns[-1] != _nouns(morphemes, head)[-1]:
        missing = 0
    if missing <= 0:
        return (own,)
    start = morphemes[head.first].start
    return ((start, start + words[missing - 1][1]), own)


def _aspect_tail(morphemes: Sequence[Morpheme], phrase: _Phrase) -> _Phrase:
    """신고 기한 of 종소세 신고 기한, 계산하는 법 of 야간수당 계산하는 법."""
    first = phrase.stop
    while first > phrase.first:
        before = morphemes[first - 1]
        if before.tag.startswith("VV"):
            return _Phrase(phrase.stop, phrase.stop)  # 확정일자 받는 방법
        if before.form not in _ASPECTS and before.tag not in ("ETM", "XSV", "XSA"):
            break
        first -= 1
    while first < phrase.stop and morphemes[first].start == morphemes[first - 1].end:
        first += 1  # 사업자등록 is one word
    return _Phrase(first, phrase.stop)


def _span(morphemes: Sequence[Morpheme], phrase: _Phrase) -> tuple[int, int]:
    return morphemes[phrase.first].start, morphemes[phrase.stop - 1].end


def _with_particle(noun: str, tail: str) -> str:
    """``tail`` with the particle at its beginning in the form that ``noun`` wants: 보증금은, 권리는."""
    for closed, open_ in _PARTICLES:
        if tail[:1] in (closed, open_) and tail[1:2] in ("", " ", ",") and "가" <= noun[-1] <= "힣":
            return (closed if (ord(noun[-1]) - ord("가")) % 28 else open_) + tail[1:]
    return tail
