"""Wire types of ``/api/funding``: notices of support programmes and the like."""

from __future__ import annotations

from datetime import date
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

from schemas.chat import CompanyProfile, Degradation, ShortText, Strict
from schemas.notice_state import NoticeId, PackKey
from schemas.values import Day, JsonNumber

_LONGEST_WORD = 60
_MOST_WORDS = 10


def _as_list(value: object) -> object:
    """Take a single word for a list of it, and words joined by commas apart: the params of an action are plain."""
    return [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else value


Word = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=_LONGEST_WORD)]
WordList = Annotated[
    list[Word],
    Field(max_length=_MOST_WORDS),
    BeforeValidator(_as_list, json_schema_input_type=Annotated[str, Field(max_length=200)] | list[str]),
]


class NoticeStatus(StrEnum):
    """State of a notice on the day asked. ``unknown``: its dates do not tell."""

    OPEN = "open"
    ROLLING = "rolling"
    UPCOMING = "upcoming"
    UNKNOWN = "unknown"
    CLOSED = "closed"


class FundingSearchRequest(Strict):
    """Conditions of a search; none of them is needed. Words are those that people use: 서울, 서울시 and 서울특별시 are the same."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {"region": "서울", "field": "창업", "status": ["접수중"], "size": 10},
                {
                    "keyword": "스마트공장",
                    "company": {"region": "경기", "years_in_business": 3, "employee_count": 12},
                    "sort": "deadline",
                },
            ]
        },
    )

    pack: PackKey = Field("support", description="Kind of notices: support, housing or one that was added.")
    keyword: ShortText = Field("", description="Words that title, summary or target must have; synonyms count.")
    region: WordList = Field(default_factory=list, description="Regions; notices for the whole country are included.")
    field: WordList = Field(default_factory=list, description="Fields such as 창업, 금융, 수출.")
    target: WordList = Field(default_factory=list, description="Who it is for, such as 소상공인.")
    stage: Annotated[str, StringConstraints(strip_whitespace=True, max_length=_LONGEST_WORD)] = Field(
        "", description="Stage of the company, such as 예비창업, 초기창업."
    )
    status: WordList = Field(default_factory=list, description="접수중, 접수예정, 상시, 마감 …; empty: all but 마감.")
    agency: Annotated[str, StringConstraints(strip_whitespace=True, max_length=_LONGEST_WORD)] = Field(
        "", description="Part of the agency's name."
    )
    year: Annotated[int, Field(ge=2000, le=2100), JsonNumber] | None = Field(
        None, description="Year of the list. With it, notices past their deadline are listed as well."
    )
    years_in_business: Annotated[float, Field(ge=0, le=300), JsonNumber] | None = Field(
        None, description="Age of the company; empty: that of `company`."
    )
    amount_min: Annotated[int, Field(ge=0, le=10**15), JsonNumber] | None = Field(
        None, description="Won; only notices that name an amount as high."
    )
    ends_from: Day | None = Field(None, description="Deadline on this day or later.")
    ends_to: Day | None = Field(None, description="Deadline on this day or before.")
    open_on: Day | None = Field(None, description="A day of the application period.")
    company: CompanyProfile | None = None
    sort: Literal["fit", "deadline"] = "fit"
    page: Annotated[int, Field(ge=1, le=1000), JsonNumber] = 1
    size: Annotated[int, Field(ge=1, le=50), JsonNumber] = 10


class FitReason(BaseModel):
    """The outcome of a condition for a notice. ``unchecked``: the notice does not say."""

    criterion: str = Field(description="지역, 분야, 업력 …")
    verdict: Literal["fits", "unchecked"]
    text: str


class NoticeItem(BaseModel):
    """A notice in a list."""

    pack: PackKey
    id: NoticeId
    title: str
    agency: str
    regions: list[str] = Field(description="Empty: the notice does not say.")
    fields: list[str]
    target: str
    apply_start: date | None
    apply_end: date | None
    status: NoticeStatus
    status_label: str
    days_left: int | None = Field(description="Days until the deadline; null where there is none ahead.")
    amount: int | None = Field(description="The highest amount in won that its summary names.")
    summary: str
    url: str
    source: str
    seen_on: date = Field(description="The day it was last taken in.")
    reasons: list[FitReason]


class FundingSearchResults(BaseModel):
    """A page of notices. ``applied`` are the conditions as they were understood, ``message`` what else there is to say."""

    total: int
    page: int
    pages: int
    size: int
    items: list[NoticeItem]
    applied: dict[str, str]
    message: str = ""
    degraded: list[Degradation] = Field(default_factory=list)
