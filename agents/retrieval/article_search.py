"""The articles that a question cites, and whether it asks for anything beside them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from utils.korean.question_words import QUESTION_WORDS
from utils.law.question_references import LawReference
from utils.protocols import Analyzer
from vectorstores.search.articles import ArticleLookup, look_up
from vectorstores.search.hybrid import HybridSearcher

# What one says to have an article shown: 제48조 내용이 뭐야, 조문 전문을 그대로 보여 줘.
_ASKING_TO_SEE = QUESTION_WORDS | frozenset(
    "내용 조문 조항 법조문 법조항 규정 전문 원문 본문 제목 전체 텍스트 문구 보이다 보여주다 찾다 찾아보다 읽다 읽어주다 확인 쓰다 적다 정하다 말하다 요약 정리 해석 의미 뜻 "
    "그대로 뭐라다 검색 조회 출력 인용 이다 규정되다 법 법률 법령 시행령 시행규칙 부탁 현행 최신 해설 소개 비교 차이 인지".split()
)
_SHORTEST_TERM = 2  # what is left of particles behind a citation has one syllable


class ArticleSearch:
    """Looks up cited articles across all collections: the statutes lie in one, the question may belong to another."""

    def __init__(self, analyzer: Analyzer) -> None:
        self._analyzer = analyzer

    def look_up(self, searcher: HybridSearcher, question: str, references: Sequence[LawReference]) -> ArticleLookup:
        """Find the ``references`` of the ``question`` in the index, and tell whether it asks for nothing beside them."""
        lookup = look_up(searcher.index.collections.values(), references)
        titles = (article.hits[0].chunk.title for article in lookup.found)
        nothing_else = self._asks_nothing_else(searcher.law_names.remainder(question), titles)
        return ArticleLookup(lookup.found, lookup.missing, nothing_else)

    def _asks_nothing_else(self, rest: str, titles: Iterable[str]) -> bool:
        terms = {term for term in self._analyzer.terms(rest) if len(term) >= _SHORTEST_TERM} - _ASKING_TO_SEE
        return terms <= {term for title in titles for term in self._analyzer.terms(title)}
