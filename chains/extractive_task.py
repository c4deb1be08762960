"""The task of the extractive model: what it answers, and from which documents."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field

from schemas.chat import Scalar
from utils.documents import LocatedTerms
from utils.knowledge.units import UnitSentence


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ExtractivePart(_Frozen):
    """A thing to answer: a sub-question of one domain. ``label`` is the domain's name as the user reads it.

    ``other_words`` say the question in another language, for documents that do not have its own.
    """

    domain: str
    label: str
    question: str = Field(min_length=1)
    other_words: str = ""


@dataclass(frozen=True, slots=True)
class DocumentTerms:
    """The content terms of a document's title, and those of each of its sentences."""

    title: tuple[str, ...]
    sentences: tuple[LocatedTerms, ...]


def _not_stored() -> DocumentTerms | None:
    return None


class ExtractiveDocument(_Frozen):
    """A numbered source. ``relevance`` is calibrated to [0, 1]; ``load_terms`` reads the terms that were stored at ingest.

    Without them title and sentences are analysed. ``is_article``: it is of a statute, not a guide in plain words.
    ``has_units``: its answer units say what it answers. ``text`` is all of it, lines and tables as they stand.
    """

    index: int = Field(ge=1)
    title: str
    domain: str
    sentences: tuple[str, ...]
    text: str = ""
    relevance: float = Field(0.0, ge=0, le=1)
    source: str = ""
    effective_date: str | None = None
    is_article: bool = False
    has_units: bool = False
    load_terms: Callable[[], DocumentTerms | None] = Field(_not_stored, exclude=True, repr=False)


class ExtractiveUnit(_Frozen):
    """An answer unit of document number ``document``; ``score`` orders the units of one thing asked, differences are log odds.

    ``condition`` is when it holds, in words; ``note`` is said with it where it does not hold on the day asked. ``verdict`` is the yes or no that it answers this question with; None where that is
    not sure, or was not asked.
    """

    document: int = Field(ge=1)
    name: str
    sentences: tuple[UnitSentence, ...] = Field(min_length=1)
    score: float
    condition: str = ""
    note: str = ""
    verdict: bool | None = None


class ExtractiveAsk(_Frozen):
    """A thing asked, and its answer units, best first; ``is_answered``: the best one answers it. ``sums`` are said before them.

    ``is_offered``: the best one does not, but is the nearest there is. ``domain`` is where it is answered, or most likely would be.
    """

    ask: str
    domain: str = ""
    units: tuple[ExtractiveUnit, ...] = ()
    sums: tuple[ExtractiveUnit, ...] = ()
    is_answered: bool = False
    is_offered: bool = False


class UnitQuote(_Frozen):
    """A sentence of a unit to quote, with the number of its document; ``verdict`` leads it."""

    document: int
    text: str
    verdict: bool | None = None


class Quotation(_Frozen):
    """Sentences to quote in order, each with the number of its document, under a heading."""

    heading: str
    sentences: tuple[tuple[int, str], ...] = Field(min_length=1)


class ExtractiveTask(_Frozen):
    """The question, its parts in the order to answer, and the numbered documents.

    ``asks`` are the things asked with the answer units found for them: what they answer is said from them alone.
    ``requests`` name what is missing for a sum, at the end. ``facts`` is what is known of the user (employee_count, user_type, region …). ``max_chars`` bounds the answer;
    None: 800 characters for one domain, 1,500 for several. ``notes`` are sentences to begin with. With ``is_citation`` the
    question asks for statute articles and nothing else: notes and ``quotations`` are the whole answer.
    """

    question: str = Field(min_length=1)
    parts: tuple[ExtractivePart, ...] = Field(min_length=1)
    documents: tuple[ExtractiveDocument, ...] = ()
    asks: tuple[ExtractiveAsk, ...] = ()
    requests: tuple[str, ...] = ()
    max_chars: int | None = Field(None, ge=100)
    facts: dict[str, Scalar] = Field(default_factory=dict)
    notes: tuple[str, ...] = ()
    quotations: tuple[Quotation, ...] = ()
    is_citation: bool = False
