"""Embeddings of any OpenAI-compatible server (``POST {OPENAI_BASE_URL}/embeddings``)."""

from __future__ import annotations

from collections.abc import Sequence

from numpy.typing import ArrayLike
from pydantic import SecretStr

from schemas.usage import UsagePurpose
from utils.observability.personal_data import mask_personal_data
from utils.usage.sink import NO_USAGE, UsageSink
from vectorstores.embedders.base import TextEmbedder, TextModel, vectors_of_answer
from vectorstores.providers.json_endpoint import JsonEndpoint
from vectorstores.providers.metered import MeteredCalls
from vectorstores.providers.remote import RemoteProvider

DEFAULT_BASE_URL = "https://api.openai.com/v1"

BATCH = 32  # what self-hosted servers take at once by default


class OpenAIEmbedder(TextEmbedder, RemoteProvider):
    """``timeout`` (seconds) bounds one batch."""

    def __init__(
        self,
        model: TextModel,
        base_url: str | None,
        key: SecretStr | None,
        timeout: float,
        usage: UsageSink = NO_USAGE,
        dimension: int | None = None,
    ) -> None:
        self._url = f"{(base_url or DEFAULT_BASE_URL).rstrip('/')}/embeddings"
        self._endpoint: JsonEndpoint = JsonEndpoint(
            "EMBEDDING_PROVIDER=openai (OPENAI_BASE_URL, OPENAI_API_KEY)", timeout, key
        )
        self._calls = MeteredCalls(usage, UsagePurpose.EMBEDDING, model.name, "EMBEDDING_PROVIDER")
        super().__init__(model, dimension=dimension)

    def _encode(self, texts: Sequence[str]) -> ArrayLike:
        payload = {"model": self._model.name, "input": list(texts), "encoding_format": "float"}
        return vectors_of_answer(self._calls.made(texts, lambda: self._endpoint.call("POST", self._url, payload)))

    def _shown(self, question: str) -> str:
        return mask_personal_data(question)

    def _probe(self) -> object:
        return self._try_first(self.dimension)
