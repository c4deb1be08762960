"""Searching PDF files by page: the chunks that match, and the pages around them with their whole text.

A distance is ``1 - relevance`` of the same hybrid search that answers questions, in [0, 1]; lower is nearer. Where the
reranker gives no relevance it is ``1 - cosine``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal

from schemas.chat import Component, Degradation, Scalar
from utils.documents import Hit
from vectorstores.collections import PAGE, ChunkingPolicy
from vectorstores.index import CollectionIndex
from vectorstores.search.hybrid import HybridSearcher
from vectorstores.search.request import SearchRequest
from vectorstores.storage.chunking import join_passages
from vectorstores.storage.page_catalogue import PageKey
from vectorstores.storage.page_ids import parse_page_chunk_id

PageOrder = Literal["score", "page"]
PlanSearch = Callable[[str, CollectionIndex, int], SearchRequest]
"""``(query, collection, k)`` → the request of a search without restriction."""

STEP_DISTANCE = 0.1
"""The distance that each page away from a hit adds."""


@dataclass(frozen=True, slots=True)
class PageChunk:
    """A chunk that matches. A chunk never crosses pages, so it starts and ends on one; pages count from 1."""

    text: str
    file_hash: str
    file_name: str
    start_page: int
    end_page: int
    chunk_index: int
    chunk_hash: str
    distance: float
    created_at: str | None
    collection: str


@dataclass(frozen=True, slots=True)
class PageText:
    """A page with all of its text, and the ``passages`` that it was cut into; ``score`` is a distance."""

    file_hash: str
    file_name: str
    page: int
    page_label: str
    text: str
    chunk_count: int
    score: float
    domain: str
    passages: tuple[str, ...] = ()
    policy: ChunkingPolicy = PAGE

    def first(self, chunks: int) -> str:
        """Return the text of the first ``chunks`` of the page."""
        return self.text if self.chunk_count <= chunks else join_passages(self.passages[:chunks], self.policy)

    @property
    def key(self) -> PageKey:
        return self.file_hash, self.page


@dataclass(frozen=True, slots=True)
class ChunkSearchOutcome:
    """Chunks by rising distance, and what was not available."""

    chunks: tuple[PageChunk, ...]
    degraded: tuple[Degradation, ...] = ()


@dataclass(frozen=True, slots=True)
class PageSearchOutcome:
    """``best_page`` None: nothing was found. ``file_names`` is keyed by the file's hash."""

    best_page: PageKey | None
    page_scores: Mapping[PageKey, float]
    file_names: Mapping[str, str]
    pages: tuple[PageText, ...]
    degraded: tuple[Degradation, ...] = ()


