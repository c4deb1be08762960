"""Settings of what the service tells of its work; `utils.config.settings.Settings` takes them in."""

from __future__ import annotations

from pathlib import Path
from typing import Self

from pydantic import Field, SecretStr, model_validator
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
    chat_log_retention_days: int = Field(30, ge=1, description="Days that a line of chat.log is kept.")
    trace_endpoint: str | None = Field(
        None, description="OTLP/HTTP address that takes traces, e.g. http://otel:4318/v1/traces; needs the trace extra."
    )
    trace_headers: SecretStr | None = Field(
        None, repr=False, description="Headers for it as name=value, separated by commas."
    )
    trace_sample_ratio: float = Field(0.1, ge=0, le=1, description="Share of requests that are traced.")
    trace_content: bool = Field(
        False, description="Question and answer in traces, with personal data masked as in the logs."
    )
    langfuse_host: str | None = Field(
        None, description="Langfuse that takes traces, e.g. https://cloud.langfuse.com; needs the trace extra."
    )
    langfuse_public_key: str | None = Field(None, description="Public key of the Langfuse project.")
    langfuse_secret_key: SecretStr | None = Field(None, repr=False, description="Secret key of the Langfuse project.")

    @model_validator(mode="after")
    def _traces_have_a_place(self) -> Self:
        for name, address in (("TRACE_ENDPOINT", self.trace_endpoint), ("LANGFUSE_HOST", self.langfuse_host)):
            if address and not address.startswith(("http://", "https://")):
                raise ValueError(f"{name} is no http:// or https:// address")
        if self.langfuse_host and not (self.langfuse_public_key and self.langfuse_secret_key):
            raise ValueError("LANGFUSE_HOST is set, so LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY must be set")
        return self
