"""Wire types of ``/api/vectordb``."""

from __future__ import annotations

from datetime import date, datetime
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from schemas.chat import Degradation, Message, Scalar, ShortText, Strict
from schemas.values import Day, JsonNumber

DOMAIN_KEY = "domain-key"
"""The format of a string that is the key of a domain; the OpenAPI document lists those there are."""
CollectionKey = Annotated[
    str, Field(min_length=1, max_length=48, pattern=r"^[a-z][a-z0-9_]*$", json_schema_extra={"format": DOMAIN_KEY})
]


VersionName = Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[0-9A-Za-z-]+$")]


class CollectionStats(BaseModel):
    """Size of a collection of the index."""

    key: str = Field(description="Domain of the collection.")
    label: str = Field("", description="What the domain is called.")
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


DocumentKind = Literal["law", "interpretation", "court_case", "guide", "announce", "labor_qa", "faq"]
MetadataField = Literal[
    "article",
    "case_kind",
    "case_number",
    "category",
    "checked",
    "court",
    "deleted",
    "file",
    "file_hash",
    "file_name",
    "law_kind",
    "page",
    "page_label",
    "section",
    "tag",
    "topic",
    "upcoming",
]
"""The fields of the metadata that a search can be restricted by."""


class DocumentFilter(Strict):
    """Properties of the documents that are searched; a field left out says nothing, and all others hold together."""

    source: ShortText | None = Field(None, min_length=1, description="Name of the source, exactly.")
    doc_type: Annotated[list[DocumentKind], Field(min_length=1, max_length=7)] | None = Field(
        None, description="Any of these types."
    )
    law: ShortText | None = Field(None, min_length=1, description="Articles of this statute; spaces do not count.")
    document: Annotated[str, Field(min_length=1, max_length=512)] | None = Field(
        None, description="Id of one document, or of a whole PDF file."
    )
    effective_from: Day | None = Field(None, description="Effective on this day or later.")
    effective_to: Day | None = Field(None, description="Effective on this day or before.")
    metadata: dict[MetadataField, Scalar] = Field(
        default_factory=dict, max_length=10, description="Values that the metadata must have, exactly."
    )

    @field_validator("effective_to")
    @classmethod
    def _follows(cls, value: date | None, info: ValidationInfo) -> date | None:
        start = info.data.get("effective_from")
        if value is not None and start is not None and value < start:
            raise PydanticCustomError("before_start", "the range ends before it begins")
        return value


class VectorSearchRequest(Strict):
    """A plain search, without classification or an answer."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"query": "연차 유급휴가 일수", "collection": "hr_labor", "k": 5}]},
    )

    query: Message
    collection: CollectionKey | None = Field(None, description="One collection; empty: all of them.")
    k: Annotated[int, Field(ge=1, le=50), JsonNumber] = Field(5, description="Passages to return.")
    filter: DocumentFilter | None = Field(
        None, description="Only documents that are so are searched; empty: all. As many passages come back as without."
    )


class SearchResultItem(BaseModel):
    """A passage with the scores that brought it up."""

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


class DocumentSummary(BaseModel):
    """A document of the index."""

    id: str
    collection: str = Field(description="Key of its domain.")
    type: str
    title: str
    source: str
    url: str = ""
    effective_date: str | None = None
    passages: int = Field(description="Passages that it was cut into.")


class DocumentList(BaseModel):
    """A page of documents, by collection in the order of the index."""

    documents: list[DocumentSummary]
    total: int = Field(description="Documents that fit, in all.")
    offset: int


class Passage(BaseModel):
    """A passage of a document; of a PDF file each page is a document of its own."""

    id: str
    document: str
    content: str


class DocumentDetail(DocumentSummary):
    """A document with its passages in order; they may overlap where a long text was cut."""

    label: str | None = Field(None, description="Of a statute article: name of the statute without spaces, article.")
    related_laws: list[str] = Field(default_factory=list)
    metadata: dict[str, Scalar] = Field(default_factory=dict)
    parts: int = Field(description="Documents that share this id: the pages of a PDF file; else 1.")
    offset: int
    texts: list[Passage]


class SearchResults(BaseModel):
    """Passages in falling relevance."""

    results: list[SearchResultItem]
    degraded: list[Degradation] = Field(default_factory=list)


class PageSearchRequest(Strict):
    """A search over the pages of PDF documents."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [{"query": "월세 세액공제 한도", "collection": "finance_tax", "k": 5, "page_window": 1}]
        },
    )

    query: Message
    collection: CollectionKey | None = Field(None, description="One collection; empty: all of them.")
    k: Annotated[int, Field(ge=1, le=20), JsonNumber] = Field(5, description="Passages whose pages are returned.")
    page_window: Annotated[int, Field(ge=0, le=3), JsonNumber] = Field(
        1, description="Pages before and after each that are returned too."
    )
    sort_by: Literal["score", "page"] = Field("score", description="Order: nearest first, or by file and page.")
    filter_metadata: dict[str, Scalar] = Field(
        default_factory=dict,
        max_length=10,
        description="Values a page must have, such as file_hash for the pages of one file.",
    )


