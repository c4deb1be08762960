"""``/health``: what works, for people; whether the process lives and can answer, for machines."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Literal

from fastapi import APIRouter, Request

from routes.dependencies import ServicesDep
from routes.openapi import problem_responses
from schemas.health import AssistantHealth, CapabilityHealth, CapabilityState, HealthReport, Liveness, Readiness
from schemas.problems import ErrorCode
from utils.http.problems import ProblemError, retry_after
from utils.observability.health import HealthMonitor
from utils.observability.version import service_version

_STOPPING = "서비스를 끝내는 중이라 새 요청을 받지 않습니다."

router = APIRouter(prefix="/health", tags=["health"])


@router.get("", summary="전체 상태", responses=problem_responses())
async def report(services: ServicesDep) -> HealthReport:
    """Version, uptime, each capability with its reason, documents and providers in effect."""
    monitor = services.health
    capabilities = monitor.capabilities
    return HealthReport(
        status=_overall(monitor, capabilities),
        ready=monitor.ready,
        version=service_version(),
        uptime_seconds=round(monitor.uptime(), 1),
        capabilities=capabilities,
        documents={collection.key: collection.documents for collection in services.knowledge.stats().collections},
        providers=dict(services.providers),
        assistants={
            item.name: AssistantHealth(
                ready=item.ready, missing=[need.remedy for need in item.needs if not need.is_met]
            )
            for item in await asyncio.to_thread(services.assistants.listed)
        },
    )


@router.get("/live", summary="프로세스 생존")
async def live() -> Liveness:
    """Checks nothing but that the process answers."""
    return Liveness()


@router.get("/ready", summary="답변 가능 여부", responses=problem_responses(ErrorCode.SERVICE_UNAVAILABLE))
async def ready(request: Request, services: ServicesDep) -> Readiness:
    """200 when questions can be answered, else 503; changes only after several checks in a row, and at once when it stops."""
    monitor = services.health
    if request.state.drain.is_closing:
        raise ProblemError(ErrorCode.SERVICE_UNAVAILABLE, _STOPPING, headers=retry_after(monitor.interval))
    if monitor.ready:
        return Readiness()
    broken = [name for name, health in monitor.capabilities.items() if health.required and _is_down(health)]
    named = f" 사용할 수 없는 구성 요소: {', '.join(broken)}." if broken else ""
    detail = f"아직 답변할 준비가 되지 않았습니다.{named}"
    raise ProblemError(ErrorCode.SERVICE_UNAVAILABLE, detail, headers=retry_after(monitor.interval))


def _overall(
    monitor: HealthMonitor, capabilities: Mapping[str, CapabilityHealth]
) -> Literal["ok", "degraded", "unavailable"]:
    if not monitor.ready:
        return "unavailable"
    whole = all(health.state in (CapabilityState.AVAILABLE, CapabilityState.OFF) for health in capabilities.values())
    return "ok" if whole else "degraded"


def _is_down(health: CapabilityHealth) -> bool:
    return health.state in (CapabilityState.UNAVAILABLE, CapabilityState.OFF)
