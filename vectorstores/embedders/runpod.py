"""Embeddings of a RunPod serverless endpoint."""

from __future__ import annotations

from collections.abc import Sequence

from numpy.typing import ArrayLike
from pydantic import SecretStr

from schemas.usage import UsagePurpose
from utils.observability.personal_data import mask_personal_data
from utils.usage.sink import NO_USAGE, UsageSink
from vectorstores.embedders.base import PROBE, TextEmbedder, TextModel, vectors_of_answer
from vectorstores.providers.metered import MeteredCalls
from vectorstores.providers.remote import RemoteProvider
from vectorstores.providers.runpod import RunPodEndpoint, RunPodTimes

BATCH = 32  # the worker's default


class RunPodEmbedder(TextEmbedder, RemoteProvider):
    """``times`` bound one batch; the first waits for a cold worker."""

    def __init__(
        self,
        model: TextModel,
        endpoint: str,
        key: SecretStr | None,
        times: RunPodTimes,
        usage: UsageSink = NO_USAGE,
        dimension: int | None = None,
    ) -> None:
        setting = "EMBEDDING_PROVIDER=runpod (RUNPOD_EMBEDDING_ENDPOINT, RUNPOD_API_KEY)"
        self._endpoint: RunPodEndpoint = RunPodEndpoint(setting, endpoint, key, times)
        self._calls = MeteredCalls(usage, UsagePurpose.EMBEDDING, model.name, "EMBEDDING_PROVIDER")
        super().__init__(model, dimension=dimension)

    def _encode(self, texts: Sequence[str]) -> ArrayLike:
        return vectors_of_answer(self._calls.made(texts, lambda: self._endpoint.run(self._job(texts))))

    def _encode_first(self, texts: Sequence[str]) -> ArrayLike:
        return vectors_of_answer(self._calls.made(texts, lambda: self._endpoint.first(self._job(texts))))

    def _job(self, texts: Sequence[str]) -> dict[str, object]:
        return {"model": self._model.name, "input": list(texts)}

    def _shown(self, question: str) -> str:
        return mask_personal_data(question)

    def _first(self) -> object:
        return self._try_first(self.dimension)

    def _probe(self) -> object:
        return self._checked(self._encode([PROBE]), (1, self.dimension))
