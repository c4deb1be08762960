"""The clauses of a question that ask something.

카페를 하는데 퇴직금은 언제 주고 안 주면 어떻게 되나요: something told, and two things asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby, pairwise

from utils.korean.clause_frames import INDIRECT, NOMINAL, TOPIC, Clause, is_asking_word, request_start, says_nothing
from utils.korean.question_intent import intents_of
from utils.korean.question_segments import Segment, asks_something, split_segments
from utils.protocols import Morpheme

_GOING_ON = frozenset("고 며 으며".split())
TELLING = frozenset("는데 은데 ᆫ데 지만 니 으니 니까 으니까 므로 으므로 라서 어서 아서 거든".split())
_HEARSAY = ("다면서", "라면서", "다던데", "라던데", "다며", "라며", "은데", "는데", "ᆫ데")
_PLAIN_POLITE = frozenset("어요 아요 예요 에요 이에요".split())
_GOING = frozenset("가 오 나가 나오 다니".split())  # 들고 가다
_PLACE_OF_TELLING = "데"  # 차리는데, which Kiwi often takes for a noun
_DIRECT = ("나요", "가요", "까요", "니까", "죠")
_MODALS = frozenset("어야 아야 어도 아도".split())
_POSSIBLE = "수"
_AND_MORE = ("고요", "구요")
_MARKS = ("?", "？")
_SHORT = 8  # morphemes
_ALTERNATIVES = frozenset("아니면 또는 혹은".split())


def split_clauses(text: str, morphemes: Sequence[Morpheme]) -> list[Clause]:
    """The clauses of ``text`` in order, a list of nouns in one, two sides of an alternative in one."""
    clauses: list[Clause] = []
    segments = split_segments(text, morphemes)
    for number, group in groupby(segments, key=lambda segment: segment.sentence):
        members = list(group)
        spans = _joined_fillers(morphemes, list(_spans(text, morphemes, members)))
        clauses += _with_asks(morphemes, spans, number, asks=members[0].asks)
    return _without_reminders(
        morphemes, _without_tellings(text, morphemes, _with_alternatives_joined(morphemes, clauses))
    )


def _spans(text: str, morphemes: Sequence[Morpheme], segments: Sequence[Segment]) -> Iterator[tuple[int, int]]:
    """The clauses of one sentence: its segments, parted at 차리는데 and 인지랑 too, but a list of nouns in one."""
    begin = segments[0].first
    for segment, following in pairwise([*segments, None]):
        assert segment is not None
        for number in range(max(begin, segment.first), segment.stop - 1):
            if _ends_like_a_clause(morphemes, number) or _goes_on(morphemes, begin, number):
                yield begin, number + 1
                begin = number + 1
        if following is None or not _is_list_item(text, morphemes, begin, segment.stop):
            yield begin, segment.stop
            begin = segment.stop


def _ends_like_a_clause(morphemes: Sequence[Morpheme], number: int) -> bool:
    """차리는데, which Kiwi reads as an adnominal and a noun; 얼마인지랑."""
    before, own, after = (morphemes[at] if at >= 0 else None for at in (number - 1, number, number + 1))
    assert own is not None
    assert after is not None
    if own.tag == "SW" and before is not None and before.tag == "EF":
        return True  # 도와주세요ㅠㅠ
    if own.form == _PLACE_OF_TELLING and own.tag == "NNB" and before is not None and before.tag == "ETM":
        return before.end >= own.start and not after.tag.startswith(("J", "V", "SP"))
    if before is None:
        return False
    if is_how_much_and(morphemes, number):
        return True
    if before.form not in INDIRECT:
        return False
    return own.tag == "Z_CODA" or (own.tag in ("JC", "JKB") and own.form in ("랑", "와", "하고"))


def is_how_much_and(morphemes: Sequence[Morpheme], number: int) -> bool:
    """Return True for the 고 of 얼마고, which Kiwi takes for a particle between nouns."""
    own = morphemes[number]
    return own.tag == "JC" and own.form in ("고", "이고") and number > 0 and is_asking_word(morphemes[number - 1])


def _goes_on(morphemes: Sequence[Morpheme], first: int, number: int) -> bool:
    """뭘 해야 하고 안 하면 …: a question is over, though what follows has no noun."""
    own, after = morphemes[number], morphemes[number + 1]
    if own.tag != "EC" or own.form not in _GOING_ON or after.tag.startswith(("VX", "J", "SP")):
        return False
    if after.form in _GOING:
        return False
    return any(map(is_asking_word, morphemes[first:number]))


def _is_list_item(text: str, morphemes: Sequence[Morpheme], first: int, stop: int) -> bool:
    """Return True if what ends here is a noun of a list, or 권리금하고, which Kiwi may take for a verb."""
    last = stop - 1
    if morphemes[last].tag == "SP":
        last -= 1
    if morphemes[last].tag in NOMINAL or morphemes[last].tag == "SSC":
        return not any(m.form in TELLING and m.tag == "EC" for m in morphemes[first:last])
    return is_noun_and(text, morphemes, last)


def is_noun_and(text: str, morphemes: Sequence[Morpheme], number: int) -> bool:
    """Return True for the 고 of 권리금하고, which Kiwi takes for the verb 하다 right behind a noun that makes no verb."""
    if number < 2 or morphemes[number].form != "고" or morphemes[number - 1].form != "하":
        return False
    noun, verb = morphemes[number - 2], morphemes[number - 1]
    return verb.tag == "VV" and noun.tag in NOMINAL and noun.end == verb.start and text[verb.start - 1] != " "


def _joined_fillers(morphemes: Sequence[Morpheme], spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The clauses of a sentence with 문의드립니다 as a part of what it is about."""
    joined: list[tuple[int, int]] = []
    for first, stop in spans:
        if joined and says_nothing(morphemes[first:stop]):
            joined[-1] = (joined[-1][0], stop)
        else:
            joined.append((first, stop))
    return joined


