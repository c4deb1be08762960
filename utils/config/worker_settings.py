"""Settings of the processes that serve together; `utils.config.settings.Settings` takes them in."""

from __future__ import annotations

from pydantic import Field
from pydantic_settings import BaseSettings


class WorkerSettings(BaseSettings):
    """Processes of the service on one port, and what one client may have under way in each."""

    workers: int = Field(
        1,
        ge=1,
        le=64,
        description="Processes that serve on PORT; more than one needs CHROMA_HOST, and REDIS_URL where requests are limited.",
    )
    max_concurrent_requests: int | None = Field(
        None,
        ge=1,
        description="Requests of one client under way at once in one process; empty: 64, and no limit without API keys.",
    )
