"""Settings of what the service tells of its work; `utils.config.settings.Settings` takes them in."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field
from pydantic_settings import BaseSettings


class ObservabilitySettings(BaseSettings):
    """Metrics, traces and chat.log of the running service."""

    metrics_open: bool = Field(False, description="Serve /metrics without an API key.")
    metrics_port: int | None = Field(
        None,
        ge=1,
        le=65535,
        description="Port on HOST that serves the metrics alone, without a key: for a network of the monitoring's own.",
    )
    metrics_dir: Path | None = Field(
        None,
        description="Folder in which the processes of one service on one machine count together; empty: each for itself.",
    )
    chat_log_file_bytes: int = Field(
        10_485_760, ge=65_536, description="Size from which chat.log in LOG_DIR is renamed and a new one begun."
    )
    chat_log_files: int = Field(5, ge=2, description="Files of chat.log that are kept, the one in use among them.")
