"""Wire types of ``/api/tax-calendar``."""

from __future__ import annotations

from datetime import date
from enum import StrEnum

from pydantic import BaseModel, Field


class TaxpayerKind(StrEnum):
    """Kinds of business that deadlines bind: general, simplified and exempt sole traders, corporations, and who pays wages."""

    GENERAL = "general"
    SIMPLIFIED = "simplified"
    EXEMPT = "exempt"
    CORPORATION = "corporation"
    EMPLOYER = "employer"


class CalendarEntry(BaseModel):
    """A time that a deadline falls due."""

    key: str
    name: str = Field(description="신고·납부의 이름.")
    due: date = Field(description="기한(휴일이면 옮긴 날).")
    statutory: date = Field(description="법에 적힌 날.")
    kinds: list[TaxpayerKind] = Field(description="해당하는 사업자.")
    binds: str = Field(description="누가 해야 하는지.")
    rule: str = Field(description="근거 문장.")
    law: str = Field(description="근거 조문.")
    moved_by: str | None = Field(description="기한을 옮긴 근거 조문. 옮기지 않았으면 없습니다.")


class TaxCalendar(BaseModel):
    """The deadlines of a span of days, soonest first."""

    since: date
    until: date = Field(description="이 날은 들어가지 않습니다.")
    entries: list[CalendarEntry]
