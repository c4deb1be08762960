"""The knowledge base without the graph: counts, and the same search the pipeline runs, on its own."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import chain as concatenated

from agents.retrieval.budget import DocumentBudget
from agents.retrieval.merge import rank_together, similarity_weight
from agents.retrieval.plan import SearchPlanner
from chains.rag_chain import RAGChain
from schemas.vectordb import (
    CollectionStats,
    PageItem,
    PageScore,
    PageSearchRequest,
    PageSearchResults,
    SearchResultItem,
    SearchResults,
    VectorSearchRequest,
    VectorStats,
)
from utils.knowledge import Hit
from utils.question_decomposer import SubQuery
from utils.question_words import without_parties
from vectorstores.articles import ArticleLookup, look_up
from vectorstores.errors import VectorStoreUnavailable
from vectorstores.index import CollectionIndex
from vectorstores.page_catalogue import PageKey
from vectorstores.pages import PageSearcher, PageSearchOutcome, PageText
from vectorstores.search import HybridSearcher
from vectorstores.search_request import SearchOutcome, SearchRequest


class KnowledgeBrowser:
    """Looks into whatever index version is current."""

    def __init__(self, chain: RAGChain, planner: SearchPlanner) -> None:
        self._chain = chain
        self._planner = planner

    def stats(self) -> VectorStats:
        """Sizes and identities of the current version."""
        index = self._chain.searcher.index
        collections = [
            CollectionStats(key=one.domain, name=one.name, documents=one.documents, chunks=one.size)
            for one in index.collections.values()
        ]
        return VectorStats(
            version=index.version,
            embedder=index.manifest.identity.embedder,
            tokenizer=index.manifest.identity.tokenizer,
            documents=sum(one.documents for one in collections),
            chunks=sum(one.chunks for one in collections),
            collections=collections,
        )

    async def search(self, request: VectorSearchRequest) -> SearchResults:
        """The best ``k`` chunks of one collection, or of all by their relevance; cited statute articles stand first.

        Raises:
            VectorStoreUnavailable: no side of the index could be searched, or it has no such collection.
        """
        index = self._chain.searcher.index
        wanted = [one for one in index.collections.values() if request.collection in (None, one.domain)]
        if not wanted:
            raise VectorStoreUnavailable(f"색인에 {request.collection} 컬렉션이 없습니다.")
        outcomes = await asyncio.gather(
            *(self._chain.in_pool(self._search_one, request, one.domain, one.name) for one in wanted)
        )
        hits: Sequence[Hit] = outcomes[0].hits
        if len(outcomes) > 1:
            hits = rank_together([one.hits for one in outcomes], similarity_weight(self._chain.searcher.embedder_id))
        degraded = dict.fromkeys(concatenated.from_iterable(one.degraded for one in outcomes))
        cited = await self._chain.in_pool(self._cited, wanted, request.query)
        return SearchResults(results=_items(cited.leading(hits, request.k)), degraded=list(degraded))

    async def search_pages(self, request: PageSearchRequest) -> PageSearchResults:
        """The pages of the best ``k`` chunks of PDF documents, and those around them.

        Raises:
            VectorStoreUnavailable: no side of the index could be searched.
        """
        return _page_results(await self._chain.in_pool(self._search_pages, request))

    def _search_pages(self, request: PageSearchRequest) -> PageSearchOutcome:
        searcher = self._chain.searcher

        def plan(query: str, collection: CollectionIndex, k: int) -> SearchRequest:
            return self._request(searcher, query, collection.domain, collection.name, k)

        pages = PageSearcher(searcher, plan, request.collection)
        return pages.search_page(
            request.query, request.k, request.page_window, request.sort_by, request.filter_metadata
        )

    def _search_one(self, request: VectorSearchRequest, domain: str, collection: str) -> SearchOutcome:
        searcher = self._chain.searcher
        return searcher.search(collection, self._request(searcher, request.query, domain, collection, request.k))

    def _cited(self, collections: Sequence[CollectionIndex], query: str) -> ArticleLookup:
        return look_up(collections, self._chain.searcher.law_names.articles(self._chain.as_meant(query).text))

    def _request(self, searcher: HybridSearcher, query: str, domain: str, collection: str, k: int) -> SearchRequest:
        sub_query = SubQuery(domain, without_parties(self._chain.as_meant(query).text))
        return self._planner.plan(searcher, sub_query, collection, DocumentBudget(k, k, k)).request


def _items(hits: Sequence[Hit]) -> list[SearchResultItem]:
    return [
        SearchResultItem(
            id=hit.chunk.id,
            collection=hit.chunk.domain,
            title=hit.chunk.title,
            content=hit.chunk.text,
            source=hit.chunk.source_name,
            url=hit.chunk.source_url,
            effective_date=hit.chunk.effective_date,
            metadata=dict(hit.chunk.metadata),
            relevance=round(hit.relevance, 4),
            similarity=round(hit.similarity, 4),
            bm25=round(hit.bm25, 4),
            found_by=sorted(hit.found_by),
        )
        for hit in hits
    ]


def _page_results(outcome: PageSearchOutcome) -> PageSearchResults:
    return PageSearchResults(
        best_page=None if outcome.best_page is None else _score(outcome, outcome.best_page),
        page_scores=[_score(outcome, key) for key in outcome.page_scores],
        file_names=dict(outcome.file_names),
        pages=[_page_item(page) for page in outcome.pages],
        degraded=list(outcome.degraded),
    )


def _score(outcome: PageSearchOutcome, key: PageKey) -> PageScore:
    return PageScore(file_hash=key[0], page=key[1], score=round(outcome.page_scores[key], 4))


def _page_item(page: PageText) -> PageItem:
    return PageItem(
        file_hash=page.file_hash,
        page=page.page,
        score=round(page.score, 4),
        collection=page.domain,
        file_name=page.file_name,
        page_label=page.page_label,
        content=page.text,
        chunk_count=page.chunk_count,
    )
