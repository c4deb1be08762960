"""The tokenizer and the embedder that the settings ask for, described at once and loaded only when a build needs them."""

from __future__ import annotations

import logging

from utils.config.settings import EmbeddingProvider, Settings
from utils.protocols import BulkAnalyzer, Embedder
from utils.usage.sink import NO_USAGE, UsageSink
from vectorstores.build.ingest import BuildProviders
from vectorstores.embedders.ids import embedder_id
from vectorstores.integrity.exchange import finish_exchange
from vectorstores.live.index_store import IndexStore
from vectorstores.tokenizer import TOKENIZER_ID, KiwiTokenizer

logger = logging.getLogger(__name__)


def build_providers(settings: Settings) -> BuildProviders:
    """Return the ids of the tokenizer and the embedder that the settings ask for, and how to load both."""

    def load() -> tuple[BulkAnalyzer, Embedder]:
        from vectorstores.embedders.factory import build_embedder  # a second that an up-to-date index does not pay

        tokenizer = KiwiTokenizer()
        return tokenizer, build_embedder(settings, tokenizer, usage_of_build(settings))

    return BuildProviders(TOKENIZER_ID, embedder_id(settings, TOKENIZER_ID), load)


def open_store(settings: Settings) -> IndexStore:
    """The index of the data directory, for a searcher with these settings; a restoration that was begun is finished first."""
    finish_exchange(settings.data_dir)
    return IndexStore(settings, TOKENIZER_ID, embedder_id(settings, TOKENIZER_ID))


def usage_of_build(settings: Settings) -> UsageSink:
    """Return where calls of an embedding server are counted while documents are embedded: what a build costs is the service's."""
    if settings.embedding_provider in (EmbeddingProvider.KIWI, EmbeddingProvider.LOCAL):
        return NO_USAGE
    from utils.observability.metrics import Metrics
    from utils.usage.ledger import UsageLedger, UsageRefused, WritesAtOnce

    try:
        return WritesAtOnce(UsageLedger.from_settings(settings, Metrics()))
    except UsageRefused as error:
        logger.warning("사용량을 기록하지 않습니다. %s", error)
        return NO_USAGE