class PageScore(BaseModel):
    """A page and its distance: lower is nearer."""

    file_hash: str = Field(description="SHA-256 of the file.")
    page: int = Field(description="From 1.")
    score: float


class PageItem(PageScore):
    """A page with its whole text."""

    collection: str
    file_name: str
    page_label: str = Field(description="As printed on the page or named by the file.")
    content: str
    chunk_count: int = Field(description="Passages the page was cut into.")


class PageSearchResults(BaseModel):
    """The pages that answer best and those around them."""

    best_page: PageScore | None = None
    page_scores: list[PageScore]
    file_names: dict[str, str] = Field(description="By file_hash.")
    pages: list[PageItem]
    degraded: list[Degradation] = Field(default_factory=list)


class JobKind(StrEnum):
    """Kinds of changes that a job makes to the index."""

    INGEST = "ingest"
    DELETE = "delete"
    PURGE = "purge"


class JobState(StrEnum):
    """Stages of a job."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class JobProblem(BaseModel):
    """Something that could not be read (everything else was taken in), or that should be known of what was."""

    file: str
    line: int | None = None
    message: str


class IndexJob(BaseModel):
    """A change of the index. ``done`` means that searches already see it."""

    id: str
    kind: JobKind
    state: JobState
    created: datetime
    finished: datetime | None = None
    files: list[str] = Field(default_factory=list, description="Names of the uploaded files, made safe.")
    document: str | None = Field(None, description="Id of the document to delete; of none once it is purged.")
    collection: str | None = None
    stage: str = Field("", description="What a running job is at.")
    reason: str = Field("", description="Why it failed.")
    version: str | None = Field(None, description="Index version in use afterwards.")
    added: int = Field(0, description="Documents.")
    updated: int = 0
    removed: int = 0
    withheld: int = Field(0, description="Documents of these files that were deleted before and stayed so.")
    problem_count: int = 0
    problems: list[JobProblem] = Field(default_factory=list, description="The first of them.")
    notes: list[JobProblem] = Field(default_factory=list, description="What was read, but not as it stands.")


class JobList(BaseModel):
    """The latest changes of the index, the youngest first."""

    jobs: list[IndexJob]


class StatuteUnit(BaseModel):
    """An answer unit that cites a changed article."""

    document: str = Field(description="Id of its document.")
    unit: str = Field(description="Its heading there.")


class StatuteChange(BaseModel):
    """A change of an article between two versions of the index."""

    kind: Literal["added", "amended", "repealed", "upcoming"] = Field(
        description="upcoming: the text is the same, and some of it is still to take effect."
    )
    law: str
    article: str
    heading: str = ""
    upcoming: date | None = Field(
        None, description="First day ahead on which some of it takes effect; 9999-01-01: not set yet."
    )
    units: list[StatuteUnit] = Field(default_factory=list)
    unit_count: int = Field(0, description="Units that cite it; the first of them stand in units.")


class StatuteChanges(BaseModel):
    """A page of the changes of the statutes between two kept versions, by law and article."""

    from_version: str
    to_version: str
    counts: dict[str, int] = Field(
        description="Changes of each kind in all; upcoming counts all that are still to take effect."
    )
    total: int = Field(description="Changes in all.")
    offset: int
    changes: list[StatuteChange]


class IndexVersion(BaseModel):
    """A version of the index that is kept."""

    version: str
    current: bool = Field(description="Searches use it; a rollback goes to the other one.")
    created: datetime
    documents: int
    chunks: int
    embedder: str
    tokenizer: str
    damaged: bool = Field(False, description="Its list cannot be read; the numbers are not known.")


class IndexVersions(BaseModel):
    """The versions that are kept, the one in use first."""

    versions: list[IndexVersion]


class RolledBack(BaseModel):
    """The index version in use again, and the one it replaced."""

    version: str
    previous: str | None
