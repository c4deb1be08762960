"""Settings of what searches, and of keeping providers switched on; `utils.config.settings.Settings` takes them in."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, Self

from pydantic import Field, SecretStr, field_validator, model_validator
from pydantic_settings import BaseSettings

_HOURS = re.compile(r"(\d{1,2})-(\d{1,2})")
_DAY = 24


@dataclass(frozen=True, slots=True)
class Hours:
    """Hours of the day from ``first`` until before ``end``; 22 to 6 goes over midnight."""

    first: int
    end: int

    @classmethod
    def read(cls, text: str) -> Hours:
        """Return the hours written as ``9-19``. Raises ValueError for anything else."""
        match = _HOURS.fullmatch(text.strip())
        first, end = (int(match[1]), int(match[2])) if match else (_DAY, _DAY)
        if first >= _DAY or end > _DAY or first == end:
            raise ValueError("expected two hours of a day such as 9-19 or 22-6")
        return cls(first, end)

    def hold(self, hour: int) -> bool:
        """Return whether ``hour`` of the day, 0 to 23, is among them."""
        if self.first < self.end:
            return self.first <= hour < self.end
        return hour >= self.first or hour < self.end


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


class WebSearchSettings(BaseSettings):
    """Searching the web for what the documents of an assistant do not say."""

    web_search: Literal["off", "duckduckgo"] = Field(
        "off",
        description="Where an assistant that may ask the web asks it. Questions then leave the house, without personal data (needs the web extra).",
    )
    web_search_timeout: float = Field(5.0, gt=0, description="Seconds a web search may take.")
    web_search_proxy: str | None = Field(None, repr=False, description="HTTP proxy of web searches.")


class LawApiSettings(BaseSettings):
    """The source of the statutes."""

    law_api_key: SecretStr | None = Field(
        None, repr=False, description="Key (OC) of the National Law Information Center's open API, for fetch-statutes."
    )
    law_api_url: str = Field("https://www.law.go.kr/DRF", description="Address of that API.")
    law_api_timeout: float = Field(30.0, gt=0, description="Seconds one answer of that API may take.")


class WarmthSettings(BaseSettings):
    """Requests that keep serverless workers switched on; each costs what a worker costs."""

    runpod_keep_warm_seconds: float = Field(
        0.0,
        ge=0,
        description="Seconds without a request after which one is sent, so that the RunPod workers stay switched on "
        "(bizi_provider_calls counts them); 0: never. A little less than the idle timeout of the endpoint.",
    )
    runpod_keep_warm_hours: str = Field(
        "", description="Hours of the day in Korea when that is done, e.g. 9-19; empty: at any time."
    )

    @field_validator("runpod_keep_warm_hours")
    @classmethod
    def _names_hours(cls, value: str) -> str:
        if value:
            Hours.read(value)
        return value


class ModelSettings(BaseSettings):
    """The model of each purpose; an assistant may have its own."""

    openai_model: str = Field("gpt-4o-mini", min_length=1, description="Model that writes answers.")
    openai_understanding_model: str | None = Field(
        None, description="Model that understands questions; empty: OPENAI_MODEL."
    )
    openai_evaluation_model: str | None = Field(None, description="Model that evaluates answers; empty: OPENAI_MODEL.")
    openai_image_model: str | None = Field(None, description="Model that describes pictures; empty: OPENAI_MODEL.")
    openai_talk_model: str | None = Field(
        None, description="Model of everyday talk and of turning away other subjects; empty: OPENAI_MODEL."
    )
    openai_transcription_model: str = Field(
        "whisper-1", min_length=1, description="Model that writes down what is said in a recording."
    )
    openai_temperature: float = Field(0.1, ge=0, le=2, description="Sampling temperature, where the model takes one.")
    openai_talk_temperature: float = Field(0.4, ge=0, le=2, description="The same of everyday talk.")
    local_llm: str | None = Field(
        None, description="Hugging Face chat model in this process, a name or a folder (needs the neural extra)."
    )
    local_llm_max_tokens: int = Field(512, ge=16, description="Upper bound of tokens of one text of that model.")
    local_llm_repetition_penalty: float = Field(1.1, ge=1, le=2, description="Its penalty on repeating itself.")
    image_max_tokens: int = Field(500, ge=16, description="Upper bound of tokens of the description of a picture.")
    transcription_timeout: float = Field(
        45.0, gt=0, description="Seconds that writing down a recording may take, with its tries."
    )


class MediaSettings(BaseSettings):
    """Pictures and recordings."""

    max_image_bytes: int = Field(
        5_242_880, ge=1024, le=10_000_000, description="Largest picture that comes with a question."
    )
    image_fetch_timeout: float = Field(
        5.0, gt=0, description="Seconds that fetching a picture from its address may take."
    )
    max_audio_bytes: int = Field(
        26_214_400, ge=1024, description="Largest recording; that of OpenAI's servers by default."
    )
    max_audio_seconds: float = Field(
        300.0, gt=0, description="Longest recording, where its file tells how long it is (all formats but WebM do)."
    )
