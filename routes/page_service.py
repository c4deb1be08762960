"""The pages of an assistant's documents, as the routes ask for them."""

from __future__ import annotations

from typing import Protocol

from schemas.knowledge.pages import ChunkResults, PageAnswer, PageAnswerRequest, PageQuery, WidenedQuery
from schemas.vectordb import PageSearchResults


class PageService(Protocol):
    """Searches by page; see `agents.serving.page_search.PageKnowledge`."""

    async def search(self, query: PageQuery) -> ChunkResults: ...

    async def search_page(self, query: WidenedQuery) -> PageSearchResults: ...

    async def answer(self, request: PageAnswerRequest) -> PageAnswer: ...
