"""Settings of keeping providers switched on; `utils.config.settings.Settings` takes them in."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from pydantic import Field, field_validator
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


class WebSearchSettings(BaseSettings):
    """Searching the web for what the documents of an assistant do not say."""

    web_search: Literal["off", "duckduckgo"] = Field(
        "off",
        description="Where an assistant that may ask the web asks it. Questions then leave the house, without personal data (needs the web extra).",
    )
    web_search_timeout: float = Field(5.0, gt=0, description="Seconds a web search may take.")
    web_search_proxy: str | None = Field(None, repr=False, description="HTTP proxy of web searches.")


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
