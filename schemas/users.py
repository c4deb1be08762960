"""Wire types of ``/api/user-data``: what the service keeps of a user."""

from __future__ import annotations

from typing import Any

from pydantic import AwareDatetime, BaseModel, Field

from schemas.sessions import Session


class UserData(BaseModel):
    """Everything that is kept of a user of an API client."""

    client: str
    user_id: str
    exported_at: AwareDatetime
    sessions: list[Session] = Field(description="Conversations, as they were said.")
    question_log: list[dict[str, Any]] = Field(
        description="Questions and verdicts on answers, with personal data masked, the oldest first."
    )
    chat_log: list[dict[str, Any]] = Field(
        description="Lines of chat.log with questions masked likewise, the oldest first."
    )


class ForgottenUserData(BaseModel):
    """Counts of what was removed of a user."""

    sessions: int = Field(ge=0)
    question_log: int = Field(ge=0, description="Questions and verdicts.")
    chat_log: int = Field(ge=0, description="Lines.")
