"""Stop words of questions (알리다, 궁금하다, 언제 …). Removed from questions only; in documents they carry meaning."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from utils.documents import LocatedTerms

QUESTION_WORDS = frozenset(
    "알리다 궁금하다 듣다 묻다 여쭈다 설명 안내 문의 대하다 위하다 따르다 관련 관하다 며칠 언제 얼마 안 올해 지금 이번 사항 예 두다 들다 나오다 쯤 정도 "
    "생각 그렇다 어떻다 괜찮다 모르다 그만".split()
)

# They shape what is asked of a subject and stand in half of all questions: worth less than the words of the subject.
ASPECT_WORDS = frozenset(
    "운영 방법 절차 기준 법 요건 의무 종합 구체 진행 가능 필요 규정 추가 주의 처리 포함 정리 차이 개념 내용 종류 사례".split()
)
_ASPECT_WEIGHT = 0.3

# 근로 분야의 퇴직금 …: the field only says where the subject belongs.
_FIELD = re.compile(r"([^\s.?!][^.?!]{0,24}?)\s?분야(?:의|에서)\s?")
_FIELD_WORD = "분야"
_FIELD_WEIGHT = 0.3

_FORMAL_WEIGHT = 0.7  # of a formal term beside the everyday word that was typed, and of a part beside its compound
_SHORTEST_PART = 2  # syllables

# The parties of a made-up case, who say nothing of its subject: 갑은 을에게, A와 B의. 갑질 and 을지로 are words of their own.
_PARTY = re.compile(
    r"(?<![가-힣A-Za-z0-9])(갑|을|병|정|[A-D])(?:은|는|이|가|을|를|과|와|의|에게|에게서|로부터|도|만)?(?![가-힣A-Za-z0-9])"
)
_FIRST_TWO = ({"갑", "을"}, {"A", "B"})


def without_parties(text: str) -> str:
    """``text`` without the names of parties, where it has at least the first two of them."""
    names = {match[1] for match in _PARTY.finditer(text)}
    return " ".join(_PARTY.sub(" ", text).split()) if any(two <= names for two in _FIRST_TWO) else text


def subject_terms(terms: Iterable[str]) -> tuple[str, ...]:
    """The distinct terms of a question that name its subject, in order; all of them where none would be left."""
    distinct = tuple(dict.fromkeys(terms))
    return tuple(term for term in distinct if term not in QUESTION_WORDS) or distinct


def term_weights(text: str, terms: Sequence[str], located: LocatedTerms) -> tuple[float, ...]:
    """Return the weight of each of the ``terms`` of a question, in [0, 1]; ``located`` holds the offsets of its terms."""
    field = _FIELD.match(text)
    background = {*located.within(*field.span(1)).terms, _FIELD_WORD} if field is not None else set()
    return tuple(_weight(term, background) for term in terms)


def with_formal_terms(
    terms: Sequence[str], weights: Sequence[float], formal: Iterable[str]
) -> tuple[tuple[str, ...], tuple[float, ...]]:
    """Terms and weights of a question, with the terms of its formal wording that it does not have itself."""
    new = tuple(term for term in subject_terms(formal) if term not in terms)
    return (*terms, *new), (*weights, *[_FORMAL_WEIGHT] * len(new))


def compound_parts(term: str, is_known: Callable[[str], bool]) -> tuple[str, ...]:
    """The two known words that make an unknown compound: 연장수당 → 연장, 수당; nothing for any other term."""
    cuts = range(_SHORTEST_PART, len(term) - _SHORTEST_PART + 1)
    if not cuts or is_known(term):
        return ()
    return next(((term[:cut], term[cut:]) for cut in cuts if is_known(term[:cut]) and is_known(term[cut:])), ())


def _weight(term: str, background: set[str]) -> float:
    if term in background:
        return 0.0 if term == _FIELD_WORD else _FIELD_WEIGHT
    return _ASPECT_WEIGHT if term in ASPECT_WORDS else 1.0
