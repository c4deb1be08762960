"""Wire types of ``/api/gaps``: what was asked and not answered, by topic."""

from __future__ import annotations

from pydantic import BaseModel, Field

from schemas.chat import NearestDocument


class GapCause(BaseModel):
    """A reason for which questions are gaps, with the number of gaps."""

    why: str = Field(description="nothing found, kept back, turned away or unhelpful (with the asker's reason).")
    count: int


class GapTopic(BaseModel):
    """Questions about one thing that nothing answered, or whose answers did not help."""

    domain: str = Field(description="Key of the domain; empty for what was turned away or of none.")
    topic: str
    questions: int = Field(description="The number of times that it was asked.")
    causes: list[GapCause]
    examples: list[str] = Field(description="As they were asked, personal data masked.")
    comments: list[str] = Field(description="Words of askers whom the answer did not help.")
    nearest: NearestDocument | None = Field(None, description="The document near to at least half of them.")


class GapReport(BaseModel):
    """The topics, the most asked first."""

    asked: int = Field(description="Questions in the log.")
    with_gap: int = Field(description="Questions among them with a gap.")
    outages: int = Field(description="Left out: unanswered while a part of the search was away.")
    total: int = Field(description="Topics; `topics` has the first of them.")
    topics: list[GapTopic]
