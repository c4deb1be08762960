"""A question cut into sentences and clauses on its morphemes, and which of them ask for something.

A consulting question tells a situation ("카페를 열려고 해요.") and then asks ("사업자등록은 어떻게 하고 세금은 뭘 챙겨야 하나요?").
Routing weighs what is asked above what is told; decomposition carries what is told into each thing asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from utils.protocols import Morpheme

# Endings after which a new clause begins, in the forms Kiwi gives them (jamo included).
_CLAUSE_ENDINGS = frozenset(
    "고 며 으며 는데 은데 ᆫ데 지만 는지 은지 ᆫ지 을지 ᆯ지 는가 은가 ᆫ가 므로 으므로 라서 니 으니 거나".split()
)
# 고 싶다, 고 있다: the ending belongs to the auxiliary that follows.
_AUXILIARY = "VX"
_QUESTION_ENDINGS = (
    "나요", "가요", "ᆫ가요", "은가요", "는가요", "ᆯ까요", "을까요", "까요", "까", "ᆯ까", "을까", "습니까", "ᆸ니까", "나", "니", "냐", "는지요", "ᆫ지요", "은지요",
    "죠", "지요", "ᆫ가", "은가", "는가", "을지", "ᆯ지",
)  # fmt: skip
_REQUEST_WORDS = frozenset("알리 가르치 궁금 궁금하 문의 부탁 부탁드리 도와주 돕".split())
_REQUEST_NOUNS = frozenset(
    "설명 안내 정리 추천 상담 비교 소개 계산 작성 검토".split()
)  # with 하다 and 주다 ("설명해 주세요")
_GIVING = ("주", "주시", "드리", "달")
_POLITE_ENDINGS = ("요", "니다", "니까", "시오")
_BREAKS = frozenset({"SF"})
_JOINING = frozenset("·・")  # 부동산·임대차 is one thing; Kiwi takes the dots for commas
_NOUNS = ("NNG", "NNP", "XR", "SL")


@dataclass(frozen=True, slots=True)
class Segment:
    """Morphemes ``first`` to ``stop`` (exclusive), characters ``start`` to ``end`` of the text.

    ``sentence`` counts sentences from 0. ``asks`` says whether the sentence asks for something.
    """

    first: int
    stop: int
    start: int
    end: int
    sentence: int
    asks: bool


def split_segments(text: str, morphemes: Sequence[Morpheme]) -> list[Segment]:
    """The clauses and list items of ``text`` in order; together they cover every morpheme once."""
    segments: list[Segment] = []
    for number, (first, stop) in enumerate(_sentences(text, morphemes)):
        asks = asks_something(morphemes[first:stop])
        for begin, end in _clauses(morphemes, first, stop):
            segments.append(
                Segment(begin, end, morphemes[begin].start, morphemes[end - 1].end, sentence=number, asks=asks)
            )
    return segments


def is_casual(segments: Sequence[Segment], morphemes: Sequence[Morpheme]) -> bool:
    """Return True if a message only says something, as to a friend: nothing is asked and no ending is polite."""
    endings = [morpheme.form for morpheme in morphemes if morpheme.tag in ("EF", "JX")]
    polite = any(form.endswith(_POLITE_ENDINGS) for form in endings)
    return bool(segments) and not polite and not any(segment.asks for segment in segments)


def _sentences(text: str, morphemes: Sequence[Morpheme]) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    first = 0
    for number, morpheme in enumerate(morphemes):
        following = morphemes[number + 1] if number + 1 < len(morphemes) else None
        if following is not None and not _ends_sentence(text, morpheme, following):
            continue
        spans.append((first, number + 1))
        first = number + 1
    return spans


def _ends_sentence(text: str, morpheme: Morpheme, following: Morpheme) -> bool:
    gap = text[morpheme.end : following.start]
    if "\n" in gap:
        return True
    if morpheme.tag in _BREAKS:
        return following.tag not in ("SF", "SSC", "SP")
    return morpheme.tag == "EF" and gap.isspace()


def _clauses(morphemes: Sequence[Morpheme], first: int, stop: int) -> list[tuple[int, int]]:
    """Clause spans of one sentence; a piece without a noun stays with the piece before it."""
    spans: list[tuple[int, int]] = []
    begin, depth = first, 0
    for number in range(first, stop):
        depth += _depth_change(morphemes[number].tag)
        last = number + 1 == stop
        if not last and (depth > 0 or not _ends_clause(morphemes[number], morphemes[number + 1])):
            continue
        if spans and not any(m.tag in _NOUNS for m in morphemes[begin : number + 1]):
            spans[-1] = (spans[-1][0], number + 1)
        else:
            spans.append((begin, number + 1))
        begin = number + 1
    return spans


def _depth_change(tag: str) -> int:
    return {"SSO": 1, "SSC": -1}.get(tag, 0)


def _ends_clause(morpheme: Morpheme, following: Morpheme) -> bool:
    if morpheme.tag == "SP":
        return morpheme.form not in _JOINING
    if following.tag == "SP":
        return False
    if morpheme.tag == "EC":
        return morpheme.form in _CLAUSE_ENDINGS and not following.tag.startswith((_AUXILIARY, "J"))
    return following.tag == "MAJ"


def asks_something(sentence: Sequence[Morpheme]) -> bool:
    """Return True if a sentence is a question or a request, by its mark, its words or its ending."""
    if any(m.tag == "SF" and "?" in m.form for m in sentence):
        return True
    if _tells_number(sentence):
        return False
    if any(m.form in _REQUEST_WORDS or _is_request(sentence[n : n + 4]) for n, m in enumerate(sentence)):
        return True
    endings = [m for m in sentence if m.tag == "EF"]
    # A bare noun phrase ("퇴직금 지급 기준") is a request in short.
    return not endings or endings[-1].form in _QUESTION_ENDINGS


def _tells_number(sentence: Sequence[Morpheme]) -> bool:
    """직원은 저 빼고 3명이요, without a mark: a fact of the case, where 재고는요 asks."""
    ending = "".join(m.form for m in sentence[-2:] if m.tag.startswith("J"))
    rest = sentence[: -2 if sentence[-1].form == "요" else -1]
    return ending == "이요" and bool(rest) and rest[-1].tag in ("NNB", "NR", "SN")


def _is_request(words: Sequence[Morpheme]) -> bool:
    """설명해 주세요, 정리 부탁, 알고 싶다, 안내해줄 수 있나요."""
    if words[0].form == "알":
        return any(m.form == "싶" for m in words)
    return words[0].form in _REQUEST_NOUNS and any(m.tag in ("VX", "VV") and m.form in _GIVING for m in words)
