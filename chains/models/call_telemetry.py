"""Calls of a model server as metrics and traces tell them."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from opentelemetry.trace import Span, SpanKind, Status, StatusCode

from chains.models.errors import AttemptFailed
from chains.models.usage import ModelCall, ModelPurpose
from schemas.usage import UsagePurpose
from utils.observability.request_context import current_request_id
from utils.observability.telemetry import Telemetry
from utils.prompts.version import prompt_version
from utils.usage.sink import NO_USAGE, UsageSink


class CallTelemetry:
    """Counts, times and traces each call; ``models`` are the names of the models by purpose, ``usage`` takes what calls took."""

    def __init__(self, telemetry: Telemetry, models: Mapping[ModelPurpose, str], usage: UsageSink = NO_USAGE) -> None:
        self._metrics = telemetry.metrics
        self._tracer = telemetry.tracer
        self._models = models
        self._usage = usage

    def check_budget(self, purpose: ModelPurpose) -> None:
        """Raise `utils.usage.budgets.BudgetExhausted` where the client may make no more calls."""
        self._usage.check(UsagePurpose(purpose.value))

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
            if failure.usage is not None:
                call.report(failure.usage)
            raise
        finally:
            call.ended = time.monotonic()
            self._usage.note(UsagePurpose(call.purpose.value), self._models[call.purpose], call.settle())
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

    def _describe(self, span: Span, call: ModelCall) -> None:
        """By the semantic conventions for generative AI, which Langfuse reads, too."""
        span.set_attributes(
            {
                "bizi.request_id": current_request_id(),
                "bizi.model.purpose": call.purpose.value,
                "bizi.model.outcome": call.outcome,
                "bizi.model.usage_estimated": call.is_estimated,
                "bizi.prompt_version": prompt_version(),
                "gen_ai.operation.name": "chat",
                "gen_ai.provider.name": "openai",
                "gen_ai.request.model": self._models[call.purpose],
                "gen_ai.usage.input_tokens": call.input_tokens,
                "gen_ai.usage.output_tokens": call.output_tokens,
                "gen_ai.usage.cache_read.input_tokens": call.cached_tokens,
            }
        )
        if call.first_token is not None:
            span.set_attribute("gen_ai.response.time_to_first_chunk", call.first_token - call.started)
        if call.failure is not None:
            span.set_attribute("error.type", call.failure.value)
            span.set_status(Status(StatusCode.ERROR))
