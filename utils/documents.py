"""Documents, chunks and search hits.

These values are frozen: a stage that changes one makes a new one. Every format is read into
`KnowledgeDocument`, which holds plain text only: no invisible characters, and names on one line.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from pydantic_core import PydanticCustomError

from schemas.chat import Scalar
from utils.sanitizing.sanitize import clean_text

DocumentType = Literal["law", "interpretation", "court_case", "guide", "announce", "labor_qa", "faq"]

_MAX_ADDRESS = 2_048
# A host without a user name before it, and nothing that could end an attribute or a line where the address is shown.
_WEB_ADDRESS = re.compile(r"https?://[^\s/?#@\"'<>\\^`{|}]+(?:[/?#][^\s\"'<>\\^`{|}]*)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class LocatedTerms:
    """Content terms of a text in order, as indexed, and the character offset at which each one stands."""

    terms: tuple[str, ...]
    starts: tuple[int, ...]

    def within(self, start: int, end: int) -> LocatedTerms:
        """The terms that stand in ``text[start:end]``, located in that piece."""
        first, last = bisect_left(self.starts, start), bisect_left(self.starts, end)
        return LocatedTerms(self.terms[first:last], tuple(place - start for place in self.starts[first:last]))


def on_one_line(text: str) -> str:
    """``text`` without invisible characters and line breaks, as a title or a name is."""
    return " ".join(filter(None, map(str.strip, clean_text(text).split("\n"))))


def is_web_address(text: str) -> bool:
    """Return True if ``text`` is an http(s) address that may be shown and linked: no other scheme, quotes, blanks or hidden characters."""
    return len(text) <= _MAX_ADDRESS and bool(_WEB_ADDRESS.fullmatch(text)) and _shows_all(text)


def _shows_all(text: str) -> bool:
    return clean_text(text) == unicodedata.normalize("NFC", text)


def _not_blank(text: str) -> str:
    if not text.strip():
        raise PydanticCustomError("blank", "비어 있습니다")
    return text


def _identifier(text: str) -> str:
    if "\n" in text or not _shows_all(text):
        raise PydanticCustomError("identifier", "줄바꿈이나 보이지 않는 글자가 있습니다")
    return text


def _web_address(text: str) -> str:
    if text and not is_web_address(text):
        raise PydanticCustomError(
            "web_address", "http:// 나 https:// 로 시작하는, 빈칸과 따옴표가 없는 주소가 아닙니다"
        )
    return text


PlainText = Annotated[str, AfterValidator(clean_text)]
OneLine = Annotated[str, AfterValidator(on_one_line)]
_Required = AfterValidator(_not_blank)


class DocumentSource(BaseModel):
    """Where a document comes from, as the user sees it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: Annotated[OneLine, _Required]
    url: Annotated[str, AfterValidator(_web_address)] = ""
    collected_at: OneLine | None = None


class KnowledgeDocument(BaseModel):
    """A document as it is taken in; a line of a knowledge file (JSONL) is one as it stands. Unknown keys are refused so that a typo cannot lose a field."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: Annotated[str, Field(min_length=1, max_length=512), AfterValidator(_identifier)]
    type: DocumentType
    domain: Annotated[str, Field(min_length=1)]
    title: Annotated[OneLine, _Required]
    content: Annotated[PlainText, _Required]
    source: DocumentSource
    effective_date: date | None = None
    related_laws: tuple[OneLine, ...] = ()
    metadata: dict[OneLine, PlainText | int | float | bool] = Field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ChunkTerms:
    """Content terms of a chunk, analysed at ingest: those of its title, and those of its text with their offsets."""

    title: tuple[str, ...]
    text: LocatedTerms


def _no_terms() -> ChunkTerms | None:
    return None


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage of one document, found and cited on its own.

    ``sentences`` are ``(start, end)`` character spans into ``text``, made at ingest so that nothing is
    split at query time. ``label`` is set for statute articles: ``법이름(no spaces)|제N조``. ``has_units``: its document is
    cut into answer units, which say what it answers. ``load_terms`` reads the
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
    has_units: bool = False
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

    ``score`` orders hits of one list (its scale is that of the step that made it); ``similarity`` is the cosine of
    question and chunk in [-1, 1], None while there are no vectors to compare, and ``bm25`` the raw lexical score, 0.0 where
    that side did not find it.
    ``relevance`` is the reranker's score calibrated to [0, 1], the only one compared across lists.
    """

    chunk: Chunk
    score: float
    similarity: float | None = 0.0
    bm25: float = 0.0
    relevance: float = 0.0
    found_by: frozenset[str] = frozenset()
