"""The knowledge base without the graph: counts, and the same search the pipeline runs, on its own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from itertools import chain as concatenated

from agents.retrieval.budget import DocumentBudget
from agents.retrieval.merge import rank_together, similarity_weight
from agents.retrieval.plan import SearchPlanner
from agents.serving.articles import article_results
from chains.rag_chain import RAGChain
from schemas.knowledge.articles import ArticleResults
from schemas.vectordb import (
    CollectionStats,
    DocumentDetail,
    DocumentFilter,
    DocumentList,
    DocumentSummary,
    PageItem,
    PageScore,
    PageSearchRequest,
    PageSearchResults,
    Passage,
    SearchResultItem,
    SearchResults,
    VectorSearchRequest,
    VectorStats,
)
from utils.documents import Chunk, Hit
from utils.korean.question_words import without_parties
from utils.question_decomposer import SubQuery
from utils.routing.domain_pack import DomainPack, PackSet
from vectorstores.backends.server_calls import share_call_time
from vectorstores.errors import VectorStoreUnavailable
from vectorstores.index import CollectionIndex
from vectorstores.search.articles import NOTHING_CITED, ArticleLookup, look_up
from vectorstores.search.documents import count_of, listed, ordinals_of
from vectorstores.search.hybrid import HybridSearcher
from vectorstores.search.pages import PageSearcher, PageSearchOutcome, PageText
from vectorstores.search.request import SearchOutcome, SearchRequest
from vectorstores.storage.page_catalogue import PageKey


class KnowledgeBrowser:
    """Looks into whatever index version is current."""

    def __init__(self, chain: RAGChain, planner: SearchPlanner, packs: Callable[[], PackSet]) -> None:
        """``packs`` gives the domain packs in force: their collections are those that there are."""
        self._chain = chain
        self._planner = planner
        self._packs = packs

    def stats(self) -> VectorStats:
        """Return sizes and identities of the current version; a domain that holds nothing yet has a collection of none."""
        index = self._chain.searcher.index
        collections = [_stats(pack, index.collections.get(pack.collection)) for pack in self._packs().domains]
        return VectorStats(
            version=index.version,
            embedder=index.manifest.identity.embedder,
            tokenizer=index.manifest.identity.tokenizer,
            documents=sum(collection.documents for collection in collections),
            chunks=sum(collection.chunks for collection in collections),
            collections=collections,
        )

    async def search(self, request: VectorSearchRequest) -> SearchResults:
        """Return the best ``k`` chunks of one collection, or of all by their relevance; cited statute articles stand first.

        Raises:
            VectorStoreUnavailable: no side of the index could be searched, or there is no such collection.
        """
        with self._chain.lease() as searcher:
            return await self._search(searcher, request, self._wanted(request.collection))

    async def _search(
        self, searcher: HybridSearcher, request: VectorSearchRequest, wanted: Sequence[DomainPack]
    ) -> SearchResults:
        share_call_time()
        outcomes = await asyncio.gather(*(self._chain.in_pool(self._search_one, request, pack) for pack in wanted))
        hits: Sequence[Hit] = outcomes[0].hits
        if len(outcomes) > 1:
            hits = rank_together([outcome.hits for outcome in outcomes], similarity_weight(searcher.embedder_id))
        degraded = dict.fromkeys(concatenated.from_iterable(outcome.degraded for outcome in outcomes))
        # what is cited comes first, unless a filter leaves it out; within the filter the search itself puts it first
        cited = NOTHING_CITED if request.filter else await self._chain.in_pool(self._cited, wanted, request.query)
        domains = {pack.collection: pack.key for pack in wanted}
        return SearchResults(results=_items(cited.leading(hits, request.k), domains), degraded=list(degraded))

    def _wanted(self, key: str | None) -> Sequence[DomainPack]:
        wanted = [pack for pack in self._packs().domains if key in (None, pack.key)]
        if not wanted:
            raise VectorStoreUnavailable(f"{key} 컬렉션이 없습니다.")
        return wanted

    async def documents(
        self, key: str | None, wanted: DocumentFilter, title: str, offset: int, limit: int
    ) -> DocumentList:
        """Return a page of the documents that fit, of one collection or of all. Raises as `search`."""
        return await self._chain.in_pool(self._documents, self._wanted(key), wanted, title, offset, limit)

    def _documents(
        self, packs: Sequence[DomainPack], wanted: DocumentFilter, title: str, offset: int, limit: int
    ) -> DocumentList:
        held = self._chain.searcher.index.collections
        found: list[DocumentSummary] = []
        total = 0
        for pack in packs:
            if (collection := held.get(pack.collection)) is None:
                continue
            count = count_of(collection, wanted, title)
            skipped, room = max(0, offset - total), limit - len(found)
            total += count
            if room and skipped < count:
                page = listed(collection, wanted, title, skipped, room)
                found += [DocumentSummary(collection=pack.key, **asdict(document)) for document in page]
        return DocumentList(documents=found, total=total, offset=offset)

    async def document(self, document_id: str, offset: int, limit: int) -> DocumentDetail | None:
        """Return a document, or a whole PDF file, with ``limit`` of its passages; None where there is none."""
        return await self._chain.in_pool(self._document, document_id, offset, limit)

    def _document(self, document_id: str, offset: int, limit: int) -> DocumentDetail | None:
        held, wanted = self._chain.searcher.index.collections, DocumentFilter(document=document_id)
        for pack in self._packs().domains:
            collection = held.get(pack.collection)
            if collection is not None and collection.has_document(document_id):
                ordinals = ordinals_of(collection, wanted)
                parts = count_of(collection, wanted)
                first = collection.chunks(ordinals[:1])[0]
                chunks = collection.chunks(ordinals[offset : offset + limit])
                return _detail(document_id, pack.key, first, chunks, len(ordinals), parts, offset)
        return None

    async def search_pages(self, request: PageSearchRequest) -> PageSearchResults:
        """Return the pages of the best ``k`` chunks of PDF documents, and those around them.

        Raises:
            VectorStoreUnavailable: no side of the index could be searched, or there is no such collection.
        """
        wanted = self._wanted(request.collection)
        return page_results(await self._chain.in_pool(self._search_pages, request, wanted))

    def _search_pages(self, request: PageSearchRequest, wanted: Sequence[DomainPack]) -> PageSearchOutcome:
        searcher = self._chain.searcher
        domains = {pack.collection: pack.key for pack in wanted}

        def plan(query: str, collection: CollectionIndex, k: int) -> SearchRequest:
            return self._request(searcher, query, domains[collection.name], collection.name, k)

        pages = PageSearcher(searcher, plan, domains)
        return pages.search_page(
            request.query, request.k, request.page_window, request.sort_by, request.filter_metadata
        )

    def _search_one(self, request: VectorSearchRequest, pack: DomainPack) -> SearchOutcome:
        searcher, name = self._chain.searcher, pack.collection
        plan = self._request(searcher, request.query, pack.key, name, request.k)
        held = searcher.index.collections.get(name)
        if request.filter is None or held is None:
            return searcher.search(name, plan)
        within = ordinals_of(held, request.filter)
        return searcher.search(name, replace(plan, within=within)) if within else SearchOutcome(())

    async def articles(self, reference: str) -> ArticleResults:
        """Return the articles that a text cites, each from the first collection that holds it."""
        with self._chain.lease():
            packs = self._packs().domains
            lookup = await self._chain.in_pool(self._cited, packs, reference)
            return article_results(lookup, {pack.collection: pack.key for pack in packs})

    def _cited(self, wanted: Sequence[DomainPack], query: str) -> ArticleLookup:
        held = self._chain.searcher.index.collections
        collections = [held[pack.collection] for pack in wanted if pack.collection in held]
        return look_up(collections, self._chain.searcher.law_names.articles(self._chain.correct_spelling(query).text))

    def _request(self, searcher: HybridSearcher, query: str, domain: str, collection: str, k: int) -> SearchRequest:
        sub_query = SubQuery(domain, without_parties(self._chain.correct_spelling(query).text))
        return self._planner.plan(searcher, sub_query, collection, DocumentBudget(k, k, k)).request


def _stats(pack: DomainPack, held: CollectionIndex | None) -> CollectionStats:
    documents, chunks = (held.documents, held.size) if held is not None else (0, 0)
    return CollectionStats(key=pack.key, label=pack.label, name=pack.collection, documents=documents, chunks=chunks)


def _items(hits: Sequence[Hit], domains: Mapping[str, str]) -> list[SearchResultItem]:
    return [
        SearchResultItem(
            id=hit.chunk.id,
            collection=domains.get(hit.chunk.collection, hit.chunk.domain),
            title=hit.chunk.title,
            content=hit.chunk.text,
            source=hit.chunk.source_name,
            url=hit.chunk.source_url,
            effective_date=hit.chunk.effective_date,
            metadata=dict(hit.chunk.metadata),
            relevance=round(hit.relevance, 4),
            similarity=round(hit.similarity or 0.0, 4),
            bm25=round(hit.bm25, 4),
            found_by=sorted(hit.found_by),
        )
        for hit in hits
    ]


def _detail(
    document_id: str, domain: str, first: Chunk, chunks: Sequence[Chunk], passages: int, parts: int, offset: int
) -> DocumentDetail:
    return DocumentDetail(
        id=document_id,
        collection=domain,
        type=first.doc_type,
        title=first.title,
        source=first.source_name,
        url=first.source_url,
        effective_date=first.effective_date,
        passages=passages,
        label=first.label,
        related_laws=list(first.related_laws),
        metadata=dict(first.metadata),
        parts=parts,
        offset=offset,
        texts=[Passage(id=chunk.id, document=chunk.doc_id, content=chunk.text) for chunk in chunks],
    )


def page_results(outcome: PageSearchOutcome) -> PageSearchResults:
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
