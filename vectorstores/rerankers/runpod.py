"""Reranking by a RunPod serverless endpoint."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import SecretStr

from vectorstores.rerankers.text_reranker import TextReranker, scores_in_order
from vectorstores.runpod import RunPodEndpoint

BATCH = 64
_PROBE = "사업자등록"


class RunPodReranker(TextReranker):
    """``timeout`` (seconds) bounds one batch, the start of a cold worker included.

    Raises:
        ProviderUnavailable: on construction: the endpoint does not rerank.
    """

    def __init__(self, model: str, endpoint: str, key: SecretStr | None, timeout: float, batch_size: int) -> None:
        super().__init__(f"runpod-{model}", batch_size)
        self._model = model
        setting = "RERANK_PROVIDER=runpod (RUNPOD_RERANK_ENDPOINT, RUNPOD_API_KEY)"
        self._endpoint = RunPodEndpoint(setting, endpoint, key, timeout)
        self._checked(_PROBE, [_PROBE])

    def _score(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        job = {"model": self._model, "query": question, "docs": list(texts), "return_docs": False}
        answer = self._endpoint.run(job)
        return scores_in_order(answer.get("results") if isinstance(answer, dict) else None, "relevance_score")
