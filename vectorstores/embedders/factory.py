"""The embedder that the settings ask for; `ids` names it without building it."""

from __future__ import annotations

from collections.abc import Callable

from utils.config.settings import EmbeddingProvider, Settings
from utils.protocols import Embedder
from utils.usage.sink import NO_USAGE, UsageSink
from vectorstores.embedders.base import TextModel
from vectorstores.embedders.ids import embedder_id
from vectorstores.embedders.kiwi import KiwiEmbedder
from vectorstores.embedders.static_encoder import shipped_encoder
from vectorstores.tokenizer import KiwiTokenizer


def build_embedder(
    settings: Settings,
    tokenizer: KiwiTokenizer,
    usage: UsageSink = NO_USAGE,
    dimension: Callable[[], int | None] = lambda: None,
) -> Embedder:
    """The embedder of ``EMBEDDING_PROVIDER``; a provider's module is imported only when it is chosen.

    ``usage`` counts the calls of a server. ``dimension`` gives that of the index, where there is any: then a server is not asked
    for anything yet.

    Raises:
        ProviderUnavailable: the provider cannot be loaded or does not answer.
    """
    match settings.embedding_provider:
        case EmbeddingProvider.KIWI:
            return build_kiwi_embedder(tokenizer)
        case EmbeddingProvider.LOCAL:
            from vectorstores.embedders import local
            from vectorstores.providers.neural import NeuralRuntime

            model = _text_model(settings, settings.embedding_model, local.BATCH)
            return local.LocalEmbedder(model, NeuralRuntime.of(settings), settings.embedding_max_tokens)
        case EmbeddingProvider.OPENAI:
            from vectorstores.embedders import openai

            return openai.OpenAIEmbedder(
                _text_model(settings, settings.openai_embedding_model, openai.BATCH),
                settings.openai_base_url,
                settings.openai_api_key,
                settings.provider_timeout,
                usage,
                dimension(),
            )
        case EmbeddingProvider.RUNPOD:
            from vectorstores.embedders import runpod
            from vectorstores.providers.runpod import RunPodTimes

            return runpod.RunPodEmbedder(
                _text_model(settings, settings.embedding_model, runpod.BATCH),
                settings.runpod_embedding_endpoint or "",
                settings.runpod_api_key,
                RunPodTimes(settings.provider_timeout, settings.runpod_start_timeout),
                usage,
                dimension(),
            )


def _text_model(settings: Settings, name: str, usual_batch: int) -> TextModel:
    return TextModel(
        id=embedder_id(settings, ""),
        name=name,
        batch_size=settings.embedding_batch_size or usual_batch,
        query_prefix=settings.embedding_query_prefix,
        passage_prefix=settings.embedding_passage_prefix,
    )


def build_kiwi_embedder(tokenizer: KiwiTokenizer) -> KiwiEmbedder:
    """The embedded embedder, whatever the provider: the embedded reranker compares terms by it."""
    return KiwiEmbedder(tokenizer, shipped_encoder())
