"""What the retrieve stage is asked, and what it hands on."""

from __future__ import annotations

from dataclasses import dataclass, replace

from agents.state import RetrievalResult
from schemas.chat import Degradation, UserContext
from utils.knowledge import Hit
from utils.question_decomposer import SubQuery
from utils.question_words import without_parties
from vectorstores.articles import ArticleLookup


@dataclass(frozen=True, slots=True)
class RetrievalInquiry:
    """One question to find documents for, as it was meant: typing errors have been put right."""

    question: str
    sub_queries: tuple[SubQuery, ...]
    variants: tuple[str, ...] = ()
    context: UserContext | None = None

    def without_parties(self) -> RetrievalInquiry:
        """The same without the parties of a made-up case (갑, 을), which no document is about."""
        sub_queries = tuple(replace(one, query=without_parties(one.query)) for one in self.sub_queries)
        return replace(self, question=without_parties(self.question), sub_queries=sub_queries)


@dataclass(frozen=True, slots=True)
class RetrievalOutcome:
    """``documents`` begin with the cited ``articles``; ``trace`` names what ran."""

    results: tuple[RetrievalResult, ...]
    documents: tuple[Hit, ...]
    articles: ArticleLookup
    degraded: tuple[Degradation, ...]
    trace: dict[str, str | int]
