"""Searching the web through ``ddgs``, an optional dependency. Off unless an operator switches it on: questions leave the house."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from utils.observability.personal_data import mask_personal_data
from utils.sanitizing.sanitize import clean_text

logger = logging.getLogger(__name__)

_BACKENDS = {"duckduckgo": "duckduckgo"}
_REGION = "kr-kr"
_LONGEST = 500  # characters of a title or a snippet


@dataclass(frozen=True, slots=True)
class WebResult:
    """A result: its title, its address and what the search engine shows of it, each on one line and without control characters."""

    title: str
    url: str
    text: str


class WebSearchUnavailable(RuntimeError):
    """The search gave nothing because it failed; the message is for the log."""


class WebSearch(Protocol):
    """Searches the web."""

    async def search(self, question: str, most: int) -> Sequence[WebResult]:
        """Return at most ``most`` results. Raises `WebSearchUnavailable`."""
        ...


class DdgsSearch:
    """`WebSearch` by DuckDuckGo. Personal data of the question stay here. ``proxy`` is the address of an HTTP proxy."""

    def __init__(self, backend: str, timeout: float, proxy: str | None = None) -> None:
        self._backend = _BACKENDS[backend]
        self._timeout = timeout
        self._proxy = proxy

    async def search(self, question: str, most: int) -> Sequence[WebResult]:
        try:
            async with asyncio.timeout(self._timeout):
                return await asyncio.to_thread(self._search, mask_personal_data(question), most)
        except TimeoutError as error:
            raise WebSearchUnavailable("the web search took too long") from error

    def _search(self, question: str, most: int) -> list[WebResult]:
        try:
            from ddgs import DDGS
            from ddgs.exceptions import DDGSException
        except ImportError as error:
            raise WebSearchUnavailable("ddgs is not installed (extra: web)") from error
        client = DDGS(proxy=self._proxy, timeout=max(1, round(self._timeout)))
        try:
            found = client.text(question, region=_REGION, safesearch="on", max_results=most, backend=self._backend)
        except DDGSException as error:
            if "No results" in str(error):
                return []
            raise WebSearchUnavailable(f"the web search failed: {type(error).__name__}") from error
        results = (
            WebResult(_line(item.get("title")), _line(item.get("href")), _line(item.get("body"))) for item in found
        )
        return [result for result in results if result.text][:most]


def _line(value: object) -> str:
    return " ".join(clean_text(str(value or "")).split())[:_LONGEST]