def _with_asks(
    morphemes: Sequence[Morpheme], spans: Sequence[tuple[int, int]], sentence: int, *, asks: bool
) -> list[Clause]:
    """The clauses of a sentence; those that lead to a question by 고 and 는지 ask with it."""
    clauses: list[Clause] = []
    chained, is_indirect = True, False
    for first, stop in reversed(spans):
        own = morphemes[first:stop]
        if not clauses:
            chained = (asks and _asks_at_the_end(own)) or _asks_by_a_word(own)
            is_indirect = _ends_indirectly(morphemes, first, stop)
            clauses.append(Clause(first, stop, sentence, chained and not says_nothing(own)))
        elif chained and _leads_on(own, is_indirect=is_indirect):
            clauses[-1] = Clause(first, clauses[-1].stop, sentence, clauses[-1].asks)
        else:
            is_amount = is_how_much_and(morphemes, stop - 1)
            chained = chained and (is_amount or _asks_on_the_way(own, is_indirect=is_indirect))
            clauses.append(Clause(first, stop, sentence, chained and not says_nothing(own)))
    return clauses[::-1]


def _asks_by_a_word(clause: Sequence[Morpheme]) -> bool:
    """돈은 얼마나 들어요, without a question mark."""
    ending = _last_ending(clause)
    is_polite = ending is not None and ending.tag == "EF" and ending.form in _PLAIN_POLITE
    return is_polite and any(map(is_asking_word, clause)) and not any(m.tag == "EP" for m in clause)


def _ends_indirectly(morphemes: Sequence[Morpheme], first: int, stop: int) -> bool:
    """Return True if what is asked in 는지 is asked: 언제인지, 얼마인지 알려 주세요, but not 승계할지 답해야 하나요."""
    ending = _last_ending(morphemes[first:stop])
    return request_start(morphemes, first, stop) is not None or (ending is not None and ending.form in INDIRECT)


def _leads_on(clause: Sequence[Morpheme], *, is_indirect: bool) -> bool:
    """등기 안 하고 (방치하면 …), 승계할지 (답해야 하나요): belongs to what follows."""
    last = clause[-1]
    if last.tag == "EC" and last.form == "거나":
        return True
    if last.tag != "EC" or _asks_on_the_way(clause, is_indirect=is_indirect):
        return False
    return last.form in INDIRECT or (last.form in _GOING_ON and not any(m.tag in ("EP", "VX") for m in clause))


def _last_ending(morphemes: Sequence[Morpheme]) -> Morpheme | None:
    """The ending, where the clause has one at its end."""
    for morpheme in reversed(morphemes):
        if morpheme.tag in ("EC", "EF"):
            return morpheme
        if not morpheme.tag.startswith(("S", "J", "Z", "W")) or morpheme.tag in ("SL", "SN"):
            return None
    return None


def _asks_at_the_end(morphemes: Sequence[Morpheme]) -> bool:
    ending = _last_ending(morphemes)
    if ending is None:
        return not any(m.tag == "EC" and m.form.endswith(("요", "니다")) for m in morphemes)  # 했어요(계약까지 함)
    if ending.tag == "EC":
        return ending.form not in TELLING
    return asks_something(morphemes) and not ending.form.removesuffix("요").endswith(_HEARSAY)


