"""Counters and histograms of the service, for ``/metrics``. Every label has a closed set of values."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import get_args

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from schemas.chat import AnswerMeta, Component, ReplyKind
from schemas.events import Stage
from utils.observability.shared_counts import count_together, leave

_LAG_BUCKETS = (0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
_REQUEST_BUCKETS = (0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0, 30.0, 60.0)
_STAGE_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
_MODEL_BUCKETS = (0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0, 30.0, 60.0)

STAGES = (*(stage.value for stage in Stage), "respond_directly")
YES, NO = "yes", "no"


class RefusalCause(StrEnum):
    """Why a request or a connection was turned away."""

    RATE = "rate"
    CONCURRENCY = "concurrency"
    SHED = "shed"
    HEAD = "head"
    BODY = "body"
    CONNECTIONS = "connections"
    ORIGIN = "origin"
    AUTH = "auth"


class GroundingFault(StrEnum):
    """Result of the check of an answer against its sources that did not pass at once."""

    CORRECTED = "corrected"  # sentences were taken out
    FAILED = "failed"  # what was sent has sentences that its sources do not support


class PaperOutcome(StrEnum):
    """The end of a request for a document."""

    WRITTEN = "written"
    CHECKED = "checked"  # a dry run
    INVALID = "invalid"  # fields that the type does not have or take
    REFUSED = "refused"  # by a rule of law
    FAILED = "failed"


class Metrics:
    """The metrics of one application, in a registry of their own.

    With a ``folder`` the processes that share it count together, and each of them tells of all.
    """

    def __init__(self, folder: Path | None = None) -> None:
        if folder is not None:
            count_together(folder)
        self._folder = folder
        self._registry = CollectorRegistry()
        self._exposed = self._registry if folder is None else CollectorRegistry()
        self._requests()
        self._answers()
        self._models()
        self._process()
        if folder is None:
            ProcessCollector(registry=self._exposed)
        else:
            MultiProcessCollector(self._exposed, str(folder))

    def _requests(self) -> None:
        self.requests = self._counter(
            "bizi_requests",
            "Requests that ended, by route template (- where no route was reached) and class of the status, "
            "for a stream that broke off that of its error (none: nothing was sent).",
            "route",
            "status",
        )
        self.first_byte = self._histogram(
            "bizi_request_first_byte_seconds", "Time to the head of the answer.", _REQUEST_BUCKETS, "route", "status"
        )
        self.duration = self._histogram(
            "bizi_request_seconds", "Time to the end of the answer or stream.", _REQUEST_BUCKETS, "route", "status"
        )
        self.first_token = self._histogram(
            "bizi_first_token_seconds", "Time to the first words of a streamed answer.", _REQUEST_BUCKETS
        )
        self.cut = self._counter(
            "bizi_requests_cut",
            "Requests without a whole answer: the client left, or the connection had to be closed.",
            "route",
        )
        self.in_flight = self._gauge("bizi_requests_in_flight", "Requests being served.")
        self.connections = self._gauge("bizi_connections_open", "Open connections.")
        self._refusals = self._counter("bizi_refusals", "Requests and connections turned away, by cause.", "cause")
        _begin_at_zero(self._refusals, RefusalCause)

    def _answers(self) -> None:
        self._given = self._counter(
            "bizi_answers",
            "Answers by kind (all but consult are rejections) and whether something was unavailable or substituted.",
            "kind",
            "degraded",
        )
        self._cached = self._counter(
            "bizi_answers_cached", "Answers that came from the cache or from an equal question."
        )
        self._degraded = self._counter(
            "bizi_degraded_answers", "Answers for which a component was unavailable or substituted.", "component"
        )
        self._ungrounded = self._counter(
            "bizi_grounding_failures", "Computed answers that did not pass the check against their sources.", "fault"
        )
        self._stages = self._histogram(
            "bizi_stage_seconds", "Time in a stage of the pipeline.", _STAGE_BUCKETS, "stage"
        )
        self.documents = self._counter(
            "bizi_documents", "Requests for documents, by type, format and outcome.", "type", "format", "outcome"
        )
        _begin_at_zero(self._degraded, Component)
        _begin_at_zero(self._ungrounded, GroundingFault)
        for kind in get_args(ReplyKind):
            for degraded in (YES, NO):
                self._given.labels(kind, degraded)

    def _models(self) -> None:
        self.model_calls = self._counter(
            "bizi_model_calls",
            "Calls of the model server by purpose and outcome: ok, left (the caller went away) or the reason of the failure.",
            "purpose",
            "outcome",
        )
        self.model_seconds = self._histogram(
            "bizi_model_call_seconds", "Time of a call of the model server.", _MODEL_BUCKETS, "purpose"
        )
        self.model_first_token = self._histogram(
            "bizi_model_first_token_seconds", "Time to the first text of a streamed call.", _MODEL_BUCKETS, "purpose"
        )
        self._usage()

    def _usage(self) -> None:
        self.model_tokens = self._counter(
            "bizi_model_tokens",
            "Tokens of calls of model servers, as these report them, else estimated.",
            "purpose",
            "direction",
        )
        self.model_cached_tokens = self._counter(
            "bizi_model_cached_tokens", "Input tokens among them that the server had cached.", "purpose"
        )
        self.model_estimated_tokens = self._counter(
            "bizi_model_estimated_tokens", "Tokens among them that are estimated.", "purpose"
        )
        self.model_unpriced_tokens = self._counter(
            "bizi_model_unpriced_tokens", "Tokens among them whose model has no price.", "purpose"
        )
        self.model_cost = self._counter(
            "bizi_model_cost", "Price of the tokens, by the table of prices.", "purpose", "currency"
        )
        self.budget_refusals = self._counter(
            "bizi_budget_refusals", "Model calls that were not made because the client's budget is used up.", "purpose"
        )
        self.usage_unsaved = self._gauge("bizi_usage_unsaved_calls", "Model calls whose usage is not written yet.")
        self.usage_write_failures = self._counter(
            "bizi_usage_write_failures", "Times that the usage could not be written."
        )

        self._provider_calls = self._counter(
            "bizi_provider_calls",
            "Calls of embedding and rerank servers by what they are for (keep_warm and start cost as much as the others).",
            "provider",
            "purpose",
            "outcome",
        )
        self._provider_seconds = self._counter(
            "bizi_provider_call_seconds",
            "Seconds of these calls, which serverless providers bill.",
            "provider",
            "purpose",
        )

    def _process(self) -> None:
        self.loop_lag = self._histogram(
            "bizi_event_loop_lag_seconds", "How late the event loop comes to what is due.", _LAG_BUCKETS
        )
        self.loop_tasks = self._gauge("bizi_event_loop_tasks", "Tasks of the event loop that have not ended.")
        self.loop_blocked = self._counter(
            "bizi_event_loop_blocked", "Times the event loop stood still for over a second."
        )

    def refused(self, cause: RefusalCause) -> None:
        """Count one refusal."""
        self._refusals.labels(cause.value).inc()

    def answered(self, answer: AnswerMeta) -> None:
        """Count an answer that is complete; its stages and its check only where it was computed for this request."""
        components = {lack.component for lack in answer.degraded}
        self._given.labels(answer.kind, YES if components else NO).inc()
        for component in components:
            self._degraded.labels(component.value).inc()
        if answer.cached:
            self._cached.inc()
            return
        for stage in STAGES:
            if (milliseconds := answer.timing_metrics.get(stage)) is not None:
                self._stages.labels(stage).observe(milliseconds / 1000)
        if answer.trace.get("grounding") == GroundingFault.CORRECTED.value:
            self._ungrounded.labels(GroundingFault.CORRECTED.value).inc()
        if answer.evaluation is not None and not answer.evaluation.grounding.passed:
            self._ungrounded.labels(GroundingFault.FAILED.value).inc()

    def provider_called(self, provider: str, purpose: StrEnum, succeeded: bool, seconds: float) -> None:
        """Count a call of an embedding or rerank server; ``provider`` is ``embedding`` or ``rerank``."""
        self._provider_calls.labels(provider, purpose.value, "ok" if succeeded else "failed").inc()
        self._provider_seconds.labels(provider, purpose.value).inc(seconds)

    def tell(self, collector: Collector) -> None:
        """Have something told beside the counts that is read when it is asked for."""
        self._exposed.register(collector)

    @property
    def exposed(self) -> CollectorRegistry:
        """Everything that is told."""
        return self._exposed

    def exposition(self) -> bytes:
        """Return all metrics in the Prometheus text format; blocking, milliseconds."""
        return generate_latest(self._exposed)

    def close(self) -> None:
        """Take this process's part out of the gauges that several processes share."""
        if self._folder is not None:
            leave(self._folder)

    def _counter(self, name: str, documentation: str, *labels: str) -> Counter:
        return Counter(name, documentation, labels, registry=self._registry)

    def _histogram(self, name: str, documentation: str, buckets: tuple[float, ...], *labels: str) -> Histogram:
        return Histogram(name, documentation, labels, buckets=buckets, registry=self._registry)

    def _gauge(self, name: str, documentation: str) -> Gauge:
        return Gauge(name, documentation, registry=self._registry, multiprocess_mode="livesum")


def _begin_at_zero(counter: Counter, values: Iterable[StrEnum]) -> None:
    """Show each value of the label from the start: a rate needs a zero to start from."""
    for value in values:
        counter.labels(value.value)
