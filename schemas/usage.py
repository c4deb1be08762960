"""Wire types of ``/api/usage``: tokens and money of model calls."""

from __future__ import annotations

from datetime import date
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import AwareDatetime, BaseModel, Field


class UsagePurpose(StrEnum):
    """Purposes of calls that cost tokens. A closed set: it labels metrics."""

    UNDERSTANDING = "understanding"
    GENERATION = "generation"
    EVALUATION = "evaluation"
    ALTERNATIVES = "alternatives"
    IMAGE = "image"
    TALK = "talk"
    VOICE = "voice"
    EMBEDDING = "embedding"
    RERANK = "rerank"


class UsageGroup(StrEnum):
    """Fields that usage is told apart by."""

    DAY = "day"
    CLIENT = "client"
    PURPOSE = "purpose"
    MODEL = "model"


class UsageSum(BaseModel):
    """Calls with their tokens and their price. ``input_tokens`` include the cached ones, all sums the estimated ones."""

    calls: int = 0
    input_tokens: int = 0
    cached_input_tokens: int = 0
    output_tokens: int = 0
    estimated_calls: int = Field(0, description="Calls of which the provider told no usage: theirs is estimated.")
    estimated_tokens: int = Field(0, description="Tokens of these, input and output.")
    cost: float = Field(0.0, description="Price of everything that has a price, in `currency`.")
    unpriced_tokens: int = Field(0, description="Tokens of models without a price on their day.")


class UsageRow(UsageSum):
    """The sum of a group. A field by which is not grouped is null; so is ``client`` for the service's own calls."""

    day: date | None = None
    client: str | None = None
    purpose: UsagePurpose | None = None
    model: str | None = None


class BudgetState(BaseModel):
    """A client's budget in the period that runs now."""

    client: str
    unit: str = Field(description="`tokens`, or a currency.")
    limit: float
    spent: float
    period: Literal["day", "month"]
    renews_at: AwareDatetime
    exceeded: bool


class UsageReport(BaseModel):
    """Usage of the days from ``first`` to ``last`` (in Korea, both included), a row for each group, in the order of the groups."""

    first: date
    last: date
    group_by: list[UsageGroup]
    rows: list[UsageRow]
    groups: int = Field(ge=0, description="Groups in all.")
    next: int | None = Field(
        None, description="`offset` of the request for the groups that follow; null: there are none."
    )
    total: UsageSum = Field(description="Of all groups.")
    currency: str
    prices_as_of: date = Field(description="Day on which the table of prices was last looked through.")
    unpriced_models: list[str] = Field(description="Models that have no price on some day of their use.")
    budgets: list[BudgetState]


UsageOffset = Annotated[int, Field(ge=0, le=100_000)]
