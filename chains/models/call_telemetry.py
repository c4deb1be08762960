"""Calls of a model server as metrics tell them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from chains.models.errors import AttemptFailed
from chains.models.usage import ModelCall
from utils.observability.metrics import Metrics


class CallTelemetry:
    """Counts and times each call."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics

    @contextmanager
    def observed(self, call: ModelCall) -> Iterator[None]:
        """Around one call: note how and when it ended."""
        try:
            yield
            call.succeeded = True
        except AttemptFailed as failure:
            call.failure = failure.reason
            raise
        finally:
            call.ended = time.monotonic()
            self._count(call, call.ended - call.started)

    def _count(self, call: ModelCall, seconds: float) -> None:
        metrics, purpose = self._metrics, call.purpose.value
        metrics.model_calls.labels(purpose, call.outcome).inc()
        metrics.model_seconds.labels(purpose).observe(seconds)
        if call.first_token is not None:
            metrics.model_first_token.labels(purpose).observe(call.first_token - call.started)
        metrics.model_tokens.labels(purpose, "input").inc(call.input_tokens)
        metrics.model_tokens.labels(purpose, "output").inc(call.output_tokens)
