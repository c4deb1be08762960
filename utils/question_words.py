"""Words of asking, which say nothing of the subject. They are content words in documents, so questions alone lose them."""

from __future__ import annotations

from collections.abc import Iterable

QUESTION_WORDS = frozenset(
    "알리다 궁금하다 듣다 묻다 여쭈다 설명 안내 문의 대하다 위하다 따르다 관련 관하다 며칠 언제 얼마 안 올해 지금 이번 사항 예 두다 들다 나오다 쯤 정도 "
    "생각 그렇다 어떻다 괜찮다 모르다 그만".split()
)


def subject_terms(terms: Iterable[str]) -> tuple[str, ...]:
    """The distinct terms of a question that name its subject, in order; all of them where none would be left."""
    distinct = tuple(dict.fromkeys(terms))
    return tuple(term for term in distinct if term not in QUESTION_WORDS) or distinct
