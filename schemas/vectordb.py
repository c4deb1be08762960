"""Wire types of ``/api/vectordb``."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from schemas.chat import Degradation, Scalar, Strict

CollectionKey = Literal["startup_funding", "finance_tax", "hr_labor", "law_common"]


class CollectionStats(BaseModel):
    """One collection of the knowledge base."""

    key: str = Field(description="Domain of the collection.")
    name: str
    documents: int = Field(description="Documents that were taken in.")
    chunks: int = Field(description="Passages that are searched.")


class CollectionList(BaseModel):
    """All collections."""

    collections: list[CollectionStats]


class VectorStats(CollectionList):
    """Sizes and identities of the index version in use."""

    version: str
    embedder: str
    tokenizer: str
    documents: int
    chunks: int


class VectorSearchRequest(Strict):
    """A plain search, without classification or an answer."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"query": "연차 유급휴가 일수", "collection": "hr_labor", "k": 5}]},
    )

    query: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2000)]
    collection: CollectionKey | None = Field(None, description="One collection; empty: all of them.")
    k: int = Field(5, ge=1, le=50, description="Passages to return.")


class SearchResultItem(BaseModel):
    """One passage with the evidence that brought it up."""

    id: str
    collection: str
    title: str
    content: str
    source: str
    url: str = ""
    effective_date: str | None = None
    metadata: dict[str, Scalar] = Field(default_factory=dict)
    relevance: float = Field(description="Calibrated to 0 to 1; orders the results.")
    similarity: float = Field(description="Cosine of query and passage.")
    bm25: float = Field(description="Raw lexical score.")
    found_by: list[str] = Field(description="Sides that found it: bm25, vector, exact.")


class SearchResults(BaseModel):
    """Passages in falling relevance."""

    results: list[SearchResultItem]
    degraded: list[Degradation] = Field(default_factory=list)
