"""Wire types that a conversation about notices hands from turn to turn."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from schemas.values import Day, JsonNumber

MOST_LISTED = 20
"""Notices of a list that a conversation remembers."""
LONGEST_WORD = 60
"""Characters of a condition."""
LONGEST_TITLE = 300

PackKey = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,23}$")]
NoticeId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9._:-]{1,120}$")]
ShortWord = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_WORD)]
Words = Annotated[list[ShortWord], Field(max_length=20)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class NoticeRef(_Strict):
    """A notice as a list names it."""

    pack: PackKey
    id: NoticeId
    title: Annotated[str, StringConstraints(max_length=LONGEST_TITLE)] = ""


class KeptSearch(_Strict):
    """The conditions of the last list, so that the next turn can narrow it or ask for more of it."""

    pack: PackKey
    regions: Words = Field(default_factory=list)
    cities: Words = Field(default_factory=list)
    fields: Words = Field(default_factory=list)
    targets: Words = Field(default_factory=list)
    statuses: Words = Field(default_factory=list)
    keywords: Words = Field(default_factory=list)
    agency: Annotated[str, StringConstraints(max_length=LONGEST_WORD)] = ""
    stage: Annotated[str, StringConstraints(max_length=LONGEST_WORD)] = ""
    year: Annotated[int, Field(ge=2000, le=2100), JsonNumber] | None = None
    ends_from: Day | None = None
    ends_to: Day | None = None
    open_on: Day | None = None
    amount_min: Annotated[int, Field(ge=0, le=10**15), JsonNumber] | None = None
    page: Annotated[int, Field(ge=1, le=1000), JsonNumber] = 1
    sort: Literal["fit", "deadline"] = "fit"


class NoticeIntent(StrEnum):
    """Readings of a turn of a conversation about notices, in their order of precedence."""

    REFERENCE_PREV = "reference_prev"
    DETAIL_QUESTION = "detail_question"
    NEW_SEARCH = "new_search"
    GENERAL_CHAT = "general_chat"
    CLARIFICATION = "clarification"


class DebugInfo(BaseModel):
    """The reading of a question by the ability for notices; sent where ``debug`` asks for it."""

    intent: str = Field(
        description=f"{', '.join(intent.value for intent in NoticeIntent)}, or an intent that the pack of the notices adds."
    )
    pack: str | None = None
    expansion: list[str] = Field(default_factory=list, description="Words that the search in a notice added.")
    conditions: dict[str, str] = Field(default_factory=dict, description="Conditions of a search, by name.")
