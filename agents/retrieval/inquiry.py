"""What the retrieve stage is asked, and what it hands on."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from agents.state import AskedUnits, RetrievalResult
from schemas.chat import Degradation, UserContext
from utils.documents import Hit
from utils.korean.question_words import without_parties
from utils.question_decomposer import SubQuery
from vectorstores.search.articles import ArticleLookup


@dataclass(frozen=True, slots=True)
class Rewording:
    """A model's other wordings of a question; none, and the failure, where it gave none."""

    wordings: tuple[str, ...] = ()
    degraded: tuple[Degradation, ...] = ()


Reword = Callable[[str], Awaitable[Rewording]]
"""What asks a model to word a question in other ways."""


@dataclass(frozen=True, slots=True)
class RetrievalInquiry:
    """One question to find documents for, as it was meant: typing errors have been put right.

    ``variants`` are a model's other wordings of the whole question; those of a sub-question are its own.
    ``told`` is what the user said of this matter before, ``told_before`` what of another one; the earliest first.
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
        """The same without the parties of a made-up case (갑, 을), which no document is about."""
        sub_queries = tuple(
            replace(one, query=without_parties(one.query), variants=_without_parties(one.variants))
            for one in self.sub_queries
        )
        question, variants = without_parties(self.question), _without_parties(self.variants)
        return replace(self, question=question, sub_queries=sub_queries, variants=variants)


def _without_parties(texts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(without_parties(text) for text in texts)


@dataclass(frozen=True, slots=True)
class RetrievalOutcome:
    """``documents`` begin with the cited ``articles``, then those of the ``units`` that answer, and go on with what the searches found:
    ``searched``, in its own order; ``trace`` names what ran."""

    results: tuple[RetrievalResult, ...]
    documents: tuple[Hit, ...]
    searched: tuple[Hit, ...]
    articles: ArticleLookup
    units: tuple[AskedUnits, ...]
    degraded: tuple[Degradation, ...]
    trace: dict[str, str | int]
