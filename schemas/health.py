"""Wire types of ``/health``."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from pydantic import BaseModel, Field


class CapabilityState(StrEnum):
    """State of a part. ``degraded``: it is slower or poorer, or a substitute works in its place."""

    AVAILABLE = "available"
    DEGRADED = "degraded"
    UNAVAILABLE = "unavailable"
    OFF = "off"


class CapabilityHealth(BaseModel):
    """Health of a part of the service; ``reason`` is set whenever the part is not available."""

    state: CapabilityState
    reason: str = ""
    required: bool = Field(False, description="Whether answering needs it.")


class AssistantHealth(BaseModel):
    """Health of an assistant: it is ready where it answers; one that is not leaves the others as they are."""

    ready: bool
    missing: list[str] = Field(default_factory=list, description="What to do for each need that is not met.")


class HealthReport(BaseModel):
    """The overall report."""

    status: Literal["ok", "degraded", "unavailable"]
    ready: bool
    version: str
    uptime_seconds: float
    capabilities: dict[str, CapabilityHealth]
    documents: dict[str, int] = Field(description="Documents by collection.")
    providers: dict[str, str] = Field(description="Providers in effect.")
    assistants: dict[str, AssistantHealth] = Field(
        default_factory=dict, description="Each assistant by its name. None of them decides `status` or `ready`."
    )


class Liveness(BaseModel):
    """The process answers."""

    status: Literal["alive"] = "alive"


class Readiness(BaseModel):
    """The service can answer questions."""

    status: Literal["ready"] = "ready"
