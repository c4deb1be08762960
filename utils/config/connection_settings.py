"""Settings of the server's connections; `utils.config.settings.Settings` takes them in."""

from __future__ import annotations

from pydantic import Field
from pydantic_settings import BaseSettings


class ConnectionSettings(BaseSettings):
    """Bounds of what a connection may take, before anybody knows who is at its other end."""

    max_connections: int | None = Field(
        None, ge=1, description="Open connections in all; empty: half of the process's file descriptors, at most 4096."
    )
    max_connections_per_address: int | None = Field(
        None, ge=1, description="Open connections of one address, TRUSTED_PROXIES excepted; empty: half of all."
    )
    max_head_bytes: int = Field(32_768, ge=1024, description="Largest request head: request line and headers.")
    head_timeout: float = Field(10.0, gt=0, description="Seconds in which a request head has to arrive.")
    body_timeout: float = Field(
        15.0, gt=0, description="Seconds to wait for a request body, and one more for each 32 KiB of it that arrive."
    )
    write_timeout: float = Field(30.0, gt=0, description="Seconds a client may leave an answer unread.")
