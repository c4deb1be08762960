"""Rerank servers over HTTP, in the two shapes that are about.

Text Embeddings Inference takes ``{"query", "texts"}`` and answers ``[{"index", "score"}]``; Cohere, Jina, vLLM and
others take ``{"model", "query", "documents"}`` and answer ``{"results": [{"index", "relevance_score"}]}``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from schemas.usage import UsagePurpose
from utils.observability.personal_data import mask_personal_data
from utils.usage.sink import NO_USAGE, UsageSink
from vectorstores.providers.json_endpoint import JsonEndpoint, RequestRefused
from vectorstores.providers.metered import MeteredCalls
from vectorstores.providers.remote import RemoteProvider
from vectorstores.rerankers.text_reranker import TextReranker, scores_in_order

BATCH = 32  # Text Embeddings Inference refuses more by default
_PROBE = "사업자등록"


class HTTPReranker(TextReranker, RemoteProvider):
    """``timeout`` (seconds) bounds one batch. The first request finds out which shape the server speaks.

    Raises:
        ProviderUnavailable: on construction, unless it is to be asked ``later``: the server does not rerank.
    """

    def __init__(
        self,
        url: str,
        model: str,
        timeout: float,
        batch_size: int,
        usage: UsageSink = NO_USAGE,
        *,
        later: bool = False,
    ) -> None:
        super().__init__(f"http-{model}", batch_size)
        self._url = url
        self._model = model
        self._endpoint: JsonEndpoint = JsonEndpoint("RERANK_PROVIDER=http (RERANK_URL)", timeout)
        self._calls = MeteredCalls(usage, UsagePurpose.RERANK, model, "RERANK_PROVIDER")
        self._takes_documents: bool | None = None
        if not later:
            self._first()

    def _score(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        question = mask_personal_data(question)
        if self._takes_documents is None:
            return self._score_in_its_shape(question, texts)
        return self._score_in_shape(question, texts, takes_documents=self._takes_documents)

    def _score_in_its_shape(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """Score by a server of which nothing is known yet: one that takes no documents refuses them."""
        try:
            scores, takes_documents = self._score_in_shape(question, texts, takes_documents=True), True
        except RequestRefused:
            scores, takes_documents = self._score_in_shape(question, texts, takes_documents=False), False
        self._takes_documents = takes_documents
        return scores

    def _score_in_shape(self, question: str, texts: Sequence[str], *, takes_documents: bool) -> Sequence[float]:
        if takes_documents:
            payload: dict[str, Any] = {"model": self._model, "query": question, "documents": list(texts)}
            answer = self._asked(question, texts, payload)
            results = answer.get("results") if isinstance(answer, dict) else None
            return scores_in_order(results, "relevance_score")
        payload = {"query": question, "texts": list(texts), "raw_scores": False, "truncate": True}
        return scores_in_order(self._asked(question, texts, payload), "score")

    def _asked(self, question: str, texts: Sequence[str], payload: dict[str, Any]) -> Any:
        # a cross-encoder reads the question with each of the texts
        read = [question * len(texts), *texts]
        return self._calls.made(read, lambda: self._endpoint.call("POST", self._url, payload))

    def _probe(self) -> object:
        return self._checked(_PROBE, [_PROBE])
