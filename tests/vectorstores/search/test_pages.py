"""Searching by page: windows, scores, whole texts, contexts, and one file only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest

from tests.support.pdf_files import make_pdf
from tests.support.small_index import SmallKnowledge, record, write_lines
from utils.config.settings import Settings
from utils.law.question_references import LawNameFinder
from vectorstores.index import CollectionIndex
from vectorstores.rerankers.base import RerankPassage, RerankQuery
from vectorstores.search.hybrid import HybridSearcher
from vectorstores.search.pages import PageSearcher, chunk_context, page_context
from vectorstores.search.request import SearchRequest

LONG = "\n".join(f"{number}번 항목은 저마다 다르게 정한다." for number in range(150))
GUIDE = ["표지", "월세 공제 한도", "기부금 이월", LONG, "의료비 공제 안경", "부록"]
OTHER = ["월세 계약서 양식", "끝"]


class NoReranker:
    id = "kiwi-none"

    def rerank(self, query: RerankQuery, passages: Sequence[RerankPassage]) -> list[float]:
        raise NotImplementedError


def plan(query: str, collection: CollectionIndex, k: int) -> SearchRequest:
    return SearchRequest(
        (query,), (query,), k=k, pool=30, vector_pool=15, vector_weight=0.5, fusion="score", rerank=False
    )


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PageSearcher]:
    folder = tmp_path_factory.mktemp("pages")
    for name, texts in (("guide.pdf", GUIDE), ("other.pdf", OTHER)):
        (folder / name).write_bytes(make_pdf(texts))
    knowledge = SmallKnowledge(Settings(data_dir=folder / "data"))
    posing = record("PDF_x#1", "월세 공제 한도", domain="finance_tax", metadata={"file_hash": "x", "page": 1})
    others = (record(f"N{number}", "월세 공제 한도", domain="finance_tax") for number in range(40))
    noise = write_lines(folder / "a.jsonl", posing, *others)
    knowledge.add(noise)
    assert knowledge.add(folder / "guide.pdf", folder / "other.pdf", domain="finance_tax").problems == []
    index = knowledge.store.open_current()
    searcher = HybridSearcher(
        index, knowledge.analyzer, knowledge.embedder, NoReranker(), LawNameFinder([], {}), combiner=None
    )
    yield PageSearcher(searcher, plan, {"finance_tax_db": "finance_tax", "hr_labor_db": "hr_labor"})
    index.close()


def hash_of(pages: PageSearcher, name: str) -> str:
    outcome = pages.search("월세 공제 한도 계약서", 10)
    return next(chunk.file_hash for chunk in outcome.chunks if chunk.file_name == name)


def test_chunks_come_nearest_first_and_only_from_pages(pages: PageSearcher) -> None:
    chunks = pages.search("월세 공제 한도", 5).chunks
    assert (chunks[0].file_name, chunks[0].start_page, chunks[0].end_page) == ("guide.pdf", 2, 2)
    assert chunks[0].text == "월세 공제 한도"
    assert (chunks[0].chunk_index, len(chunks[0].chunk_hash), len(chunks[0].file_hash)) == (0, 10, 64)
    assert chunks[0].created_at == "2026-01-05T09:30:00+09:00"
    distances = [chunk.distance for chunk in chunks]
    assert distances == sorted(distances)
    assert 0.0 <= distances[0] < 0.3 < distances[-1] <= 1.0


def test_one_file_by_its_hash(pages: PageSearcher) -> None:
    other = hash_of(pages, "other.pdf")
    assert {chunk.file_name for chunk in pages.search("월세 공제 한도", 5, {"file_hash": other}).chunks} == {
        "other.pdf"
    }
    found = pages.search_page("월세 공제 한도", 5, filter_metadata={"file_hash": other})
    assert {page.file_name for page in found.pages} == {"other.pdf"}
    assert [chunk.start_page for chunk in pages.search("월세", 5, {"file_hash": other, "page": 2}).chunks] in ([], [2])
    assert pages.search("월세", 5, {"file_hash": "0" * 64}).chunks == ()


def test_hits_widen_to_the_pages_around_them(pages: PageSearcher) -> None:
    guide = hash_of(pages, "guide.pdf")
    only = {"file_hash": guide}
    hit = pages.search("안경", 1, only).chunks[0]
    assert hit.start_page == 5
    found = pages.search_page("안경", 1, page_window=2, filter_metadata=only)
    assert found.best_page == (guide, 5)
    assert found.file_names == {guide: "guide.pdf"}
    assert {page: pytest.approx(hit.distance + 0.1 * abs(page - 5)) for page in (3, 4, 5, 6)} == {
        page: score for (_, page), score in found.page_scores.items()
    }, "there is no page 7"
    assert found.pages[0].page == 5
    by_page = pages.search_page("안경", 1, page_window=2, sort_by="page", filter_metadata=only)
    assert [page.page for page in by_page.pages] == [3, 4, 5, 6]
    assert by_page.best_page == found.best_page
    assert [page.page for page in pages.search_page("안경", 1, page_window=0, filter_metadata=only).pages] == [5]


def test_a_page_takes_the_least_of_its_distances(pages: PageSearcher) -> None:
    only = {"file_hash": hash_of(pages, "guide.pdf")}
    hits = {
        chunk.start_page: chunk.distance for chunk in reversed(pages.search("월세 공제 한도 기부금", 6, only).chunks)
    }
    assert {2, 3} <= hits.keys()
    scores = pages.search_page("월세 공제 한도 기부금", 6, filter_metadata=only).page_scores
    for (_, page), score in scores.items():
        assert score == pytest.approx(
            min(distance + 0.1 * abs(page - at) for at, distance in hits.items() if abs(page - at) <= 1)
        )


def test_a_page_has_its_whole_text_once(pages: PageSearcher) -> None:
    found = pages.search_page("77번 항목은 저마다", 1)
    page = found.pages[0]
    assert page.page == 4
    assert page.chunk_count > 2
    assert page.text == LONG


def test_contexts_name_their_source_and_keep_within_their_bound(pages: PageSearcher) -> None:
    chunks = pages.search("월세 공제 한도", 3).chunks
    assert chunk_context(chunks, 1) == "[문서 1: guide.pdf]\n월세 공제 한도"
    assert chunk_context(chunks, 2).count("[문서 ") == 2
    page = replace(pages.search_page("월세 공제 한도", 1, page_window=0).pages[0], score=0.25)
    assert page_context([page], 5) == "[문서 1] guide.pdf (페이지 2, 유사도: 0.75)\n월세 공제 한도"
    long = replace(page, chunk_count=4, score=1.3)
    assert page_context([page, long, page], 5).count("[문서 ") == 2
    assert page_context([page, long, page], 4).count("[문서 ") == 1
    assert "유사도: 0.00" in page_context([long], 4)


def test_a_first_page_with_more_chunks_than_are_read_is_cut_and_not_dropped(pages: PageSearcher) -> None:
    page = pages.search_page("77번 항목은 저마다", 1).pages[0]
    assert page.chunk_count > 2
    head, _, text = page_context([page, page], 2).partition("\n")
    assert head.startswith("[문서 1] guide.pdf (페이지 4, 유사도: ")
    assert LONG.startswith(text)
    assert 0.3 * len(LONG) < len(text) < len(LONG)
    assert page_context([replace(page, chunk_count=1), page], 2).count("[문서 ") == 1, "only the first one is cut"


def test_contexts_of_nothing_are_empty() -> None:
    assert page_context([], 4) == chunk_context([], 4) == ""


def test_a_collection_without_pages_finds_none(pages: PageSearcher) -> None:
    labour = PageSearcher(pages._searcher, plan, {"hr_labor_db": "hr_labor"})
    assert labour.search("월세", 5).chunks == ()
    outcome = labour.search_page("월세", 5)
    assert (outcome.best_page, outcome.pages) == (None, ())


def test_a_file_is_known_by_the_id_its_pages_share(pages: PageSearcher) -> None:
    collection = pages._searcher.index.collections["finance_tax_db"]
    whole = f"PDF_{hash_of(pages, 'guide.pdf')[:16]}"
    assert collection.has_document(whole)
    assert collection.has_document(f"{whole}#2")
    assert not collection.has_document(f"{whole}#99")
    assert not collection.has_document(whole[:-1])


def test_a_passage_says_which_of_its_page_it_is(pages: PageSearcher) -> None:
    collection = pages._searcher.index.collections["finance_tax_db"]
    chunks = collection.chunks(range(collection.size))
    of_long_page = [chunk for chunk in chunks if chunk.metadata.get("page") == 4]
    assert [chunk.metadata["chunk_index"] for chunk in of_long_page] == list(range(len(of_long_page)))
    assert all("chunk_index" not in chunk.metadata for chunk in chunks if chunk.id.startswith(("N", "PDF_")))
