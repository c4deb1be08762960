"""``/api/usage``: tokens and money of model calls, by day, client, purpose and model."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Annotated

from fastapi import APIRouter, Depends, Query

from routes.dependencies import ServicesDep, TodayDep, known_client
from routes.openapi import problem_responses
from schemas.problems import ErrorCode, FieldProblem
from schemas.usage import UsageGroup, UsageOffset, UsageReport
from schemas.values import Day
from utils.http.access import AccessScope, ApiClient
from utils.http.problems import ProblemError, retry_after
from utils.usage.report import UsageQuery
from utils.usage.store import UsageStoreError

_LONGEST = 366  # days
_RETRY_SECONDS = 5.0
_OFF = "이 서비스는 모델 사용량을 기록하지 않습니다."
_NOT_YOURS = "다른 클라이언트의 사용량은 admin 권한이 있는 키로만 볼 수 있습니다."
_AWAY = "지금은 사용량을 읽을 수 없습니다. 잠시 후 다시 시도해 주세요."
_BACKWARDS = "first는 last보다 늦을 수 없습니다."
_TOO_LONG = f"한 번에 {_LONGEST}일까지 볼 수 있습니다."

router = APIRouter(prefix="/api/usage", tags=["usage"])
Caller = Annotated[ApiClient, Depends(known_client)]
Named = Annotated[
    str | None, Query(max_length=200, description="An API client; needs the scope admin for another one.")
]


async def asked_days(
    today: TodayDep,
    first: Annotated[Day | None, Query(description="Empty: the first of the month of `last`.")] = None,
    last: Annotated[Day | None, Query(description="Empty: today, in Korea.")] = None,
) -> tuple[date, date]:
    """Return the first and the last day. Raises `ProblemError` for a range that is none or too long."""
    end = last or today
    begin = first or end.replace(day=1)
    if begin > end:
        raise ProblemError(ErrorCode.VALIDATION_FAILED, errors=[FieldProblem(path="first", message=_BACKWARDS)])
    if end - begin >= timedelta(days=_LONGEST):
        raise ProblemError(ErrorCode.VALIDATION_FAILED, errors=[FieldProblem(path="first", message=_TOO_LONG)])
    return begin, end


async def asked_client(caller: Caller, client: Named = None) -> str | None:
    """Return whose usage is asked for, None for everybody's. Raises `ProblemError` for what the caller may not see."""
    if AccessScope.ADMIN in caller.scopes:
        return client
    if client not in (None, caller.name):
        raise ProblemError(ErrorCode.FORBIDDEN, _NOT_YOURS)
    return caller.name


@router.get(
    "",
    summary="모델 사용량과 비용",
    responses=problem_responses(ErrorCode.NOT_FOUND, ErrorCode.VALIDATION_FAILED),
)
async def usage(
    days: Annotated[tuple[date, date], Depends(asked_days)],
    client: Annotated[str | None, Depends(asked_client)],
    services: ServicesDep,
    by: Annotated[list[UsageGroup] | None, Query(max_length=4, description="Empty: by day and model.")] = None,
    offset: UsageOffset = 0,
    limit: Annotated[int, Query(ge=1, le=1000)] = 200,
) -> UsageReport:
    """Sums of the asked days with their prices and the state of budgets: everybody's with the scope admin, else the caller's own."""
    if services.usage is None:
        raise ProblemError(ErrorCode.NOT_FOUND, _OFF)
    groups = tuple(dict.fromkeys(by or (UsageGroup.DAY, UsageGroup.MODEL)))
    query = UsageQuery(*days, client, groups, offset, limit)
    try:
        return await services.usage.report(query, budgets_of=client)
    except UsageStoreError as error:
        raise ProblemError(ErrorCode.SERVICE_UNAVAILABLE, _AWAY, headers=retry_after(_RETRY_SECONDS)) from error
