"""The knowledge base without the graph: counts, and the same search the pipeline runs, on its own."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import chain as concatenated

from agents.retrieval.budget import DocumentBudget
from agents.retrieval.plan import SearchPlanner
from chains.rag_chain import RAGChain
from schemas.vectordb import CollectionStats, SearchResultItem, SearchResults, VectorSearchRequest, VectorStats
from utils.knowledge import Hit
from utils.question_decomposer import SubQuery
from vectorstores.errors import VectorStoreUnavailable
from vectorstores.search import SearchOutcome


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
        """The best ``k`` chunks of one collection, or of all by their relevance.

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
        hits = sorted(concatenated.from_iterable(one.hits for one in outcomes), key=_order)
        degraded = dict.fromkeys(concatenated.from_iterable(one.degraded for one in outcomes))
        return SearchResults(results=_items(hits[: request.k]), degraded=list(degraded))

    def _search_one(self, request: VectorSearchRequest, domain: str, collection: str) -> SearchOutcome:
        searcher = self._chain.searcher
        budget = DocumentBudget(request.k, request.k, request.k)
        plan = self._planner.plan(searcher, SubQuery(domain=domain, query=request.query), collection, budget)
        return searcher.search(collection, plan.request)


def _order(hit: Hit) -> tuple[float, float]:
    return -hit.relevance, -hit.score


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