class PageSearcher:
    """Searches the pages of one opened index version, of one collection or of all. Blocking, like `HybridSearcher`."""

    def __init__(
        self,
        searcher: HybridSearcher,
        plan: PlanSearch,
        domains: Mapping[str, str],
        policies: Mapping[str, ChunkingPolicy] = MappingProxyType({}),
    ) -> None:
        """``domains`` is the key of the domain of each collection to search, by the collection's name; ``policies`` are those by
        which their pages were cut, where it is not the usual one.
        """
        self._policies = policies
        self._searcher = searcher
        self._plan = plan
        self._domains = domains
        self._collections = {
            collection.name: collection
            for collection in searcher.index.collections.values()
            if collection.name in domains
        }

    def search(self, query: str, top_k: int, filter_metadata: Mapping[str, Scalar] | None = None) -> ChunkSearchOutcome:
        """The ``top_k`` nearest chunks. ``filter_metadata`` names values a page must have, as ``{"file_hash": …}``.

        Raises:
            vectorstores.errors.VectorStoreUnavailable: neither side of the index could be searched.
        """
        found: list[PageChunk] = []
        degraded: dict[Degradation, None] = {}
        for collection in self._collections.values():
            within = collection.pages.ordinals(filter_metadata or {})
            if not within:
                continue
            request = replace(self._plan(query, collection, top_k), within=within)
            outcome = self._searcher.search(collection.name, request)
            reranked = request.rerank and all(item.component is not Component.RERANK for item in outcome.degraded)
            found += [_page_chunk(hit, reranked) for hit in outcome.hits]
            degraded |= dict.fromkeys(outcome.degraded)
        found.sort(key=lambda chunk: (chunk.distance, chunk.file_hash, chunk.start_page, chunk.chunk_index))
        return ChunkSearchOutcome(tuple(found[:top_k]), tuple(degraded))

    def search_page(
        self,
        query: str,
        top_k: int,
        page_window: int = 1,
        sort_by: PageOrder = "score",
        filter_metadata: Mapping[str, Scalar] | None = None,
    ) -> PageSearchOutcome:
        """The pages of the ``top_k`` nearest chunks and those up to ``page_window`` away, each with its whole text.

        A page's score is the least of its chunks' distances and, for each hit near by, its distance and `STEP_DISTANCE` a
        page. Raises as `search`.
        """
        outcome = self.search(query, top_k, filter_metadata)
        scores = self._page_scores(outcome.chunks, page_window)
        pages = [self._page(collection, key, score) for (collection, key), score in scores.items()]
        nearest_first = sorted(pages, key=lambda page: (page.score, page.key))
        ordered = nearest_first if sort_by == "score" else sorted(pages, key=lambda page: (page.file_name, page.key))
        return PageSearchOutcome(
            best_page=nearest_first[0].key if nearest_first else None,
            page_scores={page.key: page.score for page in ordered},
            file_names={page.file_hash: page.file_name for page in ordered},
            pages=tuple(ordered),
            degraded=outcome.degraded,
        )

    def _page_scores(self, chunks: Sequence[PageChunk], window: int) -> dict[tuple[str, PageKey], float]:
        """Distance of each page that exists, by collection and key."""
        scores: dict[tuple[str, PageKey], float] = {}
        for chunk in chunks:
            pages = self._collections[chunk.collection].pages
            for page in range(chunk.start_page - window, chunk.start_page + window + 1):
                key = chunk.file_hash, page
                if pages.get(key) is not None:
                    score = chunk.distance + STEP_DISTANCE * abs(page - chunk.start_page)
                    scores[chunk.collection, key] = min(score, scores.get((chunk.collection, key), score))
        return scores

    def _page(self, name: str, key: PageKey, score: float) -> PageText:
        collection = self._collections[name]
        entry = collection.pages.get(key)
        assert entry is not None, key
        chunks, policy = collection.chunks(entry.ordinals), self._policies.get(name, PAGE)
        passages = tuple(chunk.text for chunk in chunks)
        return PageText(
            file_hash=key[0],
            file_name=entry.file_name,
            page=key[1],
            page_label=entry.label,
            text=join_passages(passages, policy),
            chunk_count=len(chunks),
            score=score,
            domain=self._domains[name],
            passages=passages,
            policy=policy,
        )

    def page(self, key: PageKey) -> PageText | None:
        """Return one page with the score of what nothing was searched for, 1; None where there is none."""
        held = (name for name, collection in self._collections.items() if collection.pages.get(key) is not None)
        return next((self._page(name, key, 1.0) for name in held), None)


def chunk_context(chunks: Sequence[PageChunk], max_chunks: int) -> str:
    """The first ``max_chunks`` chunks as a prompt shows them."""
    return "\n\n".join(
        f"[문서 {number}: {chunk.file_name}]\n{chunk.text}" for number, chunk in enumerate(chunks[:max_chunks], start=1)
    )


def page_context(pages: Sequence[PageText], max_chunks: int) -> str:
    """The pages as a prompt shows them, as many from the first on as have ``max_chunks`` chunks together.

    Of a first page that has more than that, its first ``max_chunks`` chunks are shown.
    """
    parts: list[str] = []
    left = max_chunks
    for number, page in enumerate(pages, start=1):
        if page.chunk_count > left and (number > 1 or not left):
            break
        left -= page.chunk_count
        similarity = max(0.0, 1.0 - page.score)
        parts.append(
            f"[문서 {number}] {page.file_name} (페이지 {page.page}, 유사도: {similarity:.2f})\n{page.first(max_chunks)}"
        )
    return "\n\n".join(parts)


def _page_chunk(hit: Hit, reranked: bool) -> PageChunk:
    chunk = hit.chunk
    index, digest = parse_page_chunk_id(chunk.id)
    page = int(chunk.metadata["page"])
    created_at = chunk.metadata.get("created_at")
    return PageChunk(
        text=chunk.text,
        file_hash=str(chunk.metadata["file_hash"]),
        file_name=str(chunk.metadata["file_name"]),
        start_page=page,
        end_page=page,
        chunk_index=index,
        chunk_hash=digest,
        distance=max(0.0, 1.0 - (hit.relevance if reranked else hit.similarity or 0.0)),
        created_at=None if created_at is None else str(created_at),
        collection=chunk.collection,
    )
