"""Ids of embedders. Nothing heavy is imported here, so an up-to-date index is recognised at once."""

from __future__ import annotations

from utils.config.settings import EmbeddingProvider, Settings

KIWI_EMBEDDER_VERSION = 1
"""Raised whenever the embedded embedder's vectors change; an index of another version is refused and built anew."""


UNIT_ENCODER_VERSION = 3
"""Raised whenever the vectors of answer units change (`unit_encoder`); an index with those of another version is built anew."""


def kiwi_embedder_id(tokenizer_id: str) -> str:
    """The id of the embedded embedder, which depends on the terms it is given."""
    return f"kiwi-static-v{KIWI_EMBEDDER_VERSION}+{tokenizer_id}"


def unit_embedder_id(tokenizer_id: str) -> str:
    """The id of the embedder of answer units."""
    return f"kiwi-units-v{UNIT_ENCODER_VERSION}+{tokenizer_id}"


def embedder_id(settings: Settings, tokenizer_id: str) -> str:
    """The id of the embedder that `factory.build_embedder` builds.

    It names all that the vectors of passages depend on: a device, a batch size or the prefix of questions is not among it.
    """
    provider = settings.embedding_provider
    if provider is EmbeddingProvider.KIWI:
        return kiwi_embedder_id(tokenizer_id)
    openai = provider is EmbeddingProvider.OPENAI
    parts = [f"{provider}-{settings.openai_embedding_model if openai else settings.embedding_model}"]
    if settings.embedding_passage_prefix:
        parts.append(settings.embedding_passage_prefix.strip())
    if provider is EmbeddingProvider.LOCAL and settings.embedding_max_tokens != _usual_tokens():
        parts.append(f"{settings.embedding_max_tokens}t")
    return "+".join(parts)


def _usual_tokens() -> int:
    default: int = Settings.model_fields["embedding_max_tokens"].default
    return default
