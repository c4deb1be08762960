"""Input and output of the retrieve stage."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from agents.state import AskedUnits, RetrievalResult, RouterState
from schemas.chat import Degradation, UserContext
from utils.documents import Hit
from utils.korean.question_words import without_parties
from utils.question_decomposer import SubQuery
from utils.routing.follow_up import told_by_user
from vectorstores.search.articles import ArticleLookup


@dataclass(frozen=True, slots=True)
class Rewording:
    """A model's other wordings of a question, or the failure where it gave none."""

    wordings: tuple[str, ...] = ()
    degraded: tuple[Degradation, ...] = ()


Reword = Callable[[str], Awaitable[Rewording]]
"""Asks a model to word a question in other ways."""


@dataclass(frozen=True, slots=True)
class RetrievalInquiry:
    """The question to find documents for; its typing errors have been corrected.

    ``variants`` are a model's other wordings of the whole question; those of a sub-question are its own.
    ``told`` holds the user's earlier messages on this matter, ``told_before`` those on another one; the earliest first.
    ``reword`` is used where too little was found; without it the other wordings come by rule alone.
    """

    question: str
    sub_queries: tuple[SubQuery, ...]
    variants: tuple[str, ...] = ()
    context: UserContext | None = None
    reword: Reword | None = None
    told: tuple[str, ...] = ()
    told_before: tuple[str, ...] = ()

    def without_parties(self) -> RetrievalInquiry:
        """Return the inquiry without the parties of a made-up case (갑, 을), which no document names."""
        sub_queries = tuple(
            replace(sub_query, query=without_parties(sub_query.query), variants=_without_parties(sub_query.variants))
            for sub_query in self.sub_queries
        )
        question, variants = without_parties(self.question), _without_parties(self.variants)
        return replace(self, question=question, sub_queries=sub_queries, variants=variants)


def _without_parties(texts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(without_parties(text) for text in texts)


@dataclass(frozen=True, slots=True)
class RetrievalOutcome:
    """The documents for the answer, with the parts they were put together from.

    ``documents`` holds the cited ``articles`` first, then the documents of the ``units`` that answer, then the other hits of the
    searches; ``searched`` holds the hits of the searches alone. ``trace`` names the steps that ran.
    """

    results: tuple[RetrievalResult, ...]
    documents: tuple[Hit, ...]
    searched: tuple[Hit, ...]
    articles: ArticleLookup
    units: tuple[AskedUnits, ...]
    degraded: tuple[Degradation, ...]
    trace: dict[str, str | int]


def with_what_was_told(inquiry: RetrievalInquiry, state: RouterState) -> RetrievalInquiry:
    """Return the inquiry with what the user said so far, as part of this matter where the question follows up."""
    told = told_by_user(state["history"])
    if not state["understanding"].follows_up:
        return replace(inquiry, told_before=told)
    return replace(inquiry, told=(*told, state["query"]))
