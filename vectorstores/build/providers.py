"""The tokenizer and the embedder that the settings ask for, described at once and loaded only when a build needs them."""

from __future__ import annotations

from utils.config.settings import Settings
from utils.protocols import Analyzer, Embedder
from vectorstores.build.ingest import BuildProviders
from vectorstores.embedders.ids import embedder_id
from vectorstores.integrity.exchange import finish_exchange
from vectorstores.live.index_store import IndexStore
from vectorstores.tokenizer import TOKENIZER_ID, KiwiTokenizer


def build_providers(settings: Settings) -> BuildProviders:
    """Return the ids of the tokenizer and the embedder that the settings ask for, and how to load both."""

    def load() -> tuple[Analyzer, Embedder]:
        from vectorstores.embedders.factory import build_embedder  # a second that an up-to-date index does not pay

        tokenizer = KiwiTokenizer()
        return tokenizer, build_embedder(settings, tokenizer)

    return BuildProviders(TOKENIZER_ID, embedder_id(settings, TOKENIZER_ID), load)


def open_store(settings: Settings) -> IndexStore:
    """The index of the data directory, for a searcher with these settings; a restoration that was begun is finished first."""
    finish_exchange(settings.data_dir)
    return IndexStore(settings, TOKENIZER_ID, embedder_id(settings, TOKENIZER_ID))
