"""Versions exchanged under searches: what has not changed stays open, what nobody searches is closed at once."""

from __future__ import annotations

import asyncio
import gc
import os
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from pathlib import Path

import pytest

from tests.support.small_index import SmallKnowledge, record, write_lines
from tests.support.small_searcher import live_search
from utils.config.settings import Settings
from vectorstores.live.live_search import LiveSearch

_A_FEW = 10  # an open collection has some twenty files
HR, TAX = "hr_labor_db", "finance_tax_db"


@pytest.fixture
def knowledge(tmp_path: Path) -> SmallKnowledge:
    made = SmallKnowledge(Settings(data_dir=tmp_path / "data"))
    made.add(write_lines(tmp_path / "a.jsonl", record("A", "임금"), record("T", "세금", "finance_tax")))
    return made


@pytest.fixture
def live(knowledge: SmallKnowledge) -> Iterator[LiveSearch]:
    search = live_search(knowledge)
    yield search
    search.close()


def add(knowledge: SmallKnowledge, folder: Path, document_id: str) -> None:
    knowledge.add(write_lines(folder / f"{document_id}.jsonl", record(document_id, f"임금 {document_id}")))


def descriptors(data_dir: Path) -> int:
    """Of files of the index that this process holds open or mapped."""
    links = (os.path.realpath(path) for path in Path("/proc/self/fd").iterdir())
    return sum(str(data_dir) in link for link in links)


async def closed() -> None:
    """Wait for the threads that close versions."""
    for thread in threading.enumerate():
        if thread.name == "closing index":
            await asyncio.to_thread(thread.join, 20)


@pytest.mark.finding("H9")
async def test_unchanged_collections_are_shared_and_changed_ones_are_freed_without_the_garbage_collector(
    knowledge: SmallKnowledge, live: LiveSearch, tmp_path: Path
) -> None:
    tax = live.searcher.index.collections[TAX]
    gc.disable()
    try:
        open_files: list[int] = []
        for number in range(4):
            assert live.searcher.spelling.is_known("임금")
            chunk = live.searcher.index.collections[HR].chunk_by_id("A")
            assert chunk is not None
            assert chunk.load_terms() is not None
            add(knowledge, tmp_path, f"B{number}")
            hr = live.searcher.index.collections[HR]
            assert await live.refresh()
            await closed()
            assert live.searcher.index.collections[TAX] is tax
            assert live.searcher.index.collections[HR] is not hr
            assert chunk.load_terms() is None, "a chunk that outlives its version keeps no file mapped"
            open_files.append(descriptors(tmp_path))
    finally:
        gc.enable()
    assert max(open_files) - open_files[0] < _A_FEW, open_files


@pytest.mark.finding("H9")
async def test_a_lease_keeps_its_version_open_and_the_same_in_tasks_and_threads(
    knowledge: SmallKnowledge, live: LiveSearch, tmp_path: Path
) -> None:
    def texts() -> list[str]:
        collection = live.searcher.index.collections[HR]
        collection.bm25_scores(["임금"])
        collection.vector_search(knowledge.vector("임금"), 1)
        return [chunk.id for chunk in collection.chunks(range(collection.size))]

    with live.lease() as before, ThreadPoolExecutor(1) as pool:
        add(knowledge, tmp_path, "B")
        assert await live.refresh()
        assert live.searcher is before
        assert texts() == ["A"]
        assert await asyncio.create_task(asyncio.to_thread(texts)) == ["A"]
        assert pool.submit(copy_context().run, texts).result() == ["A"]
        with live.lease() as inner:
            assert inner is before
    assert texts() == ["A", "B"]
    await closed()
    assert before.index.collections[HR].shared(before.index.manifest.collections[HR]) is None, "it is closed"
