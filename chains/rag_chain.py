"""The one `RAGChain` that all agents share: search, context, generation. Heavy parts are built once and handed in."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import ParamSpec, TypeVar

from langchain_core.messages import BaseMessage

from chains.context import documents_to_sources, format_context
from chains.llm import LanguageModel
from schemas.chat import SourceItem
from utils.config.settings import Settings
from utils.deadline import Deadline
from utils.knowledge import Hit
from utils.model_calls import ModelPurpose, UsageMeter
from vectorstores.live import LiveSearch
from vectorstores.search import HybridSearcher
from vectorstores.search_request import SearchOutcome, SearchRequest
from vectorstores.spelling import Respelling

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


class RAGChain:
    """Retrieval and generation over whatever index version is current.

    Search work runs in a bounded thread pool, never on the event loop.
    """

    def __init__(self, settings: Settings, live: LiveSearch, model: LanguageModel, pool: ThreadPoolExecutor) -> None:
        self._settings = settings
        self._live = live
        self._pool = pool
        self.model = model

    @property
    def searcher(self) -> HybridSearcher:
        """The searcher of the current index version."""
        return self._live.searcher

    def as_meant(self, text: str) -> Respelling:
        """A question without typing errors and misplaced spaces, in the words of the current index."""
        return self.searcher.spelling.respelled(text) if self._settings.enable_spelling else Respelling(text)

    async def in_pool(
        self, work: Callable[Parameters, Result], *args: Parameters.args, **kwargs: Parameters.kwargs
    ) -> Result:
        """Run CPU-bound or blocking work off the event loop."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, partial(work, *args, **kwargs))

    async def retrieve(self, collection: str, request: SearchRequest) -> SearchOutcome:
        """Search one collection.

        Raises:
            vectorstores.errors.VectorStoreUnavailable: no side of the index could be searched.
        """
        return await self.in_pool(self.retrieve_blocking, collection, request)

    def retrieve_blocking(self, collection: str, request: SearchRequest) -> SearchOutcome:
        """`retrieve` in the calling thread."""
        return self.searcher.search(collection, request)

    def format_context(self, hits: Sequence[Hit]) -> str:
        """The numbered context block of a prompt."""
        return format_context(hits, self._settings.format_context_length, self._settings.context_max_length)

    def documents_to_sources(self, hits: Sequence[Hit]) -> tuple[SourceItem, ...]:
        """The numbered sources that belong to `format_context`."""
        return documents_to_sources(hits)

    def astream(
        self, messages: Sequence[BaseMessage], deadline: Deadline, meter: UsageMeter, model: LanguageModel | None = None
    ) -> AsyncIterator[str]:
        """The answer as it is written, by the configured model or by ``model``.

        Raises:
            chains.model_errors.ModelUnavailable: nothing came.
            chains.model_errors.ModelStreamCut: the text broke off.
        """
        return (model or self.model).stream(ModelPurpose.GENERATION, messages, deadline, meter)

    async def ainvoke(
        self, messages: Sequence[BaseMessage], deadline: Deadline, meter: UsageMeter, model: LanguageModel | None = None
    ) -> str:
        """The whole answer; errors as `astream`."""
        return "".join([text async for text in self.astream(messages, deadline, meter, model)])
