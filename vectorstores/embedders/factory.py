"""The embedder that the settings ask for; `ids` names it without building it."""

from __future__ import annotations

from utils.config.settings import EmbeddingProvider, Settings
from utils.protocols import Embedder
from vectorstores.embedders.kiwi import KiwiEmbedder
from vectorstores.embedders.static_encoder import StaticEncoder
from vectorstores.tokenizer import KiwiTokenizer


def build_embedder(settings: Settings, tokenizer: KiwiTokenizer) -> Embedder:
    """The embedder of ``EMBEDDING_PROVIDER``; a provider's module is imported only when it is chosen.

    Raises:
        ProviderUnavailable: the provider cannot be loaded or does not answer.
    """
    match settings.embedding_provider:
        case EmbeddingProvider.KIWI:
            return build_kiwi_embedder(tokenizer)
        case EmbeddingProvider.LOCAL:
            from vectorstores.embedders.local import LocalEmbedder

            return LocalEmbedder(settings.embedding_model, settings.data_dir / "models")
        case EmbeddingProvider.OPENAI:
            from vectorstores.embedders.openai import OpenAIEmbedder

            return OpenAIEmbedder(
                settings.openai_embedding_model,
                settings.openai_base_url,
                settings.openai_api_key,
                settings.provider_timeout,
            )
        case EmbeddingProvider.RUNPOD:
            from vectorstores.embedders.runpod import RunPodEmbedder

            return RunPodEmbedder(
                settings.embedding_model,
                settings.runpod_embedding_endpoint or "",
                settings.runpod_api_key,
                settings.provider_timeout,
            )


def build_kiwi_embedder(tokenizer: KiwiTokenizer) -> KiwiEmbedder:
    """The embedded embedder, whatever the provider: the embedded reranker compares terms by it."""
    return KiwiEmbedder(tokenizer, StaticEncoder.open())
