"""Settings of where vectors, and with Milvus the weights of BM25, are searched; `utils.config.settings.Settings` takes them in."""

from __future__ import annotations

from enum import StrEnum
from typing import Self

from pydantic import Field, SecretStr, model_validator
from pydantic_settings import BaseSettings


class VectorBackend(StrEnum):
    """The programs that can hold vectors."""

    CHROMA = "chroma"
    MILVUS = "milvus"


class VectorSettings(BaseSettings):
    """The search backend and its servers."""

    vector_backend: VectorBackend = Field(
        VectorBackend.CHROMA,
        description="What searches: Chroma for vectors beside BM25 files, or Milvus for both (docs/milvus.md).",
    )
    chroma_host: str | None = Field(None, description="Chroma server; empty: embedded, in DATA_DIR.")
    chroma_port: int = Field(8000, ge=1, le=65535, description="Port of the Chroma server.")
    chroma_timeout: float = Field(
        2.0, gt=0, description="Seconds all calls of a question to the Chroma server may take."
    )
    milvus_uri: str | None = Field(
        None, pattern="^https?://", description="Milvus server, such as http://localhost:19530."
    )
    milvus_token: SecretStr | None = Field(
        None, repr=False, description="User and password of the Milvus server (user:password), or its API key."
    )
    milvus_timeout: float = Field(
        2.0, gt=0, description="Seconds all calls of a question to the Milvus server may take."
    )

    @model_validator(mode="after")
    def _names_the_server_of_milvus(self) -> Self:
        if self.vector_backend is VectorBackend.MILVUS and not self.milvus_uri:
            raise ValueError("VECTOR_BACKEND is milvus, so MILVUS_URI must be set")
        return self
