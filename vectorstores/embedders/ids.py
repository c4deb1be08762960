"""What embedders are called. Nothing heavy is imported here, so an up-to-date index is recognised at once."""

from __future__ import annotations

from utils.config.settings import EmbeddingProvider, Settings

KIWI_EMBEDDER_VERSION = 1
"""Raised whenever the embedded embedder's vectors change; an index of another version is refused and built anew."""


def kiwi_embedder_id(tokenizer_id: str) -> str:
    """The id of the embedded embedder, which depends on the terms it is given."""
    return f"kiwi-static-v{KIWI_EMBEDDER_VERSION}+{tokenizer_id}"


def text_embedder_id(provider: EmbeddingProvider, model: str) -> str:
    """What an index built with that model is marked with."""
    return f"{provider}-{model}"


def embedder_id(settings: Settings, tokenizer_id: str) -> str:
    """The id of the embedder that `factory.build_embedder` builds."""
    match settings.embedding_provider:
        case EmbeddingProvider.KIWI:
            return kiwi_embedder_id(tokenizer_id)
        case EmbeddingProvider.OPENAI:
            return text_embedder_id(settings.embedding_provider, settings.openai_embedding_model)
        case EmbeddingProvider.LOCAL | EmbeddingProvider.RUNPOD:
            return text_embedder_id(settings.embedding_provider, settings.embedding_model)
