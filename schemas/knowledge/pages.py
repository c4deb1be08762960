"""Wire types of searching and answering from the pages of one assistant's documents."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr

from schemas.chat import Degradation, Message, Scalar, Strict
from schemas.values import JsonNumber
from schemas.vectordb import PageScore

FileHash = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class PageQuery(Strict):
    """A query to the pages. ``embedding_model`` and ``embedding_key`` are for this call alone, where a server makes the embeddings."""

    query: Message
    top_k: Annotated[int, Field(ge=1, le=20), JsonNumber] = Field(5, description="Passages to find.")
    filter_metadata: dict[str, Scalar] = Field(
        default_factory=dict, max_length=10, description="Values a page must have, such as file_hash for one file."
    )
    embedding_model: str | None = Field(
        None,
        min_length=1,
        max_length=200,
        description="The model that the index was made with; another one is refused.",
    )
    embedding_key: SecretStr | None = Field(
        None,
        min_length=1,
        max_length=500,
        description="Key for the embeddings of this call; empty: that of the service.",
    )


class WidenedQuery(PageQuery):
    """A query for pages and those around them."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"query": "월세 세액공제 한도"}]})

    page_window: Annotated[int, Field(ge=0, le=3), JsonNumber] = Field(
        1, description="Pages before and after each hit."
    )
    sort_by: Literal["score", "page"] = Field("score", description="Order: nearest first, or by file and page.")


class ChunkResult(BaseModel):
    """A chunk of a page; it never crosses pages."""

    text: str
    file_hash: str = Field(description="SHA-256 of the file.")
    file_name: str
    start_page: int
    end_page: int
    chunk_index: int
    chunk_hash: str
    distance: float = Field(description="Lower is nearer.")
    created_at: str | None = None


class ChunkResults(BaseModel):
    """Chunks by rising distance."""

    results: list[ChunkResult]
    degraded: list[Degradation] = Field(default_factory=list)


class ChosenPage(Strict):
    """A page to answer from."""

    file_hash: FileHash
    page: Annotated[int, Field(ge=1, le=100_000), JsonNumber]


class PageAnswerRequest(WidenedQuery):
    """A question to be answered from pages or from chunks: the ``pages`` chosen, or what the search finds."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"query": "월세 세액공제 한도는?"}]})

    form: Literal["pages", "chunks"] = Field("pages", description="What the answer is written from.")
    pages: list[ChosenPage] = Field(default_factory=list, max_length=20, description="In this order; empty: as found.")
    max_chunks: Annotated[int, Field(ge=1, le=50), JsonNumber] = Field(
        10, description="Chunks that are read; of a first page with more, its first ones."
    )


class PageAnswer(BaseModel):
    """An answer, the context that it was written from, and the pages in it; ``[n]`` in the text is ``문서 n`` of the context."""

    content: str
    context: str
    pages: list[PageScore]
    model: str
    degraded: list[Degradation] = Field(default_factory=list)
