"""Calls of a model server as metrics and traces tell them."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from opentelemetry.trace import Span, SpanKind, Status, StatusCode

from chains.models.errors import AttemptFailed
from chains.models.usage import ModelCall, ModelPurpose
from utils.observability.request_context import current_request_id
from utils.observability.telemetry import Telemetry


class CallTelemetry:
    """Counts, times and traces each call; ``models`` are the names of the models by purpose."""

    def __init__(self, telemetry: Telemetry, models: Mapping[ModelPurpose, str]) -> None:
        self._metrics = telemetry.metrics
        self._tracer = telemetry.tracer
        self._models = models

    @contextmanager
    def observed(self, call: ModelCall) -> Iterator[None]:
        """Around one call: note how and when it ended."""
        # not the current span: within a generator that would be of whoever closes it
        span = self._tracer.start_span(f"chat {self._models[call.purpose]}", kind=SpanKind.CLIENT)
        try:
            yield
            call.succeeded = True
        except AttemptFailed as failure:
            call.failure = failure.reason
            raise
        finally:
            call.ended = time.monotonic()
            self._count(call, call.ended - call.started)
            if span.is_recording():
                self._describe(span, call)
            span.end()

    def _count(self, call: ModelCall, seconds: float) -> None:
        metrics, purpose = self._metrics, call.purpose.value
        metrics.model_calls.labels(purpose, call.outcome).inc()
        metrics.model_seconds.labels(purpose).observe(seconds)
        if call.first_token is not None:
            metrics.model_first_token.labels(purpose).observe(call.first_token - call.started)
        metrics.model_tokens.labels(purpose, "input").inc(call.input_tokens)
        metrics.model_tokens.labels(purpose, "output").inc(call.output_tokens)

    def _describe(self, span: Span, call: ModelCall) -> None:
        """By the semantic conventions for generative AI, which Langfuse reads, too."""
        span.set_attributes(
            {
                "bizi.request_id": current_request_id(),
                "bizi.model.purpose": call.purpose.value,
                "bizi.model.outcome": call.outcome,
                "gen_ai.operation.name": "chat",
                "gen_ai.provider.name": "openai",
                "gen_ai.request.model": self._models[call.purpose],
                "gen_ai.usage.input_tokens": call.input_tokens,
                "gen_ai.usage.output_tokens": call.output_tokens,
            }
        )
        if call.first_token is not None:
            span.set_attribute("gen_ai.response.time_to_first_chunk", call.first_token - call.started)
        if call.failure is not None:
            span.set_attribute("error.type", call.failure.value)
            span.set_status(Status(StatusCode.ERROR))
