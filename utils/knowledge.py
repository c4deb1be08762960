"""What the service knows and how a piece of it travels: documents, chunks and search hits.

These values are frozen: a stage that changes one makes a new one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, field_validator

from utils.located_terms import LocatedTerms

Scalar = str | int | float | bool
DocumentType = Literal["law", "interpretation", "court_case", "guide", "announce", "labor_qa", "faq"]

_DOMAIN_ALIASES = {"legal": "law_common"}


def canonical_domain(domain: str) -> str:
    """The current key of a domain; ``legal`` is the older label of ``law_common``."""
    return _DOMAIN_ALIASES.get(domain, domain)


class DocumentSource(BaseModel):
    """Where a document comes from, as the user sees it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(min_length=1)
    url: str = ""
    collected_at: str | None = None


class KnowledgeDocument(BaseModel):
    """One line of a knowledge file (JSONL). Unknown keys are refused so that a typo cannot lose a field."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str = Field(min_length=1, max_length=512)
    type: DocumentType
    domain: Annotated[str, AfterValidator(canonical_domain)] = Field(min_length=1)
    title: str = Field(min_length=1)
    content: str = Field(min_length=1)
    source: DocumentSource
    effective_date: date | None = None
    related_laws: tuple[str, ...] = ()
    metadata: dict[str, Scalar] = Field(default_factory=dict)

    @field_validator("title", "content")
    @classmethod
    def _not_blank(cls, value: str) -> str:
        if not value.strip():
            raise ValueError("must not be blank")
        return value


@dataclass(frozen=True, slots=True)
class ChunkTerms:
    """What the analyser made of a chunk at ingest: the content terms of its title and, with their places, of its text."""

    title: tuple[str, ...]
    text: LocatedTerms


def _no_terms() -> ChunkTerms | None:
    return None


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage of one document, found and cited on its own.

    ``sentences`` are ``(start, end)`` character spans into ``text``, made at ingest so that nothing is
    split at query time. ``label`` is set for statute articles: ``법이름(no spaces)|제N조``. ``load_terms`` reads the
    stored terms; None where there are none, for a text that is in no index.
    """

    id: str
    doc_id: str
    collection: str
    domain: str
    doc_type: DocumentType
    title: str
    text: str
    source_name: str
    source_url: str = ""
    effective_date: str | None = None
    related_laws: tuple[str, ...] = ()
    metadata: Mapping[str, Scalar] = field(default_factory=dict)
    sentences: tuple[tuple[int, int], ...] = ()
    label: str | None = None
    load_terms: Callable[[], ChunkTerms | None] = field(default=_no_terms, compare=False, repr=False)

    @property
    def cited_labels(self) -> tuple[str, ...]:
        """The labels of the articles it rests on: 부가가치세법 제48조 → 부가가치세법|제48조."""
        return tuple(f"{''.join(law.split()[:-1])}|{law.split()[-1]}" for law in self.related_laws if law.strip())

    def sentence_texts(self) -> list[str]:
        """The sentences of the passage in order."""
        return [self.text[start:end] for start, end in self.sentences]


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk with the evidence that brought it up.

    ``score`` orders hits of one list (its scale is that of the step that made it); ``similarity`` is the
    cosine of question and chunk in [-1, 1] and ``bm25`` the raw lexical score, 0.0 where a side did not find it.
    ``relevance`` is the reranker's score calibrated to [0, 1], the only one compared across lists.
    """

    chunk: Chunk
    score: float
    similarity: float = 0.0
    bm25: float = 0.0
    relevance: float = 0.0
    found_by: frozenset[str] = frozenset()
