"""Wire types of ``/api/sessions``: conversations that the service keeps for a client's users."""

from __future__ import annotations

from typing import Annotated

from pydantic import AwareDatetime, BaseModel, Field, StringConstraints

from schemas.chat import SourceItem

SessionCursor = Annotated[str, StringConstraints(pattern=r"^[0-7][0-9A-HJKMNP-TV-Z]{25}$")]
"""A place in a list of sessions: the `next` of a list."""


class SessionSource(BaseModel):
    """A source that an answer cites; ``index`` is the n of ``[n]``. Its text is not kept."""

    index: int = Field(ge=1)
    title: str
    source: str
    url: str = ""
    effective_date: str | None = None

    @classmethod
    def of(cls, item: SourceItem) -> SessionSource:
        """The source without its text."""
        return cls(**item.model_dump(include=set(cls.model_fields)))


class SessionTurn(BaseModel):
    """A question with its answer. Either is null only in what a client gave as ``history``."""

    question: str | None = None
    answer: str | None = None
    sources: list[SessionSource] = Field(default_factory=list)
    request_id: str | None = Field(None, description="Of the answer; null for what a client gave as `history`.")
    answered_at: AwareDatetime


class SessionSummary(BaseModel):
    """A session in a list; ``title`` is the first question kept."""

    session_id: str
    assistant: str = Field(
        description="The assistant that it is held with: another one has another session of this id."
    )
    title: str
    turns: int = Field(ge=1, description="Turns kept.")
    created_at: AwareDatetime
    updated_at: AwareDatetime
    expires_at: AwareDatetime = Field(description="When it is removed, unless it is gone on with.")


class SessionList(BaseModel):
    """Sessions of a user, the one used last first."""

    sessions: list[SessionSummary]
    next: str | None = Field(
        None, description="`before` of the request for the sessions that follow; null: there are none."
    )


class Session(BaseModel):
    """A conversation, the earliest turn first."""

    session_id: str
    assistant: str = Field(description="The assistant that it is held with.")
    created_at: AwareDatetime
    updated_at: AwareDatetime
    expires_at: AwareDatetime
    turns: list[SessionTurn]


class DeletedSessions(BaseModel):
    """The number of sessions removed."""

    deleted: int = Field(ge=0)
