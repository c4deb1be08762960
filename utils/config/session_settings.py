"""Settings of kept conversations; `utils.config.settings.Settings` takes them in."""

from __future__ import annotations

from urllib.parse import urlsplit

from pydantic import Field, field_validator
from pydantic_settings import BaseSettings

_SCHEMES = ("postgresql://", "postgresql+psycopg://", "postgres://", "redis://", "rediss://")


class SessionSettings(BaseSettings):
    """Conversations kept by their ``session_id``."""

    session_url: str | None = Field(
        None,
        repr=False,
        description="Store of the conversations: postgresql://user:password@host/name, or redis:// of a Redis 8 or Redis Stack; "
        "empty: SQLite in DATA_DIR.",
    )
    session_max_turns: int = Field(
        20, ge=1, description="Turns, a question with its answer each, kept of a conversation."
    )
    session_max_age: float = Field(
        86_400.0, gt=0, description="Seconds a conversation is kept after its last turn; then it is removed."
    )
    session_timeout: float = Field(
        2.0, gt=0, description="Seconds one call to the store of the conversations may take."
    )

    @field_validator("session_url")
    @classmethod
    def _names_a_store(cls, value: str | None) -> str | None:
        if value and not value.startswith(_SCHEMES):
            raise ValueError("expected postgresql://user:password@host:port/name or redis://host:port/number")
        try:
            urlsplit(value or "").port  # noqa: B018 - raises for what is none
        except ValueError:
            raise ValueError("the port is not a number from 0 to 65535") from None
        return value
