"""Searching the pages of an assistant's documents, and answering from those that were found or chosen."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from langchain_core.messages import HumanMessage, SystemMessage

from agents.retrieval.budget import DocumentBudget
from agents.retrieval.plan import SearchPlanner
from agents.serving.knowledge import page_results
from chains.extractive_task import ExtractiveDocument, ExtractivePart, ExtractiveTask
from chains.models.errors import ModelStreamCut, ModelUnavailable
from chains.models.language_model import LanguageModel
from chains.models.usage import UsageMeter
from chains.rag_chain import RAGChain
from schemas.chat import Component, Degradation
from schemas.knowledge.pages import ChunkResult, ChunkResults, PageAnswer, PageAnswerRequest, PageQuery, WidenedQuery
from schemas.problems import ErrorCode, FieldProblem
from schemas.vectordb import PageScore, PageSearchResults
from utils.http.problems import ProblemError
from utils.korean.sentence_spans import split_sentences
from utils.prompts import common
from utils.prompts import pages as prompt
from utils.prompts.data import as_data
from utils.question_decomposer import SubQuery
from utils.resilience.deadline import Deadline
from utils.routing.domain_pack import PackSet
from vectorstores.collections import Collections
from vectorstores.index import CollectionIndex
from vectorstores.providers.json_endpoint import calling_with
from vectorstores.search.pages import (
    PageChunk,
    PageSearcher,
    PageSearchOutcome,
    PageText,
    chunk_context,
    page_context,
)
from vectorstores.search.request import SearchRequest

Found = TypeVar("Found")

_MOST_FOUND = 20


class PageKnowledge:
    """The pages of one assistant.

    >>> pages = engine.pages
    >>> found = await pages.search(PageQuery(query="월세 공제 한도", filter_metadata={"file_hash": file_hash}))
    >>> found.results[0].start_page
    2
    """

    def __init__(
        self,
        chain: RAGChain,
        extractive: LanguageModel,
        planner: SearchPlanner,
        packs: Callable[[], PackSet],
        embedding_model: str,
        seconds: float,
    ) -> None:
        """``embedding_model`` made the index; a model has ``seconds`` for an answer."""
        self._chain = chain
        self._extractive = extractive
        self._planner = planner
        self._packs = packs
        self._embedding_model = embedding_model
        self._seconds = seconds

    async def search(self, query: PageQuery) -> ChunkResults:
        """Return the nearest chunks.

        Raises:
            ProblemError: the index was made with another embedding model.
            VectorStoreUnavailable: no side of the index could be searched.
        """
        self._require_model(query)
        found = await self._chain.in_pool(
            self._with_key, query, lambda pages: pages.search(query.query, query.top_k, query.filter_metadata)
        )
        return ChunkResults(results=[_result(chunk) for chunk in found.chunks], degraded=list(found.degraded))

    async def search_page(self, query: WidenedQuery) -> PageSearchResults:
        """Return the pages of the nearest chunks and those around them. Raises as `search`."""
        self._require_model(query)
        return page_results(await self._chain.in_pool(self._with_key, query, lambda pages: _widened(pages, query)))

    async def answer(self, request: PageAnswerRequest) -> PageAnswer:
        """Answer from the chosen pages, or from what is found; where a model fails, what the pages say is quoted. Raises as `search`."""
        self._require_model(request)
        chunks, pages, degraded = await self._chain.in_pool(
            self._with_key, request, lambda searcher: _material(searcher, request)
        )
        if request.form == "chunks":
            context, texts = chunk_context(chunks, request.max_chunks), [chunk.text for chunk in chunks]
            scores = [PageScore(file_hash=c.file_hash, page=c.start_page, score=round(c.distance, 4)) for c in chunks]
        else:
            context, texts = page_context(pages, request.max_chunks), _page_texts(pages, request.max_chunks)
            scores = [PageScore(file_hash=p.file_hash, page=p.page, score=round(p.score, 4)) for p in pages]
        texts = texts[: context.count("[문서 ")]
        content, model, failed = await self._written(request.query, context, texts)
        return PageAnswer(
            content=content, context=context, pages=scores[: len(texts)], model=model, degraded=[*degraded, *failed]
        )

    async def _written(
        self, question: str, context: str, texts: Sequence[str]
    ) -> tuple[str, str, tuple[Degradation, ...]]:
        model, failed = self._chain.model, tuple[Degradation, ...]()
        deadline = Deadline.after(self._seconds)
        if model is not self._extractive and texts:
            messages = [
                SystemMessage(
                    f"{prompt.SYSTEM_PROMPT}\n\n{common.ANSWER_RULES.format(max_chars=common.MAX_CHARS_SINGLE)}"
                ),
                HumanMessage(prompt.USER_TEMPLATE.format(context=as_data(context), question=as_data(question))),
            ]
            try:
                return await self._chain.written(messages, deadline, UsageMeter(), model), model.name, ()
            except (ModelUnavailable, ModelStreamCut) as error:
                failed = (Degradation(component=Component.LLM, reason=f"generation: {error.reason}"),)
        quoted = await self._chain.written([], deadline, UsageMeter(), self._extractive, _task(question, texts))
        return quoted, self._extractive.name, failed

    def _require_model(self, query: PageQuery) -> None:
        """Refuse a model that did not make the vectors of the index: theirs are not to be compared."""
        if query.embedding_model not in (None, self._embedding_model):
            problem = FieldProblem(
                path="embedding_model", message=f"색인은 {self._embedding_model}(으)로 만들었습니다."
            )
            raise ProblemError(ErrorCode.VALIDATION_FAILED, errors=[problem])

    def _with_key(self, query: PageQuery, work: Callable[[PageSearcher], Found]) -> Found:
        with calling_with(query.embedding_key):
            return work(self._searcher())

    def _searcher(self) -> PageSearcher:
        searcher, packs = self._chain.searcher, self._packs()
        domains: Mapping[str, str] = {pack.collection: pack.key for pack in packs.domains}
        policies = {spec.name: spec.of_pages for spec in Collections(packs).specs}

        def plan(query: str, collection: CollectionIndex, k: int) -> SearchRequest:
            sub_query = SubQuery(domains[collection.name], self._chain.correct_spelling(query).text)
            return self._planner.plan(searcher, sub_query, collection.name, DocumentBudget(k, k, k)).request

        return PageSearcher(searcher, plan, domains, policies)


def _widened(pages: PageSearcher, query: WidenedQuery) -> PageSearchOutcome:
    return pages.search_page(query.query, query.top_k, query.page_window, query.sort_by, query.filter_metadata)


def _material(
    searcher: PageSearcher, request: PageAnswerRequest
) -> tuple[Sequence[PageChunk], Sequence[PageText], Sequence[Degradation]]:
    """The chunks or the pages to answer from, the chosen ones in their order, with the scores that the search gives them."""
    chosen = [(page.file_hash, page.page) for page in request.pages]
    if request.form == "chunks":
        found = searcher.search(request.query, _MOST_FOUND if chosen else request.top_k, request.filter_metadata)
        kept = [chunk for chunk in found.chunks if not chosen or (chunk.file_hash, chunk.start_page) in chosen]
        return kept, (), found.degraded
    outcome = _widened(searcher, request)
    if not chosen:
        return (), outcome.pages, outcome.degraded
    known = {page.key: page for page in outcome.pages}
    pages = [known.get(key) or searcher.page(key) for key in chosen]
    return (), [page for page in pages if page is not None], outcome.degraded


def _page_texts(pages: Sequence[PageText], max_chunks: int) -> list[str]:
    return [page.first(max_chunks) for page in pages]


def _task(question: str, texts: Sequence[str]) -> ExtractiveTask:
    documents = tuple(
        ExtractiveDocument(
            index=number,
            title="",
            domain="",
            sentences=tuple(text[start:end] for start, end in split_sentences(text)),
            text=text,
            relevance=1.0,
        )
        for number, text in enumerate(texts, start=1)
    )
    return ExtractiveTask(
        question=question, parts=(ExtractivePart(domain="", label="", question=question),), documents=documents
    )


def _result(chunk: PageChunk) -> ChunkResult:
    return ChunkResult(
        text=chunk.text,
        file_hash=chunk.file_hash,
        file_name=chunk.file_name,
        start_page=chunk.start_page,
        end_page=chunk.end_page,
        chunk_index=chunk.chunk_index,
        chunk_hash=chunk.chunk_hash,
        distance=round(chunk.distance, 4),
        created_at=chunk.created_at,
    )
