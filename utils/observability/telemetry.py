"""Everything that a process tells of its work while it works."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Self

from opentelemetry.trace import Status, StatusCode, Tracer

from utils.config.settings import Settings
from utils.observability.metrics import Metrics
from utils.observability.request_context import current_request_id
from utils.observability.tracing import NO_TRACER, Tracing, span_targets


@dataclass(frozen=True, slots=True)
class Telemetry:
    """Handed to whatever has something to tell; one made without arguments is told to nobody."""

    metrics: Metrics = field(default_factory=Metrics)
    tracing: Tracing | None = None

    @classmethod
    def of(cls, settings: Settings) -> Self:
        """Return what the settings ask for.

        Raises:
            OSError: METRICS_DIR cannot be written.
            utils.observability.tracing.TracingMissing: spans are wanted, and what sends them is not installed.
        """
        tracing = Tracing(settings) if span_targets(settings) else None
        return cls(Metrics(settings.metrics_dir), tracing)

    @property
    def tracer(self) -> Tracer:
        """The tracer; without tracing one whose spans are nothing."""
        return self.tracing.tracer if self.tracing else NO_TRACER

    def close(self) -> None:
        """Tell what is left; blocking."""
        self.metrics.close()
        if self.tracing is not None:
            self.tracing.close()


@contextmanager
def stage_span(tracer: Tracer, name: str) -> Iterator[None]:
    """A span around a stage; of an error it holds the kind and not the text."""
    if tracer is NO_TRACER:
        yield
        return
    attributes = {"bizi.request_id": current_request_id()}
    with tracer.start_as_current_span(
        name, attributes=attributes, record_exception=False, set_status_on_exception=False
    ) as span:
        try:
            yield
        except BaseException as error:
            span.set_attribute("error.type", type(error).__name__)
            span.set_status(Status(StatusCode.ERROR))
            raise
