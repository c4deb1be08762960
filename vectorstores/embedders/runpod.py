"""Embeddings of a RunPod serverless endpoint."""

from __future__ import annotations

from collections.abc import Sequence

from numpy.typing import ArrayLike
from pydantic import SecretStr

from vectorstores.embedders.base import TextEmbedder, TextModel, vectors_of_answer
from vectorstores.runpod import RunPodEndpoint

BATCH = 32  # the worker's default


class RunPodEmbedder(TextEmbedder):
    """``timeout`` (seconds) bounds one batch, the start of a cold worker included."""

    def __init__(self, model: TextModel, endpoint: str, key: SecretStr | None, timeout: float) -> None:
        setting = "EMBEDDING_PROVIDER=runpod (RUNPOD_EMBEDDING_ENDPOINT, RUNPOD_API_KEY)"
        self._endpoint = RunPodEndpoint(setting, endpoint, key, timeout)
        super().__init__(model)

    def _encode(self, texts: Sequence[str]) -> ArrayLike:
        return vectors_of_answer(self._endpoint.run({"model": self._model.name, "input": list(texts)}))
