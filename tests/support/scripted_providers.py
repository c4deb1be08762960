"""Rerank servers and RunPod endpoints, imitated on the routes of a scripted server.

Vectors and scores are simple functions of the text, so that a test can compute what it expects.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, Response

DIMENSION = 32
RUNPOD_KEY = "runpod-test-key"
TEI_BATCH = 32  # a Text Embeddings Inference server refuses more texts in one request


def embed_text(text: str) -> list[float]:
    """Counts of hashed character pairs, not normalised: shape ``(DIMENSION,)``."""
    vector = [0.0] * DIMENSION
    for first, second in zip(text, text[1:] + " ", strict=True):
        vector[zlib.crc32((first + second).encode()) % DIMENSION] += 1.0
    return vector


def overlap(query: str, text: str) -> float:
    """The share of the query's characters that the text has."""
    return len(set(query) & set(text)) / (len(set(query)) or 1)


class ScriptedProviders:
    """``/tei/rerank`` (Text Embeddings Inference), ``/cohere/rerank`` (Cohere, Jina, vLLM), ``/logits/rerank`` (raw
    scores), ``/runpod/{name}/runsync`` (the Infinity worker). Script them under ``rerank`` and ``runpod``."""

    def __init__(
        self,
        app: FastAPI,
        begin: Callable[[Request, str], Awaitable[Any]],
        misbehave: Callable[[Any], Awaitable[Response | None]],
    ) -> None:
        self.pending_polls = 0
        self.is_cold = False
        """True while RunPod jobs stay in the queue, for want of a worker."""
        self.job_status = "COMPLETED"
        self._begin = begin
        self._misbehave = misbehave
        self._jobs: dict[str, tuple[int, Any]] = {}
        app.add_api_route("/tei/rerank", self._tei, methods=["POST"])
        app.add_api_route("/cohere/rerank", self._cohere, methods=["POST"])
        app.add_api_route("/logits/rerank", self._logits, methods=["POST"])
        app.add_api_route("/runpod/{name}/runsync", self._runsync, methods=["POST"])
        app.add_api_route("/runpod/{name}/status/{job}", self._status, methods=["GET"])

    async def _tei(self, request: Request) -> Response:
        return await self._rerank(request, "texts", "score", lambda results: results)

    async def _cohere(self, request: Request) -> Response:
        return await self._rerank(request, "documents", "relevance_score", lambda results: {"results": results})

    async def _logits(self, request: Request) -> Response:
        return await self._rerank(
            request, "documents", "relevance_score", lambda results: {"results": results}, scale=-10.0
        )

    async def _rerank(
        self, request: Request, field: str, score: str, wrap: Callable[[list[Any]], Any], scale: float = 1.0
    ) -> Response:
        call = await self._begin(request, "rerank")
        if (answer := await self._misbehave(call)) is not None:
            return answer
        texts = call.body.get(field)
        if texts is None:
            return JSONResponse({"error": f"missing field {field}"}, status_code=422)
        if field == "texts" and len(texts) > TEI_BATCH:
            return JSONResponse({"error": "batch size > maximum allowed batch size"}, status_code=422)
        call.ended = time.monotonic()
        return JSONResponse(wrap(_ranked(call.body["query"], texts, score, scale)))

    async def _runsync(self, request: Request, name: str) -> Response:
        call = await self._begin(request, "runpod")
        if request.headers.get("authorization") != f"Bearer {RUNPOD_KEY}":
            return JSONResponse({"error": "unauthorized"}, status_code=401)
        if (answer := await self._misbehave(call)) is not None:
            return answer
        call.ended = time.monotonic()
        job = f"{name}-{len(self._jobs)}"
        self._jobs[job] = (self.pending_polls, _infinity(call.body["input"]))
        return self._job(job)

    async def _status(self, request: Request, name: str, job: str) -> Response:
        await self._begin(request, "runpod-status")
        return self._job(job)

    def _job(self, job: str) -> Response:
        pending, output = self._jobs[job]
        if self.is_cold:
            return JSONResponse({"id": job, "status": "IN_QUEUE"})
        if pending:
            self._jobs[job] = (pending - 1, output)
            return JSONResponse({"id": job, "status": "IN_PROGRESS" if pending == 1 else "IN_QUEUE"})
        if self.job_status != "COMPLETED":
            return JSONResponse({"id": job, "status": self.job_status, "error": "scripted"})
        return JSONResponse({"id": job, "status": "COMPLETED", "output": output})


def _infinity(job: dict[str, Any]) -> Any:
    if "query" in job:
        return {"object": "rerank", "results": _ranked(job["query"], job["docs"], "relevance_score", 1.0)}
    data = [{"object": "embedding", "index": n, "embedding": embed_text(text)} for n, text in enumerate(job["input"])]
    return {"object": "list", "model": job["model"], "data": data}


def _ranked(query: str, texts: Sequence[str], score: str, scale: float) -> list[dict[str, Any]]:
    """Best first, as servers answer: the index names the text."""
    results = [{"index": number, score: scale * overlap(query, text)} for number, text in enumerate(texts)]
    return sorted(results, key=lambda result: -float(result[score]))
