"""The one `RAGChain` that all agents share: search, context, generation. Heavy parts are built once and handed in."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import AbstractContextManager, aclosing
from contextvars import copy_context
from functools import partial
from typing import ParamSpec, TypeVar

from langchain_core.messages import BaseMessage

from chains.context import NO_LEADS, Lead, PromptDocument, documents_to_sources, format_context, readable
from chains.extractive_task import ExtractiveTask
from chains.models.language_model import LanguageModel
from chains.models.usage import ModelPurpose, UsageMeter
from schemas.chat import SourceItem
from utils.config.settings import Settings
from utils.documents import Hit
from utils.resilience.deadline import Deadline
from vectorstores.live.live_search import LiveSearch
from vectorstores.search.chat_endings import written_out
from vectorstores.search.hybrid import HybridSearcher
from vectorstores.search.request import SearchOutcome, SearchRequest
from vectorstores.search.spelling import Respelling

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


class RAGChain:
    """Retrieval and generation over whatever index version is current.

    Search work runs in a bounded thread pool that clients share fairly (`utils.resilience.fair_pool`), never on the event loop.

    >>> chain = RAGChain(settings, live, model, pool)
    >>> outcome = chain.retrieve_blocking("hr_labor_db", request)
    >>> [source.title for source in chain.documents_to_sources(outcome.hits)]
    ['LEAVE 안내']
    """

    def __init__(self, settings: Settings, live: LiveSearch, model: LanguageModel, pool: Executor) -> None:
        self._settings = settings
        self._live = live
        self._pool = pool
        self.model = model

    @property
    def searcher(self) -> HybridSearcher:
        """The searcher of the current index version."""
        return self._live.searcher

    def lease(self) -> AbstractContextManager[HybridSearcher]:
        """Keep the current index version open, and the one that everything within searches."""
        return self._live.lease()

    def correct_spelling(self, text: str) -> Respelling:
        """A question without chat endings, typing errors and misplaced spaces, in the words of the current index."""
        return (
            self.searcher.spelling.respelled(written_out(text)) if self._settings.enable_spelling else Respelling(text)
        )

    async def in_pool(
        self, work: Callable[Parameters, Result], *args: Parameters.args, **kwargs: Parameters.kwargs
    ) -> Result:
        """Run CPU-bound or blocking work off the event loop, on the index version leased around the caller if one is.

        The work holds a lease of its own: it goes on in its thread when the caller is cancelled.
        """
        return await asyncio.get_running_loop().run_in_executor(
            self._pool, partial(copy_context().run, self._leased, partial(work, *args, **kwargs))
        )

    def _leased(self, work: Callable[[], Result]) -> Result:
        with self._live.lease():
            return work()

    async def retrieve(self, collection: str, request: SearchRequest) -> SearchOutcome:
        """Search one collection.

        Raises:
            vectorstores.errors.VectorStoreUnavailable: no side of the index could be searched.
        """
        return await self.in_pool(self.retrieve_blocking, collection, request)

    def retrieve_blocking(self, collection: str, request: SearchRequest) -> SearchOutcome:
        """`retrieve` in the calling thread."""
        return self.searcher.search(collection, request)

    def format_context(self, hits: Sequence[Hit], overall: int | None = None) -> str:
        """The numbered context block of a prompt, of at most ``overall`` characters or as many as the settings allow."""
        limit = self._settings.context_max_length
        placed = self._settings.context_shows_place
        return format_context(hits, self._settings.format_context_length, min(overall or limit, limit), placed=placed)

    def readable(self, hits: Sequence[Hit], leads: Mapping[str, Lead] = NO_LEADS) -> tuple[PromptDocument, ...]:
        """The documents that a prompt holds, as many as the settings allow characters for, with their numbered blocks."""
        settings = self._settings
        per_document, overall = settings.format_context_length, settings.context_max_length
        return readable(hits, per_document, overall, leads, placed=settings.context_shows_place)

    def documents_to_sources(self, hits: Sequence[Hit]) -> tuple[SourceItem, ...]:
        """The numbered sources that belong to `readable`."""
        return documents_to_sources(hits)

    def astream(
        self,
        messages: Sequence[BaseMessage],
        deadline: Deadline,
        meter: UsageMeter,
        model: LanguageModel,
        task: ExtractiveTask | None = None,
    ) -> AsyncIterator[str]:
        """Return the answer of ``model`` as it is written; ``task`` is what the extractive one reads in place of messages.

        Raises:
            chains.models.errors.ModelUnavailable: nothing came.
            chains.models.errors.ModelStreamCut: the text broke off.
        """
        return model.stream(ModelPurpose.GENERATION, messages, deadline, meter, task=task)

    async def written(
        self,
        messages: Sequence[BaseMessage],
        deadline: Deadline,
        meter: UsageMeter,
        model: LanguageModel,
        task: ExtractiveTask | None = None,
    ) -> str:
        """Return the whole answer of ``model``. Raises as `astream`."""
        async with aclosing(self.astream(messages, deadline, meter, model, task)) as pieces:  # type: ignore[type-var]
            return "".join([piece async for piece in pieces]).strip()
