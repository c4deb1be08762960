"""Wire types of ``/api/assistants``."""

from __future__ import annotations

from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field


class Medium(StrEnum):
    """A kind of content that a request may carry, or be made from."""

    TEXT = "text"
    IMAGE = "image"
    VOICE = "voice"


class Need(BaseModel):
    """Something that an assistant or an ability of it needs. ``is_met``: it is there; else ``remedy`` says, in Korean, what to do."""

    model_config = ConfigDict(frozen=True)

    name: str
    is_met: bool
    remedy: str = ""


class AssistantItem(BaseModel):
    """An assistant. ``ready``: it answers; needs that are not met may still leave it with less than it could do."""

    name: str
    label: str
    description: str
    is_default: bool
    ready: bool
    takes: list[Medium] = Field(
        description="What it takes: text always, image as `image` of a question, voice as an upload."
    )
    abilities: list[str]
    needs: list[Need]
    source: str = Field("", description="What its index is made from, in Korean.")
    examples: list[str] = Field(default_factory=list, description="Questions to try.")
    domains: dict[str, str] = Field(default_factory=dict, description="Its domains: label by key.")
    documents: int = Field(0, description="Documents in its index.")


class Transcript(BaseModel):
    """The words of a recording, to be asked as a question."""

    text: str


class AssistantList(BaseModel):
    """All assistants, the default one first."""

    assistants: list[AssistantItem]
