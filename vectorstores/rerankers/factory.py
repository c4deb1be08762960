"""The reranker that the settings ask for."""

from __future__ import annotations

from utils.config.settings import RerankProvider, Settings
from utils.protocols import Embedder
from utils.usage.sink import NO_USAGE, UsageSink
from vectorstores.embedders.factory import build_kiwi_embedder
from vectorstores.embedders.kiwi import KiwiEmbedder
from vectorstores.rerankers.base import Reranker
from vectorstores.tokenizer import KiwiTokenizer


def build_reranker(
    settings: Settings,
    embedder: Embedder,
    tokenizer: KiwiTokenizer,
    usage: UsageSink = NO_USAGE,
    *,
    later: bool = False,
) -> Reranker:
    """The reranker of ``RERANK_PROVIDER``. The embedded one shares ``embedder`` when that is the embedded one too.

    A provider's module is imported only when it is chosen. ``usage`` counts the calls of a server; ``later``: a server is not
    asked for anything yet.

    Raises:
        ProviderUnavailable: the provider cannot be loaded or does not answer.
    """
    match settings.rerank_provider:
        case RerankProvider.KIWI:
            from vectorstores.rerankers.kiwi import KiwiReranker

            shared = embedder if isinstance(embedder, KiwiEmbedder) else build_kiwi_embedder(tokenizer)
            return KiwiReranker(shared)
        case RerankProvider.LOCAL:
            from vectorstores.providers.neural import NeuralRuntime
            from vectorstores.rerankers import local

            return local.LocalReranker(
                settings.rerank_model,
                NeuralRuntime.of(settings),
                settings.rerank_batch_size or local.BATCH,
                settings.rerank_max_tokens,
            )
        case RerankProvider.HTTP:
            from vectorstores.rerankers import http

            return http.HTTPReranker(
                settings.rerank_url or "",
                settings.rerank_model,
                settings.provider_timeout,
                settings.rerank_batch_size or http.BATCH,
                usage,
                later=later,
            )
        case RerankProvider.RUNPOD:
            from vectorstores.providers.runpod import RunPodTimes
            from vectorstores.rerankers import runpod

            return runpod.RunPodReranker(
                settings.rerank_model,
                settings.runpod_rerank_endpoint or "",
                settings.runpod_api_key,
                RunPodTimes(settings.provider_timeout, settings.runpod_start_timeout),
                settings.rerank_batch_size or runpod.BATCH,
                usage,
                later=later,
            )
