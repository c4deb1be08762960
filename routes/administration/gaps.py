"""``/api/gaps``: what users asked and the knowledge base does not answer. For administrators: it shows their questions."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query

from routes.administration.conditions import require_admin
from routes.dependencies import ServicesDep
from routes.openapi import problem_responses
from schemas.administration.gaps import GapReport
from schemas.problems import ErrorCode
from schemas.values import Day
from utils.http.problems import ProblemError

router = APIRouter(prefix="/api/gaps", tags=["domains"], dependencies=[Depends(require_admin)])

_MOST = 200
_OFF = "이 서비스는 질문을 기록하지 않습니다(ENABLE_QUESTION_LOG)."


@router.get(
    "",
    summary="답하지 못한 질문의 주제",
    responses=problem_responses(ErrorCode.NOT_FOUND, ErrorCode.VALIDATION_FAILED),
)
async def gaps(
    services: ServicesDep,
    since: Annotated[Day | None, Query(description="First day of the log to look at (UTC); empty: all of it.")] = None,
    limit: Annotated[int, Query(ge=1, le=_MOST, description="Topics, the most asked first.")] = 50,
) -> GapReport:
    """The topics of questions that nothing answered or whose answers did not help, as `python -m evaluation gaps` shows them."""
    if services.gaps is None:
        raise ProblemError(ErrorCode.NOT_FOUND, _OFF)
    return await services.gaps.report(since, limit)