def _asks_on_the_way(morphemes: Sequence[Morpheme], *, is_indirect: bool) -> bool:
    ending = _last_ending(morphemes)
    if ending is None:
        return False
    if ending.form in INDIRECT:
        return is_indirect
    if ending.form.endswith(_DIRECT):
        return True
    if ending.form not in _GOING_ON:
        return False
    is_modal = any(m.form in _MODALS and m.tag == "EC" for m in morphemes)
    return is_modal or any(is_asking_word(m) or (m.form == _POSSIBLE and m.tag == "NNB") for m in morphemes)


def _with_alternatives_joined(morphemes: Sequence[Morpheme], clauses: Sequence[Clause]) -> list[Clause]:
    """받는 건가요 신고만 하는 건가요: one thing asked."""
    joined: list[Clause] = []
    for clause in clauses:
        last = joined[-1] if joined else None
        if last and last.asks and clause.asks and _is_alternative(morphemes, last, clause):
            joined[-1] = Clause(last.first, clause.stop, last.sentence, asks=True)
        else:
            joined.append(clause)
    return joined


def _without_reminders(morphemes: Sequence[Morpheme], clauses: Sequence[Clause]) -> list[Clause]:
    """5월 아닌가요? 언제까지인가요: the first tells what the asker knows, before the question."""
    asking = [clause for clause in clauses if clause.asks]
    return [
        replace(clause, asks=False)
        if clause.asks and clause is not asking[-1] and _reminds(morphemes, clause)
        else clause
        for clause in clauses
    ]


def _without_tellings(text: str, morphemes: Sequence[Morpheme], clauses: Sequence[Clause]) -> list[Clause]:
    """직원은 두 명 있고요 and 예산 5만원 tell something of the case, and 회사 거 맞죠 goes on with the question before it."""
    asking = [clause for clause in clauses if clause.asks]
    if len(asking) < 2:
        return list(clauses)
    tell = {
        clause
        for clause in asking
        if _adds_more(text, morphemes, clause)
        or (clause is not asking[0] and (_is_bare(text, morphemes, clause) or _wants_assent(morphemes, clause)))
    }
    return [replace(clause, asks=False) if clause in tell and len(tell) < len(asking) else clause for clause in clauses]


def _adds_more(text: str, morphemes: Sequence[Morpheme], clause: Clause) -> bool:
    own = [m for m in morphemes[clause.first : clause.stop] if not m.tag.startswith("S")]
    ending = text[own[0].start : own[-1].end] if own else ""
    is_marked = text[own[-1].end :].lstrip()[:1] in _MARKS if own else False
    return ending.endswith(_AND_MORE) and not is_marked and not any(map(is_asking_word, own))


def _is_bare(text: str, morphemes: Sequence[Morpheme], clause: Clause) -> bool:
    """A phrase without verb, topic or any word of what is wanted: 매출 150억 회사."""
    own = [m for m in morphemes[clause.first : clause.stop] if not m.tag.startswith(("SF", "SP"))]
    if not own or any(m.tag.startswith(("V", "E", "XS")) or (m.tag == "JX" and m.form in (*TOPIC, "도")) for m in own):
        return False
    said = text[own[0].start : own[-1].end]
    return not any(map(is_asking_word, own)) and not intents_of(said) and own[-1].tag != "JX"


def _wants_assent(morphemes: Sequence[Morpheme], clause: Clause) -> bool:
    own = [m for m in morphemes[clause.first : clause.stop] if not m.tag.startswith("S")]
    return len(own) <= _SHORT and any(m.form == "맞" and m.tag.startswith("V") for m in own[-3:])


def _reminds(morphemes: Sequence[Morpheme], clause: Clause) -> bool:
    own = morphemes[clause.first : clause.stop]
    return any(m.tag == "VCN" for m in own[-4:]) and not any(map(is_asking_word, own))


def _is_alternative(morphemes: Sequence[Morpheme], before: Clause, clause: Clause) -> bool:
    own = morphemes[clause.first : clause.stop]
    if any(map(is_asking_word, own)) or any(map(is_asking_word, morphemes[before.first : before.stop])):
        return False
    if own[0].form in _ALTERNATIVES or own[0].tag == "VCN":
        return True
    if morphemes[before.stop - 1].tag == "SP" and all(
        any(m.tag == "VCP" for m in morphemes[max(c.first, c.stop - 5) : c.stop]) for c in (before, clause)
    ):
        return True  # 회사 것인가요, 직원 것인가요
    if morphemes[before.stop - 1].tag != "EF":  # a comma or a mark parts them
        return False
    return not any(m.tag == "JX" and m.form in (*TOPIC, "도") for m in own)
