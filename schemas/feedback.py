"""Wire types of ``/api/feedback``: whether an answer helped."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StringConstraints

from schemas.chat import Strict

MAX_COMMENT = 1000


class FeedbackReason(StrEnum):
    """Faults that an asker can find in an answer."""

    NOT_ANSWERED = "not_answered"  # it does not say what was asked
    WRONG = "wrong"
    OUTDATED = "outdated"
    INCOMPLETE = "incomplete"
    OTHER_CASE = "other_case"  # the rule of another case than the asker's
    UNCLEAR = "unclear"
    OTHER = "other"


class FeedbackRequest(Strict):
    """A verdict on an answer of the caller's own; a later one on the same answer takes its place."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {"request_id": "0b0e6e5c7f1d4c0f9a53a4a4c1b7f4de", "helpful": True},
                {
                    "request_id": "0b0e6e5c7f1d4c0f9a53a4a4c1b7f4de",
                    "helpful": False,
                    "reason": "not_answered",
                    "comment": "간이과세자는 언제까지인지가 없어요.",
                },
            ]
        },
    )

    request_id: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9._-]{1,128}$")] = Field(
        description="The `request_id` of the answer."
    )
    helpful: StrictBool
    reason: FeedbackReason | None = None
    comment: Annotated[str, StringConstraints(strip_whitespace=True, max_length=MAX_COMMENT)] = Field(
        "", description="In the asker's words; personal data in it is masked before it is kept."
    )


class Feedback(BaseModel):
    """The verdict as it is kept."""

    request_id: str
    helpful: bool
    reason: FeedbackReason | None = None
    comment: str = ""
