"""Settings of the models by purpose, and of pictures and recordings that come with questions."""

from __future__ import annotations

from pydantic import Field
from pydantic_settings import BaseSettings


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
