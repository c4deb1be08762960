"""The reranker that the settings ask for."""

from __future__ import annotations

from utils.config.settings import RerankProvider, Settings
from utils.protocols import Embedder
from vectorstores.embedders.factory import build_kiwi_embedder
from vectorstores.embedders.kiwi import KiwiEmbedder
from vectorstores.rerankers.base import Reranker
from vectorstores.tokenizer import KiwiTokenizer


def build_reranker(settings: Settings, embedder: Embedder, tokenizer: KiwiTokenizer) -> Reranker:
    """The reranker of ``RERANK_PROVIDER``. The embedded one shares ``embedder`` when that is the embedded one too.

    A provider's module is imported only when it is chosen.

    Raises:
        ProviderUnavailable: the provider cannot be loaded or does not answer.
    """
    match settings.rerank_provider:
        case RerankProvider.KIWI:
            from vectorstores.rerankers.kiwi import KiwiReranker

            shared = embedder if isinstance(embedder, KiwiEmbedder) else build_kiwi_embedder(tokenizer)
            return KiwiReranker(shared)
        case RerankProvider.LOCAL:
            from vectorstores.rerankers.local import LocalReranker

            return LocalReranker(settings.rerank_model, settings.data_dir / "models")
        case RerankProvider.HTTP:
            from vectorstores.rerankers.http import HTTPReranker

            return HTTPReranker(settings.rerank_url or "", settings.rerank_model, settings.provider_timeout)
        case RerankProvider.RUNPOD:
            from vectorstores.rerankers.runpod import RunPodReranker

            return RunPodReranker(
                settings.rerank_model,
                settings.runpod_rerank_endpoint or "",
                settings.runpod_api_key,
                settings.provider_timeout,
            )
