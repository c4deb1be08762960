"""Frames of a clause that asks: its condition, its topic, whether it leaves both to the clause before it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from utils.protocols import Morpheme

NOMINAL = frozenset("NNG NNP NNB NR SN SL SH SW XR XSN XPN MM".split())
INTERROGATIVES = frozenset(
    "언제 얼마 얼마나 얼만 어떻 어떻게 어떡 어찌 어디 뭐 뭣 무엇 무슨 누가 누구 몇 며칠 어느 어떤 왜 얼마큼".split()
)
CONDITIONS = frozenset("면 으면 려면 으려면 ᆯ려면 을려면 다면 는다면 ᆫ다면 라면 거든".split())
INDIRECT = frozenset("는지 은지 ᆫ지 을지 ᆯ지 ᆫ지라 은지라 는지라".split())  # Kiwi reads 인지랑 as ᆫ지라 and a coda
_FALLS_SHORT = frozenset("되 안 못 끝 충분 괜찮".split())  # 면 되다, 면 안 되다: no condition
_FRAMES = frozenset("때 시 경우".split())  # 해고 시, 팔 때
PEOPLE = frozenset(
    "친구 동업자 직원 알바 근로자 사장 대표 거래처 건물주 임대인 임차인 세입자 손님 고객 세무사 노무사 변호사 남편 아내 와이프 배우자 가족 지인 투자자 업체 회사 "
    "사람 상대방 부모 형 동생 언니 갑 을 저 제 우리 과세자 사업자 법인 개인 프리랜서 팀 팀원 주주 은행 세무서 가게 저희 알바생".split()
)
TOPIC = frozenset("은 는 ᆫ".split())
_FILLERS = frozenset(
    "알리 가르치 궁금 궁금하 문의 부탁 부탁드리 도와주 돕 안녕 감사 고맙 죄송 죄송하 답답 답답하 막막 막막하 걱정 걱정되 급하 힘들 당황 질문 여쭈 여쭙 묻 "
    "주 드리 하 되 알 싶 있 말씀 설명 안내 정리 상담 답변 답 수고 좀 꼭 너무 정말 빨리 제발 혹시 미리 자세히 자세하".split()
)
_REQUESTS = frozenset(
    "알리 가르치 궁금 궁금하 문의 부탁 부탁드리 도와주 돕 설명 안내 정리 상담 답변 알 여쭈 여쭙 묻".split()
)
_CONTENT = frozenset("NNG NNP XR SL VV VA VV-I VA-I VV-R VA-R".split())
_NOUNS = frozenset("NNG NNP XR SL".split())
_DENIABLE = frozenset("NNG NNP NNB XPN XSN XR SN SL SH".split())
_PARTICLES = frozenset("JX JKS JKC".split())
_CLAUSE_ENDS = ("EC", "EF", "SF", "SP")
_GOING_ON = frozenset("고 구 라 라서 ᆫ데 니 니까 며 지만".split())
_ASKING = ("죠", "지", "지요", "나요", "가요", "까요", "ᆫ가요", "냐", "니")
_THINGS = frozenset("거 것".split())


@dataclass(frozen=True, slots=True)
class Clause:
    """Morphemes ``first`` to ``stop`` (exclusive) of a sentence, and whether they ask something."""

    first: int
    stop: int
    sentence: int
    asks: bool


@dataclass(frozen=True, slots=True)
class AskingClause:
    """A clause that asks.

    ``condition`` and ``topic`` are where it sets its own (폐업하면, 부가세는), as morphemes; ``core`` is where the condition ends.
    ``elliptic``: it does not say what it is about (늦으면 벌금 나와요, 얼마예요). ``request`` is where 알려 주세요 begins at the end of its sentence.
    """

    clause: Clause
    core: int
    condition: tuple[int, int] | None
    topic: tuple[int, int] | None
    elliptic: bool
    request: int | None


def read_clause(morphemes: Sequence[Morpheme], clause: Clause, sentence_stop: int) -> AskingClause:
    """Return what the asking ``clause`` says itself; ``sentence_stop`` is where its sentence ends."""
    condition = _condition(morphemes, clause)
    core = condition[1] if condition else clause.first
    nouns = [m for m in morphemes[core : clause.stop] if m.tag in _NOUNS and not is_asking_word(m)]
    bare_condition = condition is not None and not any(m.tag in _NOUNS for m in morphemes[slice(*condition)])
    return AskingClause(
        clause,
        core,
        None if bare_condition or _is_own(morphemes, condition) else condition,
        _topic(morphemes, core, clause.stop),
        bare_condition or (condition is None and not nouns and not _names_a_thing(morphemes[core : clause.stop])),
        request_start(morphemes, clause.first, sentence_stop),
    )


def _names_a_thing(morphemes: Sequence[Morpheme]) -> bool:
    """더 낸 건, 권하는 것은."""
    return any(
        own.tag == "ETM" and thing.form in ("거", "것") and particle.tag in ("JX", "JKS", "JKO")
        for own, thing, particle in zip(morphemes, morphemes[1:], morphemes[2:], strict=False)
    )


def is_asking_word(morpheme: Morpheme) -> bool:
    """Return True for 언제, 얼마, 어떻다 …"""
    return morpheme.form in INTERROGATIVES


def says_nothing(morphemes: Sequence[Morpheme]) -> bool:
    """Return True if nothing is asked or told: 안녕하세요, 답답하네요, 알려 주세요."""
    return not any(is_asking_word(m) or (m.tag in _CONTENT and m.form not in _FILLERS) for m in morphemes)


def _condition(morphemes: Sequence[Morpheme], clause: Clause) -> tuple[int, int] | None:
    """폐업하면, 해고 시, 팔 때: what the clause begins with."""
    first = clause.first
    while first < clause.stop and morphemes[first].tag in ("MAJ", "IC", "SP"):
        first += 1
    is_list = False
    for number in range(first, clause.stop - 1):
        own, after = morphemes[number], morphemes[number + 1]
        is_list = is_list or own.tag in ("JC", "SP") or _joins_things(own, morphemes[number - 1])
        if own.tag == "EC" and own.form in CONDITIONS:
            return (
                None if after.form in _FALLS_SHORT and not _is_negated_duty(morphemes, number) else (first, number + 1)
            )
        if (
            own.form in _FRAMES
            and own.tag in ("NNG", "NNB")
            and number > first
            and not is_list
            and _frames(morphemes, number)
        ):
            return first, number + 1
        if own.tag.startswith("JX") and own.form in TOPIC:
            return None  # what comes next is about the topic
    return None


def _joins_things(particle: Morpheme, noun: Morpheme) -> bool:
    return particle.tag == "JKB" and particle.form in ("과", "와", "하고", "랑", "이랑") and noun.form not in PEOPLE


def _is_own(morphemes: Sequence[Morpheme], condition: tuple[int, int] | None) -> bool:
    """자격증만 있으면, 지금이라도 하면: proposed here, and no condition of what else is asked."""
    return condition is not None and any(m.form in ("만", "이라도", "라도") for m in morphemes[slice(*condition)])


def _is_negated_duty(morphemes: Sequence[Morpheme], number: int) -> bool:
    """미만이면 안 줘도 되나요: the negation is of another verb than 되다."""
    after = morphemes[number + 1 : number + 3]
    return after[0].form in ("안", "못") and len(after) == 2 and after[1].form != "되"


def _frames(morphemes: Sequence[Morpheme], number: int) -> bool:
    before, after = morphemes[number - 1], morphemes[number + 1]
    is_time = before.tag == "ETM" or (morphemes[number].form == "시" and before.tag == "NNG" and before.form != "몇")
    return is_time and not after.tag.startswith("J")


def _topic(morphemes: Sequence[Morpheme], first: int, stop: int) -> tuple[int, int] | None:
    """The thing that the clause is about: 부가세는, 부가세 before 언제, else the last noun that does something, or has it done to it; never who."""
    doing, done_to, number = None, None, first
    while number < stop:
        begin = number
        while number < stop and morphemes[number].tag in NOMINAL and not is_asking_word(morphemes[number]):
            number += 1
        if number == stop:
            break
        after = morphemes[number]
        if any(m.tag in _NOUNS for m in morphemes[begin:number]) and morphemes[number - 1].form not in PEOPLE:
            if after.tag == "JX" and after.form in TOPIC:
                return begin, number + 1
            if is_asking_word(after):
                return begin, number
            if after.tag == "JKS":
                doing = begin, number
            elif after.tag in ("JKO", "VV") and after.form != "말":
                done_to = begin, number
        number += 1
    return doing or done_to


def request_start(morphemes: Sequence[Morpheme], first: int, stop: int) -> int | None:
    """Where 알려 주세요, 궁금합니다 begins at the end of a sentence."""
    begin = stop
    for number in range(stop - 1, first, -1):
        morpheme = morphemes[number]
        if morpheme.tag in _CONTENT and morpheme.form not in _FILLERS:
            break
        if morpheme.tag in _CONTENT or morpheme.tag == "MAG":
            begin = number
        elif morpheme.form in INDIRECT or morpheme.tag.startswith("J") or morpheme.tag == "ETM":
            break
    return begin if any(m.form in _REQUESTS for m in morphemes[begin:stop]) else None


def denied_spans(morphemes: Sequence[Morpheme]) -> Iterator[tuple[int, int]]:
    """Yield the characters of each thing that is said not to be; what is asked whether it is (부당해고 아니죠?) is none."""
    for number, own in enumerate(morphemes):
        if not number or not _denies(morphemes, number):
            continue
        last = number - 1
        if morphemes[last].tag in _PARTICLES and own.tag == "VCN":
            last -= 1
        first = _first_of_thing(morphemes, last)
        if first <= last:
            yield morphemes[first].start, morphemes[last].end


def _denies(morphemes: Sequence[Morpheme], number: int) -> bool:
    own, ending = morphemes[number], morphemes[number + 1] if number + 1 < len(morphemes) else None
    if ending is None:
        return False
    if own.form == "말" and own.tag.startswith("V"):
        return ending.form == "고" and ending.tag == "EC" and morphemes[number - 1].tag in _DENIABLE
    if own.tag != "VCN":
        return False
    if ending.tag == "EC":
        return ending.form in _GOING_ON
    mark = morphemes[number + 2].form if number + 2 < len(morphemes) else ""
    return ending.tag == "EF" and ending.form not in _ASKING and not mark.startswith(("?", "？"))


def _first_of_thing(morphemes: Sequence[Morpheme], last: int) -> int:
    """The first of the nouns that end at ``last``; behind 다친 거 the first of its clause; behind ``last`` where no noun is."""
    first = last + 1
    while first and morphemes[first - 1].tag in _DENIABLE:
        first -= 1
    if first == last and morphemes[last].form in _THINGS and first and morphemes[first - 1].tag == "ETM":
        while first and not morphemes[first - 1].tag.startswith(_CLAUSE_ENDS):
            first -= 1
    return first
