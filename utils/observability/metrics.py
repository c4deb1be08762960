"""Counters and histograms of the service, for ``/metrics``. Every label has a closed set of values."""

from __future__ import annotations

from enum import StrEnum

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest

_LAG_BUCKETS = (0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class RefusalCause(StrEnum):
    """Why a request or a connection was turned away."""

    RATE = "rate"
    SHED = "shed"
    HEAD = "head"
    BODY = "body"
    CONNECTIONS = "connections"
    ORIGIN = "origin"
    AUTH = "auth"


class Metrics:
    """The metrics of one application, in a registry of their own."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "bizi_requests",
            "Requests that ended, by route template (- where no route was reached) and class of the status.",
            ("route", "status"),
            registry=self.registry,
        )
        self.in_flight = Gauge("bizi_requests_in_flight", "Requests being served.", registry=self.registry)
        self.connections = Gauge("bizi_connections_open", "Open connections.", registry=self.registry)
        self.loop_lag = Histogram(
            "bizi_event_loop_lag_seconds",
            "How late the event loop comes to what is due.",
            buckets=_LAG_BUCKETS,
            registry=self.registry,
        )
        self.loop_blocked = Counter(
            "bizi_event_loop_blocked", "Times the event loop stood still for over a second.", registry=self.registry
        )
        self._refusals = Counter(
            "bizi_refusals", "Requests and connections turned away, by cause.", ("cause",), registry=self.registry
        )
        for cause in RefusalCause:
            self._refusals.labels(cause.value)  # a rate needs a zero to start from
        ProcessCollector(registry=self.registry)

    def refused(self, cause: RefusalCause) -> None:
        """Count one refusal."""
        self._refusals.labels(cause.value).inc()

    def exposition(self) -> bytes:
        """Return all metrics in the Prometheus text format."""
        return generate_latest(self.registry)
