"""The search over the starter knowledge base, as the service opens it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from utils.config.settings import Settings
from utils.korean.glossary import load_glossary
from vectorstores.build.providers import open_store
from vectorstores.embedders.kiwi import KiwiEmbedder
from vectorstores.live.live_search import LiveSearch
from vectorstores.ranking.combiner import LinearCombiner
from vectorstores.rerankers.factory import build_reranker
from vectorstores.tokenizer import KiwiTokenizer


@pytest.fixture(scope="session")
def live_search(starter_settings: Settings, tokenizer: KiwiTokenizer, embedder: KiwiEmbedder) -> Iterator[LiveSearch]:
    reranker = build_reranker(starter_settings, embedder, tokenizer)
    combiner = LinearCombiner.load()
    store = open_store(starter_settings)
    live = LiveSearch(store, store.open_current(), tokenizer, embedder, reranker, load_glossary(), combiner)
    yield live
    live.close()
