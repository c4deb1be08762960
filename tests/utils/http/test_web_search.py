"""A web search that fails says so, whatever fails."""

from __future__ import annotations

import sys

import pytest

from utils.http.web_search import DdgsSearch, WebSearchUnavailable


@pytest.mark.asyncio
async def test_a_search_through_a_proxy_that_is_not_there_is_unavailable() -> None:
    pytest.importorskip("ddgs")
    with pytest.raises(WebSearchUnavailable, match="failed"):
        await DdgsSearch("duckduckgo", 3.0, "http://127.0.0.1:9").search("월세 세액공제", 3)


@pytest.mark.asyncio
async def test_without_the_extra_a_search_is_unavailable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ddgs", None)
    with pytest.raises(WebSearchUnavailable, match="extra: web"):
        await DdgsSearch("duckduckgo", 3.0).search("월세 세액공제", 3)
