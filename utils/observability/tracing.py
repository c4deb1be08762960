"""OpenTelemetry spans of requests, stages and model calls, sent to a collector or to Langfuse where the settings name one.

Without either nothing is made or sent. Spans hold names, times, counts and the request's id; words of people only with
``TRACE_CONTENT``, and then as they stand in the logs.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import TYPE_CHECKING

from opentelemetry.trace import NoOpTracer, Tracer

from utils.config.settings import Settings
from utils.observability.version import service_version

if TYPE_CHECKING:
    from opentelemetry.sdk.trace.export import SpanExporter

NO_TRACER: Tracer = NoOpTracer()

_SERVICE = "bizi-rag"
_EXPORT_SECONDS = 5
_LANGFUSE_PATH = "/api/public/otel/v1/traces"


class TracingMissing(Exception):
    """The ``trace`` extra is not installed; the message is one sentence for an operator."""


@dataclass(frozen=True, slots=True)
class SpanTarget:
    """An address that takes spans by OTLP over HTTP, with the headers that it wants."""

    address: str
    headers: dict[str, str]


def span_targets(settings: Settings) -> list[SpanTarget]:
    """Where the settings want spans sent."""
    targets = []
    if settings.trace_endpoint:
        given = settings.trace_headers.get_secret_value() if settings.trace_headers else ""
        pairs = (part.partition("=") for part in given.split(",") if part.strip())
        headers = {name.strip(): value.strip() for name, _, value in pairs}
        targets.append(SpanTarget(settings.trace_endpoint, headers))
    if settings.langfuse_host and settings.langfuse_secret_key:
        login = f"{settings.langfuse_public_key}:{settings.langfuse_secret_key.get_secret_value()}"
        basic = base64.b64encode(login.encode()).decode()
        address = settings.langfuse_host.rstrip("/") + _LANGFUSE_PATH
        targets.append(SpanTarget(address, {"Authorization": f"Basic {basic}", "x-langfuse-ingestion-version": "4"}))
    return targets


class Tracing:
    """The tracer of a process and the threads that send its spans; ``exporters`` stand in for those of the settings.

    Raises:
        TracingMissing: spans are wanted, and what sends them is not installed.
    """

    def __init__(self, settings: Settings, exporters: list[SpanExporter] | None = None) -> None:
        wanted = _exporters(span_targets(settings)) if exporters is None else exporters
        # not at the top: a service without traces does not load what makes them
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
        from opentelemetry.sdk.trace.sampling import ParentBased, TraceIdRatioBased

        share = TraceIdRatioBased(settings.trace_sample_ratio)
        # of requests that callers sample the same share is kept: the account of the traces is not theirs
        self._provider = TracerProvider(
            sampler=ParentBased(share, remote_parent_sampled=share),
            resource=Resource.create({"service.name": _SERVICE, "service.version": service_version()}),
            shutdown_on_exit=False,
        )
        for exporter in wanted:
            self._provider.add_span_processor(BatchSpanProcessor(exporter))
        self.tracer: Tracer = self._provider.get_tracer(_SERVICE)

    def close(self) -> None:
        """Send what is left; blocking, seconds where the other side does not answer."""
        self._provider.force_flush(_EXPORT_SECONDS * 1000)
        self._provider.shutdown()


def _exporters(targets: list[SpanTarget]) -> list[SpanExporter]:
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    except ImportError as error:
        raise TracingMissing(
            'TRACE_ENDPOINT, LANGFUSE_HOST: 추적을 보내는 패키지가 없습니다. pip install "bizi-rag[trace]"로 설치하세요.'
        ) from error
    return [
        OTLPSpanExporter(endpoint=target.address, headers=target.headers, timeout=_EXPORT_SECONDS) for target in targets
    ]
