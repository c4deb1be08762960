"""``/metrics``: what the service counts about itself, for Prometheus."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

from fastapi import APIRouter, Request, Response
from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4
from prometheus_client.metrics_core import GaugeMetricFamily, InfoMetricFamily, Metric
from prometheus_client.registry import Collector

from routes.dependencies import Services
from routes.openapi import problem_responses
from schemas.health import CapabilityState
from utils.observability.metrics import Metrics
from utils.observability.version import service_version

METRICS_PATH = "/metrics"

router = APIRouter(tags=["health"])


@router.get(
    METRICS_PATH,
    summary="운영 지표 (Prometheus)",
    response_class=Response,
    responses={
        200: {"content": {"text/plain": {"schema": {"type": "string"}}}},
        **problem_responses(),
    },
)
async def metrics(request: Request) -> Response:
    """Requests, answers, model calls, refusals, index, health, event loop and process, in the Prometheus text format."""
    counted: Metrics = request.state.metrics
    return Response(await asyncio.to_thread(counted.exposition), media_type=CONTENT_TYPE_PLAIN_0_0_4)


class ServiceState(Collector):
    """Reads sizes and health when they are asked for: what is gone, such as a collection, is told no longer."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def describe(self) -> list[Metric]:
        return list(self._families())

    def collect(self) -> Iterator[Metric]:
        build, documents, chunks, ready, capabilities = self._families()
        build.add_metric([], {"version": service_version()})
        for collection in self._services.knowledge.stats().collections:
            documents.add_metric([collection.key], collection.documents)
            chunks.add_metric([collection.key], collection.chunks)
        ready.add_metric([], float(self._services.health.ready))
        for name, health in self._services.health.capabilities.items():
            works = health.state in (CapabilityState.AVAILABLE, CapabilityState.OFF)
            capabilities.add_metric([name], float(works))
        yield from (build, documents, chunks, ready, capabilities)

    def _families(
        self,
    ) -> tuple[InfoMetricFamily, GaugeMetricFamily, GaugeMetricFamily, GaugeMetricFamily, GaugeMetricFamily]:
        return (
            InfoMetricFamily("bizi_build", "Version of the service."),
            GaugeMetricFamily("bizi_index_documents", "Documents of the index in use.", labels=["collection"]),
            GaugeMetricFamily("bizi_index_chunks", "Chunks of the index in use.", labels=["collection"]),
            GaugeMetricFamily("bizi_ready", "1 if questions can be answered (/health/ready)."),
            GaugeMetricFamily(
                "bizi_capability_works", "1 if a capability of /health works fully or is off.", labels=["capability"]
            ),
        )
