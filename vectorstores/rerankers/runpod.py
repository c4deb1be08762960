"""Reranking by a RunPod serverless endpoint."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import SecretStr

from schemas.usage import UsagePurpose
from utils.observability.personal_data import mask_personal_data
from utils.usage.sink import NO_USAGE, UsageSink
from vectorstores.providers.metered import MeteredCalls
from vectorstores.providers.remote import RemoteProvider
from vectorstores.providers.runpod import RunPodEndpoint, RunPodTimes
from vectorstores.rerankers.text_reranker import TextReranker, scores_in_order

BATCH = 64
_PROBE = "사업자등록"


class RunPodReranker(TextReranker, RemoteProvider):
    """``times`` bound one batch; the first waits for a cold worker.

    Raises:
        ProviderUnavailable: on construction, unless it is to be asked ``later``: the endpoint does not rerank.
    """

    def __init__(
        self,
        model: str,
        endpoint: str,
        key: SecretStr | None,
        times: RunPodTimes,
        batch_size: int,
        usage: UsageSink = NO_USAGE,
        *,
        later: bool = False,
    ) -> None:
        super().__init__(f"runpod-{model}", batch_size)
        self._model = model
        setting = "RERANK_PROVIDER=runpod (RUNPOD_RERANK_ENDPOINT, RUNPOD_API_KEY)"
        self._endpoint: RunPodEndpoint = RunPodEndpoint(setting, endpoint, key, times)
        self._calls = MeteredCalls(usage, UsagePurpose.RERANK, model, "RERANK_PROVIDER")
        if not later:
            self._first()

    def _job(self, question: str, texts: Sequence[str]) -> dict[str, object]:
        return {"model": self._model, "query": mask_personal_data(question), "docs": list(texts), "return_docs": False}

    def _score(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        # a cross-encoder reads the question with each of the texts
        read = [question * len(texts), *texts]
        return _scores(self._calls.made(read, lambda: self._endpoint.run(self._job(question, texts))))

    def _first(self) -> object:
        answer = self._calls.made([_PROBE], lambda: self._endpoint.first(self._job(_PROBE, [_PROBE])))
        return self._require_scores(_scores(answer), 1)

    def _probe(self) -> object:
        return self._checked(_PROBE, [_PROBE])


def _scores(answer: object) -> list[float]:
    return scores_in_order(answer.get("results") if isinstance(answer, dict) else None, "relevance_score")
