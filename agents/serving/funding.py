"""Searches for notices as the routes ask for them: off the event loop."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from agents.notices.searching import NoticeSearch
from chains.rag_chain import RAGChain
from schemas.funding.notices import FundingSearchRequest, FundingSearchResults, NoticeItem
from utils.sanitizing.sanitize import clean_text


class FundingService:
    """Runs searches in the pool of the service."""

    def __init__(self, search: NoticeSearch, chain: RAGChain) -> None:
        self._search = search
        self._chain = chain

    async def search(self, request: FundingSearchRequest, today: date) -> FundingSearchResults:
        """Return a page of notices. Raises `ProblemError` for a value that is none there is."""
        return await self._chain.in_pool(self._search.search, _cleaned(request), today)

    async def by_ids(self, ids: Sequence[str], today: date) -> list[NoticeItem]:
        """Return the notices of these ids."""
        return await self._chain.in_pool(self._search.by_ids, ids, today)


def _cleaned(wanted: FundingSearchRequest) -> FundingSearchRequest:
    texts = {name: clean_text(value) for name, value in wanted if isinstance(value, str)}
    lists = {name: [clean_text(word) for word in value] for name, value in wanted if isinstance(value, list)}
    return wanted.model_copy(update={**texts, **lists})
