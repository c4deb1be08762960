"""``/metrics``: what the service counts about itself, for Prometheus."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4

from routes.openapi import problem_responses
from utils.observability.metrics import Metrics

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
    """Requests, refusals, connections, event loop and process, in the Prometheus text format."""
    counted: Metrics = request.state.metrics
    return Response(counted.exposition(), media_type=CONTENT_TYPE_PLAIN_0_0_4)
